"""Decodes CSV messages to Arrow."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import Decoded, Reason, Reject
from firesteel.formats.csv.exact import BadLine, LineReader
from firesteel.formats.csv.fast import block_reader
from firesteel.formats.csv.settings import from_options
from firesteel.formats.two_paths import Rows, decode_present


class CsvDecoder:
    def __init__(self, bound: BoundFormat, columns: Sequence[str]) -> None:
        settings = from_options(bound.options)
        wanted = [bound.columns.index(name) for name in columns]
        self._columns = bound.columns
        self._schema = pa.schema([(bound.columns[index], arrow_type(bound.fields[index].type)) for index in wanted])
        self._reader = LineReader(bound.fields, wanted, settings)
        self._block = block_reader(bound.fields, wanted, settings)

    def decode(self, values: Sequence[bytes | None]) -> Decoded:
        return decode_present(values, self._schema, None if self._block is None else self._block.read, self._read)

    def decode_exactly(self, values: Sequence[bytes | None]) -> Decoded:
        """Decodes by the exact path alone; `decode` must never differ from it."""
        return decode_present(values, self._schema, None, self._read)

    def _read(self, index: int, message: bytes, found: Rows) -> None:
        try:
            row, bad = self._reader.read(message)
        except BadLine as error:
            name = None if error.index is None else self._columns[error.index]
            found.rejects.append(Reject(index, error.reason, error.detail, name))
            return
        if row is not None:
            found.rows.append(row)
            found.origin.append(index)
        found.rejects += [
            Reject(index, Reason.BAD_VALUE, detail, self._columns[column], kept=True) for column, detail in bad
        ]
