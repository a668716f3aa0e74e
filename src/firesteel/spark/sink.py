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
from firesteel.changelog import RowKind
from firesteel.errors import FiresteelError, JobError
from firesteel.formats.arrow import arrow_schema
from firesteel.formats.codec import EncodeError, Encoder
from firesteel.formats.registry import make_encoder
from firesteel.kafka.partition import PartitionChooser, make_chooser
from firesteel.kafka.position import Subscription
from firesteel.kafka.writer import Writer
from firesteel.options.partitioner import Partitioner
from firesteel.spark.destination import Destinations
from firesteel.spark.failure import carry
from firesteel.spark.kind import CODES, KIND
from firesteel.types import Field

#: Delivery reports are let in after that many messages.
_POLL_EVERY = 10_000


@dataclass(frozen=True)
class WriteSpec:
    """All a worker needs to write a table."""

    table: str
    config: Mapping[str, str]
    topics: Subscription
    value: BoundFormat
    key: BoundFormat | None
    fields: tuple[Field, ...]
    partitioner: Partitioner
    #: The columns that are written as metadata, each with its key.
    metadata: Mapping[str, str]
    #: Changes are written as upserts and tombstones of their key.
    upsert: bool = False
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
        self._destinations = Destinations(spec.table, spec.topics, spec.metadata)
        self._key_columns = frozenset(spec.key.columns if spec.key else ())

    def write_all(self, batches: Iterable[pa.RecordBatch]) -> int:
        writer: Writer | None = None
        chooser: PartitionChooser | None = None
        written = 0
        for batch in batches:
            if batch.num_rows == 0:
                continue
            if writer is None:
                writer = Writer(self.spec.config)
                chooser = make_chooser(self.spec.partitioner, self.spec.config, _task_number())
            assert chooser is not None
            written += self._write(batch, writer, chooser)
        if writer is not None:
            writer.flush()
        return written

    def _write(self, batch: pa.RecordBatch, writer: Writer, chooser: PartitionChooser) -> int:
        kinds = batch.column(KIND) if KIND in batch.schema.names else None
        rows = batch.select([field.name for field in self.spec.fields])
        if rows.schema != self._schema:
            rows = rows.cast(self._schema)
        rows, kinds = self._enforce_not_null(rows, kinds)
        keys: list[bytes | None] = [None] * rows.num_rows
        if self._key is not None:
            keys = self._encode(self._key, self.spec.key, rows, None)
        values = self._encode(self._value, self.spec.value, rows, kinds)
        chosen: Iterable[int] = range(len(values))
        if self.spec.upsert and kinds is not None:
            chosen = self._upserts(keys, values, kinds)
        destination = self._destinations.of(rows)
        written = 0
        for row in chosen:
            key, value = keys[row], values[row]
            topic, headers, timestamp = destination(row)
            writer.write(topic, key, value, chooser(key, value, topic), headers, timestamp)
            written += 1
            if written % _POLL_EVERY == 0:
                writer.poll()
        return written

    def _upserts(self, keys: list[bytes | None], values: list[bytes | None], kinds: pa.Array) -> list[int]:
        """Makes tombstones of what is taken back; the rows that are to be written."""
        codes = kinds.to_pylist()
        gone = (CODES[RowKind.UPDATE_BEFORE], CODES[RowKind.DELETE])
        for row, code in enumerate(codes):
            if code in gone:
                values[row] = None
        rows = list(range(len(codes)))
        if gone[0] in codes:
            # An old row is only there to be taken back before its new one comes: the last change of a key says it all.
            rows = list({keys[row]: row for row in rows}.values())
        return [row for row in rows if not (self.spec.ignore_deletes and codes[row] in gone)]

    def _encode(
        self, encoder: Any, bound: BoundFormat | None, rows: pa.RecordBatch, kinds: pa.Array | None
    ) -> list[bytes | None]:
        assert bound is not None
        try:
            encoded: list[bytes | None] = encoder.encode(rows.select(list(bound.columns)), kinds)
            return encoded
        except EncodeError as error:
            raise JobError(f"A row cannot be written to '{self.spec.table}': {error.detail}") from None

    def _enforce_not_null(self, rows: pa.RecordBatch, kinds: pa.Array | None) -> tuple[pa.RecordBatch, pa.Array | None]:
        for field in self.spec.fields:
            if field.type.nullable:
                continue
            column = rows.column(field.name)
            missing = pc.is_null(column)
            if self.spec.upsert and kinds is not None and field.name not in self._key_columns:
                # A tombstone carries its key and nothing else.
                missing = pc.and_(missing, pc.not_equal(kinds, CODES[RowKind.DELETE]))
            if not pc.any(missing).as_py():
                continue
            if not self.spec.drop_nulls:
                raise JobError(
                    f"The column '{field.name}' of '{self.spec.table}' is NOT NULL and a row has NULL in it.",
                    hint="Filter such rows out, or SET 'table.exec.sink.not-null-enforcer' = 'DROP' to drop them.",
                )
            kept = pc.invert(missing)
            rows = rows.filter(kept)
            kinds = kinds.filter(kept) if kinds is not None else None
        return rows, kinds


def _task_number() -> int:
    context = TaskContext.get()
    return context.partitionId() if context is not None else 0
