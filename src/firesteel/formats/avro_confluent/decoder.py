"""Decodes messages of `avro-confluent` to Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.avro.exact import BadRecord
from firesteel.formats.avro.fast import BlockReader, block_reader
from firesteel.formats.avro.schema import derive_schema
from firesteel.formats.avro_confluent.registry_client import RegistryClient, UnknownSchema
from firesteel.formats.avro_confluent.resolution import Mismatch, ResolvedReader
from firesteel.formats.avro_confluent.settings import from_options
from firesteel.formats.avro_confluent.table_schema import check_explicit_schema
from firesteel.formats.avro_confluent.writer_schema import BadSchema, WriterSchema
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import Decoded, Reason, Reject
from firesteel.formats.two_paths import Chunk, Fast, Rows, decode_block
from firesteel.types import Field

HEAD = 5
#: A block whose messages have more schemas than this is read record by record.
_MOST_SCHEMAS = 8


@dataclass(frozen=True)
class _Known:
    """The readers of one schema's records. `block` is None if only the exact reader can read them. `null` has the
    indexes of wanted columns that the writer's schema lacks.
    """

    reader: ResolvedReader
    block: BlockReader | None
    absent: tuple[int, ...] = ()


class ConfluentDecoder:
    """Decodes messages. Asks the registry for a schema when the first message with its number comes."""

    def __init__(self, bound: BoundFormat, columns: Sequence[str]) -> None:
        derive_schema(bound.fields)
        check_explicit_schema(bound)
        self._fields = bound.fields
        self._wanted = [bound.columns.index(name) for name in columns]
        self._schema = pa.schema([(name, arrow_type(bound.fields[bound.columns.index(name)].type)) for name in columns])
        self._client = RegistryClient(from_options(bound.options))
        self._known: dict[int, _Known | Reject] = {}

    def decode(self, values: Sequence[bytes | None]) -> Decoded:
        return self._decode(values, self._fast)

    def decode_exactly(self, values: Sequence[bytes | None]) -> Decoded:
        """Decodes by the exact path alone; `decode` must never differ from it."""
        return self._decode(values, None)

    def _decode(self, values: Sequence[bytes | None], fast: Fast | None) -> Decoded:
        present = [value for value in values if value is not None]
        indexes: Sequence[int] = range(len(values))
        if len(present) < len(values):
            indexes = [index for index, value in enumerate(values) if value is not None]
        return decode_block(indexes, present, len(values), self._schema, fast, self._read)

    def _fast(self, messages: Sequence[bytes]) -> Chunk | None:
        heads = [message[:HEAD] for message in messages]
        different = list(dict.fromkeys(heads))
        if len(different) > _MOST_SCHEMAS or any(len(head) < HEAD or head[0] for head in different):
            return None
        if len(different) == 1:
            arrays = self._block(different[0], messages)
            return None if arrays is None else Chunk(arrays)
        parts: list[list[pa.Array]] = []
        indexes: list[int] = []
        for head in different:
            own = [index for index, other in enumerate(heads) if other == head]
            found = self._block(head, [messages[index] for index in own])
            if found is None:
                return None
            parts.append(found)
            indexes += own
        back = pa.array(np.argsort(np.array(indexes, dtype=np.int64)))
        return Chunk([pa.concat_arrays(column).take(back) for column in zip(*parts, strict=True)])

    def _block(self, head: bytes, messages: Sequence[bytes]) -> list[pa.Array] | None:
        known = self._find(int.from_bytes(head[1:], "big"))
        if isinstance(known, Reject) or known.block is None:
            return None
        taken = known.block.read([message[HEAD:] for message in messages])
        if taken is None:
            return None
        arrays = list(taken.arrays)
        for index in known.absent:
            arrays.insert(index, pa.nulls(len(messages), self._schema.field(index).type))
        return arrays

    def _read(self, index: int, message: bytes, found: Rows) -> None:
        if len(message) < HEAD or message[0]:
            found.rejects.append(
                Reject(index, Reason.MALFORMED, "the message does not start with a zero byte and a schema's number")
            )
            return
        known = self._find(int.from_bytes(message[1:HEAD], "big"))
        if isinstance(known, Reject):
            found.rejects.append(Reject(index, known.reason, known.detail))
            return
        try:
            found.rows.append(known.reader.read(message, HEAD))
            found.origin.append(index)
        except BadRecord as error:
            found.rejects.append(Reject(index, error.reason, error.detail))

    def _find(self, number: int) -> _Known | Reject:
        if number not in self._known:
            try:
                self._known[number] = self._resolve(WriterSchema(self._client.schema(number)))
            except (UnknownSchema, BadSchema) as error:
                self._known[number] = Reject(0, Reason.MALFORMED, str(error))
            except Mismatch as error:
                self._known[number] = Reject(
                    0, Reason.BAD_VALUE, f"the schema {number} does not fit the table: {error}"
                )
        return self._known[number]

    def _resolve(self, schema: WriterSchema) -> _Known:
        reader = ResolvedReader(schema, self._fields, self._wanted)
        written = schema.fields(schema.root)
        names = [name for name, _ in written]
        fields: list[Field] = []
        for name, node in written:
            own = next((self._fields[index] for index in self._wanted if self._fields[index].name == name), None)
            if own is not None:
                if not schema.has_bytes_of(node, own.type):
                    return _Known(reader, None)
                fields.append(own)
                continue
            found = schema.data_type(node, meaning=False)
            if found is None:
                return _Known(reader, None)
            fields.append(Field(name, found))
        wanted = [self._fields[index].name for index in self._wanted]
        absent = tuple(index for index, name in enumerate(wanted) if name not in names)
        indexes = [names.index(name) for name in wanted if name in names]
        if len(set(names)) < len(names) or not fields:
            return _Known(reader, None)
        return _Known(reader, block_reader(fields, indexes, legacy=True), absent)
