"""Writes a batch at least once: every task writes its own rows, and a batch that runs again writes them again.

The batch is done when its rows and its bad records are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from firesteel.connectors.staged_range import remove_staged
from firesteel.spark.failure import CarriedText
from firesteel.spark.fault import planned_fault, reach
from firesteel.spark.internals import collect_rows
from firesteel.spark.sink.bad_record import STAGE, write_staged
from firesteel.spark.sink.batch import BatchEnd, Written
from firesteel.spark.sink.layout import Layout, in_order, is_ordered, spread
from firesteel.spark.sink.offset_log import planned_batch

#: What a writing task gives back: how many rows it wrote, or what no second try of it could mend.
WRITTEN_ROW = "written long, failure string"


@dataclass(frozen=True)
class Writing:
    """How one task writes its rows: `task` gives back one `row`, whose first columns are those of `WRITTEN_ROW`. `show` gets
    what stands in the column behind them, task by task.
    """

    task: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
    row: str = WRITTEN_ROW
    show: Callable[[list[str]], None] | None = None


class AtLeastOnce:
    """A `BatchWriter` (`sink/batch.py`) for every sink whose tasks can each write their own rows.

    `place` takes the stream's rows first. Where a batch's rows are laid out is known then, if it does not depend on the batch,
    and the writing is planned with the stream: what is left to `foreachBatch` is planned anew for each batch.
    """

    def __init__(self, layout: Layout, writing: Writing, end: BatchEnd) -> None:
        self._layout = layout
        self._writing = writing
        self._end = end
        self._stage = end.checkpoint.child(STAGE)
        self._placed = False

    def place(self, rows: DataFrame) -> DataFrame:
        self._placed = self._layout.tasks is None and not is_ordered(rows)
        return self._write(rows) if self._placed else rows

    def _write(self, rows: DataFrame) -> DataFrame:
        return rows.mapInArrow(self._writing.task, self._writing.row)

    def _lay_out(self, batch: DataFrame, batch_id: int) -> DataFrame:
        return in_order(spread(batch, self._layout), self._end.checkpoint, batch_id)

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        with self._end.gate.passing(batch_id):
            fault = planned_fault()
            reach(fault, "m1", batch_id)
            rows = batch if self._placed else self._write(self._lay_out(batch, batch_id))
            # Each task has one row.
            reports = collect_rows(rows)
            raise_failures(row.getUTF8String(1).toString() for row in reports if not row.isNullAt(1))
            counts = [row.getLong(0) for row in reports]
            if self._writing.show is not None:
                self._writing.show([row.getUTF8String(2).toString() for row in reports])
            bad_records: dict[int, int] = {}
            if self._end.bad_records:
                sequences = planned_batch(self._end.checkpoint, batch_id).sequences
                bad_records = write_staged(batch.sparkSession, self._end.bad_records, self._stage, sequences)
                remove_staged(self._stage, sequences)
            reach(fault, "m7", batch_id)
            self._end.on_written(batch_id, Written(sum(counts), bad_records))

    def begin_again(self) -> None:
        """Does nothing: what was written is written again."""

    def settle(self) -> None:
        """Does nothing: no task leaves anything open."""


def raise_failures(failures: Iterable[str]) -> None:
    """Raises the first failure that a task gave back instead of raising it."""
    for text in failures:
        raise CarriedText(text)
