"""Reads a table's rows in Spark's workers: what every reader does the same, whatever it reads from.

The offset that Spark keeps is ours: `{"source", "sequence", "positions", "begins", "ends", "topics"}`. `source` is the number of
the table among those the query reads; `sequence` grows by one with every batch and is the same when a batch is run again;
`positions` is how far each partition has been read; `begins` holds the start of partitions that appear for the first time in this
offset; `ends` is where a bounded source stops, decided once, at the first start; `topics` has the id of each topic, or of
whatever else could be deleted and made again under its name. Where somebody waits for event time there are also `times`, the
greatest one that each partition has shown, and the `mark` made of them (`event_time.py`). Where the clock wakes somebody, `woken` is
when it did so last (`alarm.py`). A connector may add what it needs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit

from firesteel.changelog.hidden import MARK
from firesteel.errors import FiresteelError
from firesteel.formats.arrow_type import arrow_schema
from firesteel.spark.failure import carry
from firesteel.spark.source.alarm import Sleeper
from firesteel.spark.source.equal_rows import weigh
from firesteel.spark.source.event_time import emits_mark
from firesteel.spark.source.hidden import append_hidden
from firesteel.spark.source.packed_rows import read_packed
from firesteel.spark.source.source_spec import SourceSpec


class WatermarkRow(InputPartition):
    """A row that only moves event time, for a task of its own."""

    def __init__(self, time: int) -> None:
        super().__init__(time)
        self.time = time


class NoRows(InputPartition):
    """A task without rows: operators are called by the tasks below them."""


class SourceReader(DataSourceStreamReader):
    """The driver's side plans offsets; `read` runs in the workers, which share nothing with it but `rows`. It is pickled."""

    def __init__(self, rows: SourceSpec) -> None:
        self.rows = rows
        self._sleeper = Sleeper(rows.alarm) if rows.alarm is not None else None

    # -- what a connector answers ----------------------------------------------------------------------------------

    @abstractmethod
    def first_offset(self) -> dict[str, Any]:
        """Makes the offset where reading starts. Called when the query has no state."""

    @abstractmethod
    def next_offset(self, start: dict[str, Any]) -> dict[str, Any]:
        """Makes the offset where the next batch ends, with the next `sequence`, or gives `start` back if there is nothing new."""

    @abstractmethod
    def row_partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Divides a batch among tasks. Called on the driver for each batch, and again when it is run again."""

    @abstractmethod
    def read_rows(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Reads what a task is to read, with all hidden columns of `rows.hidden` but the row count. Called in a worker."""

    # -- what Spark asks -------------------------------------------------------------------------------------------

    def initialOffset(self) -> dict[str, Any]:
        with carried():
            return self.first_offset()

    def getDefaultReadLimit(self) -> ReadLimit:
        # The limit is ours (`scan.max-rows-per-batch`), over all partitions together.
        return ReadAllAvailable()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        with carried():
            end = self.next_offset(start)
            return end if self._sleeper is None else self._sleeper.next_offset(start, end)

    def reportLatestOffset(self) -> dict[str, Any] | None:
        return None

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        found = self.row_partitions(start, end)
        if emits_mark(start, end):
            found = [*found, WatermarkRow(end["mark"])]
        return found or ([NoRows(None)] if self.rows.alarm is not None else [])

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        with carried():
            if isinstance(partition, WatermarkRow):
                yield self._watermark_row(partition.time)
                return
            batches = iter(()) if isinstance(partition, NoRows) else self.read_rows(partition)
            columns, packings = self.rows.columns, self.rows.packings
            if columns.combined:
                batches = weigh(batches, as_stored=columns.as_stored)
            yield from read_packed(batches, packings, columns.tolerant) if packings else batches

    def _watermark_row(self, time: int) -> pa.RecordBatch:
        columns = [pa.nulls(1, field.type) for field in arrow_schema(self.rows.fields)]
        row = pa.RecordBatch.from_arrays(columns, names=[field.name for field in self.rows.fields])
        return append_hidden(row, self.rows.hidden, {MARK: pa.array([time], pa.int64())})

    def commit(self, end: dict[str, Any]) -> None:
        """Does nothing: the job says that a batch is done as soon as it is (`Source.commit` of `spark/connector/port.py`).

        Spark calls this only when the next batch begins, so a job that has caught up would show a lag for ever.
        """


class carried:
    """Lets an error of ours out in a form that survives the way to the driver."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FiresteelError):
            raise carry(error) from None
