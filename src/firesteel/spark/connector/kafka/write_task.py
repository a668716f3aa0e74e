"""The sink's rows: a task encodes them to messages and, where every task may write, writes them.

How a batch is finished is `spark/sink/at_least_once.py`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from firesteel.changelog.hidden import CODES, KIND
from firesteel.changelog.kind import RowKind
from firesteel.connectors.kafka.offset import Subscription
from firesteel.connectors.kafka.partitioner import Partitioner
from firesteel.connectors.kafka.write.choose_partition import make_chooser
from firesteel.connectors.kafka.write.outgoing import Outgoing
from firesteel.connectors.kafka.write.writer import RefusedError, kept_writer
from firesteel.errors import FiresteelError, JobError
from firesteel.formats.bound import BoundFormat
from firesteel.formats.builtin import make_encoder
from firesteel.formats.codec import EncodeError, Encoder
from firesteel.spark.connector.kafka.destination import Destinations
from firesteel.spark.connector.kafka.last_change import last_changes
from firesteel.spark.failure import carry
from firesteel.spark.fault import FaultFile, reach
from firesteel.spark.sink.checked_rows import CheckedRows
from firesteel.spark.sink.net_change import net_changes
from firesteel.spark.task import batch_number, task_number
from firesteel.types import Field

#: Gathered changes go on in blocks of so many.
_BLOCK = 10_000


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
    #: Changes come in no order: a row that goes as often as it comes has not changed.
    net: bool = False
    #: `sink.delivery-guarantee` = `none`: what the broker refuses is lost, and the job goes on.
    lossy: bool = False
    #: DLI's `ignore-retraction`: what is to be taken back stays.
    ignore_deletes: bool = False
    #: Text and bytes that do not fit their column's length stop the job.
    check_lengths: bool = False
    #: DLI's `retract`: each change is written, the old row as a null value of its key before the new one.
    retract: bool = False
    #: How many keys a task gathers, to write only the last change of each; 0: none.
    gathered_keys: int = 0
    #: How many tasks write; None: as many as there are.
    tasks: int | None = None


def make_write_task(
    spec: WriteSpec, faults: FaultFile | None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """For `mapInArrow`: writes the rows of one task and gives back a `WRITTEN_ROW`."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        written, failure = 0, None
        try:
            written = _write_all(spec, batches)
            if faults is not None:
                reach(faults.read(), "m6", batch_number())
        except RefusedError as error:
            if not error.is_final:
                raise carry(error) from None
            # Raised here, Spark would try the task again, and again.
            failure = str(carry(error))
        except FiresteelError as error:
            raise carry(error) from None
        told = [pa.array([written], pa.int64()), pa.array([failure], pa.string())]
        yield pa.RecordBatch.from_arrays(told, names=["written", "failure"])

    return task


def _write_all(spec: WriteSpec, batches: Iterable[pa.RecordBatch]) -> int:
    """`flush` returns when every message is on the broker: only then is the task done."""
    blocks = RowEncoder(spec).encode_all(batches)
    first = next(blocks, None)
    if first is None:
        return 0
    written = 0
    with kept_writer(spec.config, lossy=spec.lossy) as writer:
        for block in chain((first,), blocks):
            writer.write_all(block)
            written += len(block)
        writer.flush()
    return written


class RowEncoder(CheckedRows[WriteSpec]):
    """Makes messages of the rows of one task."""

    def __init__(self, spec: WriteSpec) -> None:
        super().__init__(spec, key_columns=spec.key.columns if spec.key and spec.upsert else ())
        self._value: Encoder = make_encoder(spec.value)
        self._key: Encoder | None = make_encoder(spec.key) if spec.key else None
        self._destinations = Destinations(spec.table, spec.topics, spec.metadata)
        self._choose = make_chooser(spec.partitioner, spec.config, task_number())

    def encode_all(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Outgoing]:
        blocks = (block for batch in self._gathered(batches) if len(block := self.encode(batch)))
        if not self.spec.gathered_keys:
            yield from blocks
            return
        messages = last_changes((one for block in blocks for one in block.messages()), self.spec.gathered_keys)
        while kept := list(islice(messages, _BLOCK)):
            yield Outgoing.of(kept)

    def _gathered(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches that are to be encoded: those that have rows, or one with the net of all their changes."""
        filled = (batch for batch in batches if batch.num_rows)
        if not self.spec.net:
            yield from filled
            return
        whole = list(filled)
        if whole:
            yield self._net(pa.Table.from_batches(whole).combine_chunks().to_batches()[0])

    def _net(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        rows = self._typed(batch)
        keys: list[bytes | None] = [None] * rows.num_rows
        if self._key is not None:
            keys = self._encode(self._key, self.spec.key, rows, None)
        # Encoded alike, whether it comes or goes, a row is known by its bytes, of whatever types it is.
        values = self._encode(self._value, self.spec.value, rows, None)
        by_key = self.spec.upsert and not self.spec.retract
        changes = net_changes(keys, values, batch.column(KIND).to_pylist(), by_key=by_key)
        kept = batch.take(pa.array([change.row for change in changes], pa.int64()))
        kinds = pa.array([CODES[change.kind] for change in changes], pa.int8())
        return kept.set_column(kept.schema.get_field_index(KIND), KIND, kinds)

    def encode(self, batch: pa.RecordBatch) -> Outgoing:
        kinds = batch.column(KIND) if KIND in batch.schema.names else None
        rows, kinds = self.checked(batch, kinds)
        keys: list[bytes | None] | None = None
        if self._key is not None:
            keys = self._encode(self._key, self.spec.key, rows, None)
        values = self._encode(self._value, self.spec.value, rows, kinds)
        chosen: list[int] | None = None
        if self.spec.upsert and kinds is not None:
            chosen = self._upserts(keys or [None] * len(values), values, kinds)
        where = self._destinations
        block = Outgoing(
            where.topics(rows), values, keys, headers=where.headers(rows), timestamps=where.timestamps(rows)
        )
        if chosen is not None and len(chosen) < len(values):
            block = block.take(chosen)
        if self._choose is None:
            return block
        partitions = [self._choose(message.key, message.value, message.topic) for message in block.messages()]
        return replace(block, partitions=partitions)

    def _upserts(self, keys: list[bytes | None], values: list[bytes | None], kinds: pa.Array) -> list[int]:
        """Makes tombstones of what is taken back; the rows that are to be written."""
        codes = kinds.to_pylist()
        gone = (CODES[RowKind.UPDATE_BEFORE], CODES[RowKind.DELETE])
        for row, code in enumerate(codes):
            if code in gone:
                values[row] = None
        rows = list(range(len(codes)))
        if gone[0] in codes and not self.spec.retract:
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
