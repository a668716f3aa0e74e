"""The sink: each micro-batch is encoded and written by its tasks, in one Spark action, and counts as done only when
every message of it is on the broker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql import DataFrame

from firesteel.catalog.table import BoundFormat
from firesteel.errors import FiresteelError, JobError
from firesteel.formats.arrow import arrow_schema
from firesteel.formats.codec import EncodeError, Encoder
from firesteel.formats.registry import make_encoder
from firesteel.kafka.partition import PartitionChooser, make_chooser
from firesteel.kafka.writer import Writer
from firesteel.options.partitioner import Partitioner
from firesteel.spark.failure import carry
from firesteel.spark.lowering import DELETE
from firesteel.types import Field

#: Delivery reports are let in after that many messages.
_POLL_EVERY = 10_000


@dataclass(frozen=True)
class WriteSpec:
    """All a worker needs to write a table."""

    table: str
    config: Mapping[str, str]
    topic: str
    value: BoundFormat
    key: BoundFormat | None
    fields: tuple[Field, ...]
    partitioner: Partitioner
    drop_nulls: bool = False
    #: DLI's `ignore-retraction`: what is to be taken back stays.
    ignore_deletes: bool = False


def make_batch_writer(spec: WriteSpec, on_written: Callable[[int, int], None]) -> Callable[[DataFrame, int], None]:
    """The function for `foreachBatch`; `on_written(batch, rows)` is told on the driver what each batch wrote."""

    def write(batch: DataFrame, batch_id: int) -> None:
        counts = batch.mapInArrow(_make_task(spec), "written long").collect()
        on_written(batch_id, sum(row.written for row in counts))

    return write


def _make_task(spec: WriteSpec) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            written = TableWriter(spec).write_all(batches)
        except FiresteelError as error:
            raise carry(error) from None
        yield pa.RecordBatch.from_arrays([pa.array([written], pa.int64())], names=["written"])

    return task


class TableWriter:
    """Writes the rows of one task."""

    def __init__(self, spec: WriteSpec) -> None:
        self.spec = spec
        self._schema = arrow_schema(spec.fields)
        self._value: Encoder = make_encoder(spec.value)
        self._key: Encoder | None = make_encoder(spec.key) if spec.key else None

    def write_all(self, batches: Iterable[pa.RecordBatch]) -> int:
        writer: Writer | None = None
        chooser: PartitionChooser | None = None
        written = 0
        for batch in batches:
            if batch.num_rows == 0:
                continue
            if writer is None:
                writer = Writer(self.spec.config)
                chooser = make_chooser(self.spec.partitioner, self.spec.config, self.spec.topic, _task_number())
            assert chooser is not None
            written += self._write(batch, writer, chooser)
        if writer is not None:
            writer.flush()
        return written

    def _write(self, batch: pa.RecordBatch, writer: Writer, chooser: PartitionChooser) -> int:
        deletes: list[bool] | None = None
        if DELETE in batch.schema.names:
            deletes = batch.column(DELETE).to_pylist()
        rows = batch.select([field.name for field in self.spec.fields])
        if rows.schema != self._schema:
            rows = rows.cast(self._schema)
        rows, deletes = self._enforce_not_null(rows, deletes)
        keys = self._encode(self._key, self.spec.key, rows) if self._key else [None] * rows.num_rows
        values = self._encode(self._value, self.spec.value, rows)
        topic = self.spec.topic
        for number, (key, value) in enumerate(zip(keys, values, strict=True)):
            if deletes is not None and deletes[number]:
                if self.spec.ignore_deletes:
                    continue
                value = None
            writer.write(topic, key, value, chooser(key, value))
            if number % _POLL_EVERY == 0:
                writer.poll()
        return len(values)

    def _encode(self, encoder: Any, bound: BoundFormat | None, rows: pa.RecordBatch) -> list[bytes | None]:
        assert bound is not None
        try:
            encoded: list[bytes | None] = encoder.encode(rows.select(list(bound.columns)))
            return encoded
        except EncodeError as error:
            raise JobError(f"A row cannot be written to '{self.spec.table}': {error.detail}") from None

    def _enforce_not_null(
        self, rows: pa.RecordBatch, deletes: list[bool] | None
    ) -> tuple[pa.RecordBatch, list[bool] | None]:
        for field in self.spec.fields:
            if field.type.nullable:
                continue
            column = rows.column(field.name)
            if not column.null_count:
                continue
            if not self.spec.drop_nulls:
                raise JobError(
                    f"The column '{field.name}' of '{self.spec.table}' is NOT NULL and a row has NULL in it.",
                    hint="Filter such rows out, or SET 'table.exec.sink.not-null-enforcer' = 'DROP' to drop them.",
                )
            kept = pc.is_valid(column)
            rows = rows.filter(kept)
            if deletes is not None:
                deletes = [delete for delete, keep in zip(deletes, kept.to_pylist(), strict=True) if keep]
        return rows, deletes


def _task_number() -> int:
    context = TaskContext.get()
    return context.partitionId() if context is not None else 0
