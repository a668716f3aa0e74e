"""How a micro-batch is finished: its rows and its dead letters are in Kafka, or the batch is not done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from firesteel.connectors.kafka.write.bad_record import DeadLetters, flush_letters, write_letters
from firesteel.connectors.kafka.write.writer import kept_writer
from firesteel.connectors.staged_range import StagedRange, remove_staged, staged_ranges
from firesteel.errors import FiresteelError, JobError
from firesteel.formats.bound import BoundFormat
from firesteel.spark.failure import CarriedText, carry, short_failure
from firesteel.spark.fault import planned_fault, reach
from firesteel.spark.internals import collect_rows
from firesteel.spark.sink.layout import in_order, is_ordered, spread
from firesteel.spark.sink.offset_log import planned_batch
from firesteel.storage.folder import Folder


@dataclass(frozen=True)
class Written:
    """What a batch wrote: rows, and dead letters by the number of the source they come from.

    `skipped`: it had been written by an earlier attempt. `groups` are the sources whose group knows about it already.
    """

    rows: int
    letters: Mapping[int, int] = field(default_factory=dict)
    skipped: bool = False
    groups: frozenset[int] = frozenset()


#: What a writing task gives back: how many rows it wrote, or what no second try of it could mend.
WRITTEN_ROW = "written long, failure string"

#: Where bad records wait, in the folder of a query's state.
STAGE = "dead"


class StoppingError(JobError):
    """No batch begins any more: the job is being stopped."""


class Gate:
    """What every batch of a query passes. Closed, it lets the batch that is being written end, and no other begin."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        #: The last batch that was written.
        self.passed = -1

    @contextmanager
    def passing(self, batch: int) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise StoppingError("The job is being stopped.")
            try:
                yield
            except Exception as error:
                # Spark and py4j copy the text, Java's stack and all, and read it with regular expressions that it overflows.
                raise short_failure(error) from None
            self.passed = batch

    def close(self) -> None:
        self._closed = True

    @property
    def is_free(self) -> bool:
        """Whether no batch is being written."""
        return not self._lock.locked()


@dataclass(frozen=True)
class Writing:
    """How one task writes its rows: `task` gives back one `row`, whose first columns are those of `WRITTEN_ROW`. `show` gets
    what stands in the one behind them, task by task.
    """

    task: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
    row: str = WRITTEN_ROW
    show: Callable[[list[str]], None] | None = None


class SinkSpec(Protocol):
    """What the rows of a batch are laid out by: how many tasks write, if that is asked for, and the message key."""

    @property
    def tasks(self) -> int | None: ...

    @property
    def key(self) -> BoundFormat | None: ...


class AtLeastOnce:
    """For `foreachBatch`: every task writes its own rows; a batch that runs again writes them again.

    `place` takes the stream's rows first. Where a batch's rows are laid out is known then, if it does not depend on the batch,
    and the writing is planned with the stream: what is left to `foreachBatch` is planned anew for each batch.
    """

    def __init__(
        self,
        spec: SinkSpec,
        writing: Writing,
        letters: tuple[DeadLetters, ...],
        checkpoint: Folder,
        on_written: Callable[[int, Written], None],
        gate: Gate,
    ) -> None:
        self._spec = spec
        self._letters = letters
        self._checkpoint = checkpoint
        self._stage = checkpoint.child(STAGE)
        self._on_written = on_written
        self._gate = gate
        self._writing = writing
        self._placed = False

    def place(self, rows: DataFrame) -> DataFrame:
        self._placed = self._spec.tasks is None and not is_ordered(rows)
        return self._write(rows) if self._placed else rows

    def _write(self, rows: DataFrame) -> DataFrame:
        return rows.mapInArrow(self._writing.task, self._writing.row)

    def _lay_out(self, batch: DataFrame, batch_id: int) -> DataFrame:
        rows = spread(batch, self._spec.tasks, self._spec.key.columns if self._spec.key else ())
        return in_order(rows, self._checkpoint, batch_id)

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        with self._gate.passing(batch_id):
            fault = planned_fault()
            reach(fault, "m1", batch_id)
            rows = batch if self._placed else self._write(self._lay_out(batch, batch_id))
            # Each task has one row.
            told = collect_rows(rows)
            raise_told(row.getUTF8String(1).toString() for row in told if not row.isNullAt(1))
            counts = [row.getLong(0) for row in told]
            if self._writing.show is not None:
                self._writing.show([row.getUTF8String(2).toString() for row in told])
            letters: dict[int, int] = {}
            if self._letters:
                sequences = planned_batch(self._checkpoint, batch_id).sequences
                letters = write_staged(batch.sparkSession, self._letters, self._stage, sequences)
                remove_staged(self._stage, sequences)
            reach(fault, "m7", batch_id)
            self._on_written(batch_id, Written(sum(counts), letters))


def raise_told(failures: Iterable[str]) -> None:
    """Raises the first failure that a task gave back instead of raising it."""
    for text in failures:
        raise CarriedText(text)


def write_staged(
    session: SparkSession, letters: tuple[DeadLetters, ...], stage: Folder, sequences: Mapping[int, int]
) -> dict[int, int]:
    """Writes the dead letters of a batch in a task of their own; how many, by source."""
    ranges = staged_by_source(letters, stage, sequences)
    if not ranges:
        return {}

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            try:
                counts = {number: _write_letters(one, stage, ranges[number]) for number, one in waiting.items()}
            except FiresteelError as error:
                raise carry(error) from None
            yield pa.RecordBatch.from_arrays(
                [pa.array(counts.keys(), pa.int32()), pa.array(counts.values(), pa.int64())],
                names=["source", "written"],
            )

    waiting = {one.source: one for one in letters if one.source in ranges}
    rows = session.range(0, 1, 1, 1).mapInArrow(task, "source int, written long").collect()
    return {row.source: row.written for row in rows}


def staged_by_source(
    letters: tuple[DeadLetters, ...], stage: Folder, sequences: Mapping[int, int]
) -> dict[int, tuple[StagedRange, ...]]:
    """What is staged for a batch, of those sources that have anything."""
    found = {one.source: staged_ranges(stage, {one.source: sequences.get(one.source, -1)}) for one in letters}
    return {number: ranges for number, ranges in found.items() if ranges}


def _write_letters(letters: DeadLetters, stage: Folder, ranges: tuple[StagedRange, ...]) -> int:
    with kept_writer(letters.config) as writer:
        written = write_letters(writer, letters, stage, ranges)
        flush_letters(writer, letters)
    return written
