"""Avro messages to Arrow."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.avro import options as rows
from firesteel.formats.avro.exact import BadRecord, RecordReader
from firesteel.formats.avro.fast import block_reader
from firesteel.formats.avro.json_exact import JsonRecordReader
from firesteel.formats.avro.schema import derive_schema
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import Decoded, Reject
from firesteel.formats.two_paths import Fast, Rows, decode_block


class AvroDecoder:
    def __init__(self, bound: BoundFormat, columns: Sequence[str]) -> None:
        legacy = bound.options.get(rows.TIMESTAMP_MAPPING_LEGACY) is not False
        derive_schema(bound.fields, legacy)
        wanted = [bound.columns.index(name) for name in columns]
        self._columns = bound.columns
        self._schema = pa.schema([(bound.columns[index], arrow_type(bound.fields[index].type)) for index in wanted])
        self._reader: RecordReader | JsonRecordReader
        if bound.options.get(rows.ENCODING) is rows.Encoding.JSON:
            self._reader, self._block = JsonRecordReader(bound.fields, wanted, legacy), None
        else:
            self._reader = RecordReader(bound.fields, wanted, legacy)
            self._block = block_reader(bound.fields, wanted, legacy)

    def decode(self, values: Sequence[bytes | None]) -> Decoded:
        return self._decode(values, None if self._block is None else self._block.read)

    def decode_exactly(self, values: Sequence[bytes | None]) -> Decoded:
        """Decodes by the exact path alone; `decode` must never differ from it."""
        return self._decode(values, None)

    def _decode(self, values: Sequence[bytes | None], fast: Fast | None) -> Decoded:
        present = [value for value in values if value is not None]
        if len(present) == len(values):
            indexes: Sequence[int] = range(len(values))
        else:
            indexes = [index for index, value in enumerate(values) if value is not None]
        return decode_block(indexes, present, len(values), self._schema, fast, self._read)

    def _read(self, index: int, message: bytes, found: Rows) -> None:
        try:
            found.rows.append(self._reader.read(message))
            found.origin.append(index)
        except BadRecord as error:
            column = None if error.index is None else self._columns[error.index]
            found.rejects.append(Reject(index, error.reason, error.detail, column))
