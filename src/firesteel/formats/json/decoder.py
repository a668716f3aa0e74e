"""Decodes JSON messages to Arrow."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import Decoded, Reject
from firesteel.formats.json.exact import BadMessage, RowReader
from firesteel.formats.json.fast import block_reader
from firesteel.formats.json.settings import from_options
from firesteel.formats.json.tree_row import TreeRowReader
from firesteel.formats.two_paths import Rows, decode_present


class JsonDecoder:
    def __init__(self, bound: BoundFormat, columns: Sequence[str]) -> None:
        settings = from_options(bound.options)
        wanted = [bound.fields[bound.columns.index(name)] for name in columns]
        self._column = {field.name: name for field, name in zip(wanted, columns, strict=True)}
        self._schema = pa.schema([(self._column[field.name], arrow_type(field.type)) for field in wanted])
        reader = TreeRowReader if settings.tree else RowReader
        self._reader = reader(wanted, settings, bound.fields)
        self._ignore = settings.ignore_parse_errors
        self._block = block_reader(wanted, settings, bound.fields)

    def decode(self, values: Sequence[bytes | None]) -> Decoded:
        return decode_present(values, self._schema, None if self._block is None else self._block.read, self._read)

    def decode_exactly(self, values: Sequence[bytes | None]) -> Decoded:
        """Decodes by the exact path alone; `decode` must never differ from it."""
        return decode_present(values, self._schema, None, self._read)

    def _read(self, index: int, message: bytes, found: Rows) -> None:
        try:
            rows, bad = self._reader.read(message)
        except BadMessage as error:
            column = None if error.column is None else self._column.get(error.column, error.column)
            found.rejects.append(Reject(index, error.reason, error.detail, column))
            return
        found.rows += rows
        found.origin += [index] * len(rows)
        for field in bad:
            column = None if field.column is None else self._column.get(field.column, field.column)
            found.rejects.append(Reject(index, field.reason, field.detail, column, kept=bool(rows)))
