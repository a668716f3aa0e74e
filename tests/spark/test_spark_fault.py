"""Writers that die: killed at every moment of a batch, in one job after another on the shared session."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.deadline import wait_for
from tests.faults.oracle import copy_mistakes, fill
from tests.oracle.topic import upserted
from tests.script import BOUNDED, EARLIEST, UPSERT, create_table

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.record import read_records, write_records
from firesteel.spark.fault import VARIABLE

pytestmark = pytest.mark.spark

ROWS = 900


@contextmanager
def faults(path: Path, texts: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """One failure after the other, each as soon as the one before has happened; those that have."""
    monkeypatch.setenv(VARIABLE, str(path))
    done: list[str] = []
    over = threading.Event()

    def feed() -> None:
        for number, text in enumerate(texts):
            path.with_suffix(".new").write_text(f"{text} {number}")
            path.with_suffix(".new").replace(path)
            while path.exists():
                if over.wait(0.02):
                    return
            done.append(text)

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    yield done
    over.set()
    thread.join(5)
    monkeypatch.delenv(VARIABLE)


def script(folder: Path, cluster: dict[str, str], source: str, sink: str, guarantee: str, more: str = "") -> Path:
    columns, promise = "id INT, k STRING, crc BIGINT", f"'sink.delivery-guarantee' = '{guarantee}'"
    path = folder / "copy.sql"
    path.write_text(
        create_table(cluster, "src", columns, source, EARLIEST, BOUNDED, "'scan.max-rows-per-batch' = '150'")
        + create_table(cluster, "snk", columns, sink, promise, more)
        + "INSERT INTO snk SELECT id, k, crc FROM src;\n"
    )
    return path


def test_a_writer_that_dies_is_replaced(
    cluster: dict[str, str],
    make_topic: Callable[..., str],
    tmp_path: Path,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each batch loses its writer at another moment; the task is tried again and finds out what became of the first."""
    source, sink = make_topic(), make_topic()
    fill(cluster, source, 0, ROWS)
    asked = [f"{moment} * kill" for moment in ("m2", "m3", "m4", "m5", "m6")]
    with faults(tmp_path / "fault", asked, monkeypatch) as done:
        job = firesteel.run(script(tmp_path, cluster, source, sink, "exactly-once"), spark=spark)
    assert done == asked
    assert copy_mistakes(list(read_records(cluster, sink)), ROWS) == []
    # The one that died after its commit: the second attempt found the rows there.
    assert job.snapshot().skipped_batches >= 1


def test_at_least_once_writes_a_batch_again(
    cluster: dict[str, str],
    make_topic: Callable[..., str],
    tmp_path: Path,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, sink = make_topic(), make_topic()
    fill(cluster, source, 0, ROWS)
    with faults(tmp_path / "fault", ["m6 2 kill"], monkeypatch) as done:
        firesteel.run(script(tmp_path, cluster, source, sink, "at-least-once"), spark=spark)
    assert done == ["m6 2 kill"]
    records = list(read_records(cluster, sink))
    assert copy_mistakes(records, ROWS, exactly=False) == []
    ids = [json.loads(record.value or b"")["id"] for record in records]
    assert len(ids) == ROWS + 150 and sorted(set(ids)) == list(range(ROWS))


@pytest.mark.skipif(not os.environ.get("FIRESTEEL_SOAK"), reason="part of make soak")
def test_a_writer_that_sleeps_through_its_transaction(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped for longer than its transaction may take, then woken: the broker has given it up, and it is fenced."""
    settings = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": "200"}
    with start_broker(settings=settings) as broker:
        cluster = {"bootstrap.servers": broker.bootstrap}
        create_topic(cluster, "in")
        create_topic(cluster, "out")
        fill(cluster, "in", 0, ROWS)
        path = script(tmp_path, cluster, "in", "out", "exactly-once", "'properties.transaction.timeout.ms' = '2000'")
        for moment in ("m3", "m4"):
            with faults(tmp_path / "fault", [f"{moment} * stop"], monkeypatch) as done:
                job = firesteel.start(path, spark=spark, fresh=True)
                wait_for(lambda: done)
                [taken] = tmp_path.glob("fault.*")
                time.sleep(4)
                os.kill(int(taken.suffix[1:]), signal.SIGCONT)
                taken.unlink()
                assert job.wait(120)
        # Two jobs, two copies.
        ids = [json.loads(record.value or b"")["id"] for record in read_records(cluster, "out")]
        assert sorted(ids) == sorted([*range(ROWS), *range(ROWS)])


@pytest.mark.skipif(not os.environ.get("FIRESTEEL_SOAK"), reason="part of make soak")
@pytest.mark.parametrize("hard", [True, False])
def test_a_broker_that_goes_and_comes_back(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, hard: bool
) -> None:
    with start_broker() as broker:
        cluster = {"bootstrap.servers": broker.bootstrap}
        create_topic(cluster, "in")
        create_topic(cluster, "out")
        fill(cluster, "in", 0, ROWS)
        path = script(tmp_path, cluster, "in", "out", "exactly-once")
        with faults(tmp_path / "fault", ["m4 3 stop"], monkeypatch) as done:
            job = firesteel.start(path, spark=spark)
            wait_for(lambda: done)
            [taken] = tmp_path.glob("fault.*")
            if hard:
                broker.kill()
            else:
                broker.terminate()
            os.kill(int(taken.suffix[1:]), signal.SIGCONT)
            time.sleep(2)
            broker.restart()
            assert job.wait(180)
        assert copy_mistakes(list(read_records(cluster, "out")), ROWS) == []


def test_a_task_of_the_state_engine_that_fails_is_tried_again(
    cluster: dict[str, str],
    make_topic: Callable[..., str],
    tmp_path: Path,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each batch loses a task at another moment, by an error or with its process; what it had written counts once."""
    source, sink = make_topic(), make_topic()
    rows = [{"k": row % 40, "v": row % 7} for row in range(ROWS)]
    write_records(cluster, source, [(None, json.dumps(row).encode()) for row in rows])
    path = tmp_path / "groups.sql"
    path.write_text(
        "SET 'parallelism.default' = '2';\nSET 'table.exec.state.ttl' = '1 d';\n"
        + create_table(cluster, "src", "k INT, v INT", source, EARLIEST, BOUNDED, "'scan.max-rows-per-batch' = '100'")
        + create_table(cluster, "snk", "k INT, n BIGINT, d BIGINT, PRIMARY KEY (k) NOT ENFORCED", sink, UPSERT)
        + "INSERT INTO snk SELECT k, COUNT(*), COUNT(DISTINCT v) FROM src GROUP BY k;\n"
    )
    failures = [f"{moment} {{}} {action}" for moment in ("s1", "s2", "s3", "s4") for action in ("raise", "kill")]
    asked = [failure.format(batch) for batch, failure in enumerate(failures)]
    with faults(tmp_path / "fault", asked, monkeypatch) as done:
        firesteel.run(path, spark=spark)
    assert done == asked
    found = {row["k"]: (row["n"], row["d"]) for row in upserted(cluster, sink)}
    sizes = Counter(row["k"] for row in rows)
    distinct = Counter(key for key, _ in {(row["k"], row["v"]) for row in rows})
    assert found == {key: (size, distinct[key]) for key, size in sizes.items()}
