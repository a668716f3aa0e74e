"""Encodes the rows of one task to messages: their types checked, changes as the table writes them, each with its destination."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pyarrow as pa

from firesteel.changelog.hidden import CODES, KIND
from firesteel.changelog.kind import RowKind
from firesteel.connectors.kafka.write.choose_partition import make_chooser
from firesteel.connectors.kafka.write.outgoing import Outgoing
from firesteel.errors import JobError
from firesteel.formats.bound import BoundFormat
from firesteel.formats.builtin import make_encoder
from firesteel.formats.codec import EncodeError, Encoder
from firesteel.spark.connector.kafka.destination import Destinations
from firesteel.spark.connector.kafka.last_change import last_changes
from firesteel.spark.connector.kafka.write_spec import WriteSpec
from firesteel.spark.sink.checked_rows import CheckedRows
from firesteel.spark.sink.net_change import net_changes
from firesteel.spark.task import task_number

#: Gathered changes go on in blocks of so many.
_BLOCK = 10_000


class RowEncoder(CheckedRows):
    """Makes messages of the rows of one task."""

    def __init__(self, spec: WriteSpec) -> None:
        encoding, target = spec.encoding, spec.target
        key_columns = encoding.key.columns if encoding.key and spec.changes.upsert else ()
        super().__init__(spec.columns, key_columns)
        self._rule = spec.changes
        self._encoding = encoding
        self._value: Encoder = make_encoder(encoding.value)
        self._key: Encoder | None = make_encoder(encoding.key) if encoding.key else None
        self._destinations = Destinations(spec.columns.table, target.topics, encoding.metadata)
        self._choose = make_chooser(target.partitioner, target.config, task_number())

    def encode_all(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Outgoing]:
        blocks = (block for batch in self._gathered(batches) if len(block := self.encode(batch)))
        if not self._rule.gathered_keys:
            yield from blocks
            return
        messages = last_changes((one for block in blocks for one in block.messages()), self._rule.gathered_keys)
        while kept := list(islice(messages, _BLOCK)):
            yield Outgoing.of(kept)

    def _gathered(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Gives the batches that are to be encoded: those that have rows, or one with the net changes of all."""
        filled = (batch for batch in batches if batch.num_rows)
        if not self._rule.net:
            yield from filled
            return
        whole = list(filled)
        if whole:
            yield self._net(pa.Table.from_batches(whole).combine_chunks().to_batches()[0])

    def _net(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        rows = self._typed(batch)
        keys: list[bytes | None] = [None] * rows.num_rows
        if self._key is not None:
            keys = self._encode(self._key, self._encoding.key, rows, None)
        # Encoded alike, whether it is inserted or retracted, a row is known by its bytes, of whatever types it is.
        values = self._encode(self._value, self._encoding.value, rows, None)
        by_key = self._rule.upsert and not self._rule.retract
        changes = net_changes(keys, values, batch.column(KIND).to_pylist(), by_key=by_key)
        kept = batch.take(pa.array([change.row for change in changes], pa.int64()))
        kinds = pa.array([CODES[change.kind] for change in changes], pa.int8())
        return kept.set_column(kept.schema.get_field_index(KIND), KIND, kinds)

    def encode(self, batch: pa.RecordBatch) -> Outgoing:
        kinds = batch.column(KIND) if KIND in batch.schema.names else None
        rows, kinds = self.checked(batch, kinds)
        keys: list[bytes | None] | None = None
        if self._key is not None:
            keys = self._encode(self._key, self._encoding.key, rows, None)
        values = self._encode(self._value, self._encoding.value, rows, kinds)
        chosen: list[int] | None = None
        if self._rule.upsert and kinds is not None:
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
        """Makes tombstones of retracted rows, and gives the rows that are to be written."""
        codes = kinds.to_pylist()
        gone = (CODES[RowKind.UPDATE_BEFORE], CODES[RowKind.DELETE])
        for row, code in enumerate(codes):
            if code in gone:
                values[row] = None
        rows = list(range(len(codes)))
        if gone[0] in codes and not self._rule.retract:
            # An old row is only there to be retracted before its new one comes: the last change of a key says it all.
            rows = list({keys[row]: row for row in rows}.values())
        return [row for row in rows if not (self._rule.ignore_deletes and codes[row] in gone)]

    def _encode(
        self, encoder: Any, bound: BoundFormat | None, rows: pa.RecordBatch, kinds: pa.Array | None
    ) -> list[bytes | None]:
        assert bound is not None
        try:
            encoded: list[bytes | None] = encoder.encode(rows.select(list(bound.columns)), kinds)
            return encoded
        except EncodeError as error:
            raise JobError(f"A row cannot be written to '{self.columns.table}': {error.detail}") from None
