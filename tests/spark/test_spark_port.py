"""A connector of its own: what a job asks of it, and when. It writes batches as a database would, on the driver."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from pyspark.sql import DataFrame, SparkSession

from firesteel.api import analyze_script, prepare_job
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.connectors import builtin
from firesteel.connectors.blackhole import options
from firesteel.connectors.spec import ConnectorSpec
from firesteel.errors import OutsideError
from firesteel.observe.snapshot import Waiting
from firesteel.options.option import Side
from firesteel.plan.node.relation import Sink
from firesteel.spark.connector.port import OpenSink, OpenSource, Runtime, SinkPlace
from firesteel.spark.sink.batch import BatchEnd, BatchWriter, Written

_SCRIPT = """
CREATE TABLE made (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000', 'fields.id.kind' = 'sequence',
  'fields.id.start' = '1', 'fields.id.end' = '30');
CREATE TABLE kept (id BIGINT) WITH ('connector' = 'ledger');
INSERT INTO kept SELECT id FROM made;
"""


class LedgerRuntime(Runtime):
    """Keeps what happens, and the rows of each batch once, by its number."""

    asked: list[str] = []  # noqa: RUF012
    rows: dict[int, list[int]] = {}  # noqa: RUF012
    missing = False

    def check_outside(self, go_on: Callable[[], None]) -> None:
        self.asked.append(f"check_outside {[type(table).__name__ for table in self.tables]}")
        if self.missing:
            raise OutsideError("The ledger is closed.")

    def check_earlier_runs(self, state: str) -> None:
        self.asked.append("check_earlier_runs")

    def open_sink(self, sink: Sink, place: SinkPlace) -> OpenSink:
        self.asked.append(f"open_sink {place.query}")
        return LedgerSink()

    def look(self) -> Waiting | None:
        return Waiting(1.0, "ledger", "it rests")

    def close(self) -> None:
        self.asked.append("close")

    def release(self) -> None:
        self.asked.append("release")


class LedgerSink(OpenSink):
    def make_writer(self, end: BatchEnd, sources: Sequence[OpenSource]) -> BatchWriter:
        LedgerRuntime.asked.append(f"make_writer {len(sources)}")
        return LedgerWriter(end)


class LedgerWriter:
    def __init__(self, end: BatchEnd) -> None:
        self._end = end

    def place(self, rows: DataFrame) -> DataFrame:
        return rows

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        with self._end.gate.passing(batch_id):
            found = [row.id for row in batch.collect()]
            LedgerRuntime.rows[batch_id] = found
            self._end.on_written(batch_id, Written(len(found)))

    def begin_again(self) -> None:
        LedgerRuntime.asked.append("begin_again")

    def settle(self) -> None:
        LedgerRuntime.asked.append("settle")


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> type[LedgerRuntime]:
    """The connector, registered as `connectors/builtin.py` registers those that are there."""
    module = ModuleType("firesteel.spark.connector.ledger")
    module.LedgerRuntime = LedgerRuntime  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = ConnectorSpec("ledger", options.ROWS, side=Side.SINK, writes=INSERT_ONLY, runtime="ledger:LedgerRuntime")
    monkeypatch.setattr(builtin, "CONNECTORS", (*builtin.CONNECTORS, spec))
    monkeypatch.setattr(LedgerRuntime, "asked", [])
    monkeypatch.setattr(LedgerRuntime, "rows", {})
    return LedgerRuntime


@pytest.mark.spark
def test_a_job_asks_a_connector_that_it_does_not_know(
    ledger: type[LedgerRuntime], spark: SparkSession, tmp_path: Path
) -> None:
    script = tmp_path / "job.sql"
    script.write_text(_SCRIPT)
    job = prepare_job(analyze_script(script), spark=spark)
    job.begin()
    assert job.wait(120)
    job.release()
    assert sorted(row for rows in ledger.rows.values() for row in rows) == list(range(1, 31))
    assert job.snapshot().sinks[0].rows == 30
    assert ledger.asked == [
        "check_outside ['Write']",
        "check_earlier_runs",
        "open_sink 1-kept",
        "make_writer 1",
        "close",
        "release",
    ]


def test_what_is_missing_outside_ends_the_job_before_spark_starts(
    ledger: type[LedgerRuntime], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ledger, "missing", True)
    monkeypatch.setenv("FIRESTEEL_PLAIN_START", "1")
    script = tmp_path / "job.sql"
    script.write_text(_SCRIPT)
    job = prepare_job(analyze_script(script))
    with pytest.raises(OutsideError, match="The ledger is closed"):
        job.begin()
    assert ledger.asked == ["check_outside ['Write']", "close"]
