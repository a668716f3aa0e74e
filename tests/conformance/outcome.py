"""Runs recorded cases, several at once: a job of a few records mostly waits, for Python to start and for Spark's next look."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.conformance.case import Case, load_cases
from tests.conformance.corpus import compare, prepare

import firesteel
from firesteel.errors import FiresteelError

#: The longest a bounded job of a few records may take, on a machine that does other things too.
_PATIENCE = 180
_AT_ONCE = 6


@contextmanager
def running(
    names: Collection[str], cluster: dict[str, str], spark: SparkSession, folder: Path
) -> Iterator[Mapping[str, Future[list[str]]]]:
    """What differs, by case, as soon as it is known."""
    producer = Producer({**cluster, "linger.ms": 0, "acks": "all", "log_level": 0})

    def run(case: Case) -> list[str]:
        return _differences(case, cluster, producer, spark, folder / case.name)

    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        yield {case.name: pool.submit(run, case) for case in load_cases() if case.name in names}
    finally:
        pool.shutdown(cancel_futures=True)
        producer.flush(5)


def _differences(
    case: Case, cluster: dict[str, str], producer: Producer, spark: SparkSession, folder: Path
) -> list[str]:
    run = prepare(case, cluster, producer)
    folder.mkdir()
    script = folder / "case.sql"
    script.write_text(case.script(cluster["bootstrap.servers"], run), encoding="utf-8")
    job = firesteel.start(script, spark=spark)
    try:
        ended = job.wait(_PATIENCE)
    except FiresteelError as error:
        return [] if case.error_phase == "run" else [f"it failed: {error}"]
    finally:
        job.stop()
    if not ended:
        return [f"it did not end within {_PATIENCE} s"]
    return ["it did not fail"] if case.error_phase == "run" else compare(case, cluster, run)
