"""Runs cases, several at once: a job of a few records mostly waits, for Python to start and for Spark's next look."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.jobs.case import Case
from tests.jobs.topics import compare, fill, prepare

import firesteel
from firesteel.errors import FiresteelError
from firesteel.observe.snapshot import JobSnapshot

#: The longest a bounded job of a few records may take, on a machine that does other things too.
_PATIENCE = 180
_AT_ONCE = 6


@contextmanager
def running(
    cases: Collection[Case], cluster: dict[str, str], spark: SparkSession, folder: Path
) -> Iterator[Mapping[str, Future[list[str]]]]:
    """Run the cases and give what differs, by the name of the case, as soon as it is known."""
    producer = Producer({**cluster, "linger.ms": 0, "acks": "all", "log_level": 0})

    def run(case: Case) -> list[str]:
        return differences(case, cluster, producer, spark, folder / case.name)

    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        yield {case.name: pool.submit(run, case) for case in cases}
    finally:
        pool.shutdown(cancel_futures=True)
        producer.flush(5)


def differences(
    case: Case, cluster: dict[str, str], producer: Producer, spark: SparkSession, folder: Path
) -> list[str]:
    """Run a case in a folder of its own; what is otherwise than it says."""
    run = prepare(case, cluster, producer)
    folder.mkdir()
    script = folder / "case.sql"
    script.write_text(case.script(cluster["bootstrap.servers"], run), encoding="utf-8")
    found: list[str] = []
    for number, topics in enumerate(case.inputs, start=1):
        if number > 1:
            time.sleep(case.said.get("pause", 0))
            fill(case, topics, run, producer)
        is_last = number == len(case.inputs)
        found += _run(case, script, spark, case.failure if is_last else None, is_last)
        if found:
            return found
    return compare(case, cluster, run)


def _run(case: Case, script: Path, spark: SparkSession, failure: str | None, is_last: bool) -> list[str]:
    job = firesteel.start(script, spark=spark, settings=case.said.get("settings"))
    try:
        ended = job.wait(_PATIENCE)
    except FiresteelError as error:
        if failure is None:
            return [f"it failed: {error}"]
        return [] if failure in str(error) else [f"it failed with other words: {error}"]
    finally:
        job.stop()
    if not ended:
        return [f"it did not end within {_PATIENCE} s"]
    if failure is not None:
        return ["it did not fail"]
    return _miscounted(case.said.get("snapshot", {}), job.snapshot()) if is_last else []


def _miscounted(wanted: Mapping[str, Any], snapshot: JobSnapshot) -> list[str]:
    """The counters that are otherwise than a case says."""
    pairs = [(name, value, getattr(snapshot, name)) for name, value in wanted.items() if name != "sources"]
    for table, counters in wanted.get("sources", {}).items():
        [source] = [source for source in snapshot.sources if source.table == table]
        pairs += [(f"{name} of '{table}'", value, getattr(source, name)) for name, value in counters.items()]
    return [f"{name}: expected {value}, found {count}" for name, value, count in pairs if value != count]
