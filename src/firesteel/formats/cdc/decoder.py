"""Decodes changelog messages to Arrow, with the kind of each row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.bound import BoundFormat
from firesteel.formats.cdc.message import Changed, metadata_name
from firesteel.formats.cdc.metadata import Item
from firesteel.formats.codec import Decoded, Reject
from firesteel.formats.json.exact import BadMessage
from firesteel.formats.two_paths import Fast, Rows, decode_present
from firesteel.types import Field


def wanted_fields(bound: BoundFormat, columns: Sequence[str]) -> list[Field]:
    return [bound.fields[bound.columns.index(name)] for name in columns]


class ChangelogDecoder:
    """Decodes with `read`, the exact path, and `fast`, the fast path. Both give the table's columns, then the metadata's."""

    def __init__(
        self,
        bound: BoundFormat,
        columns: Sequence[str],
        metadata: Mapping[str, str],
        items: Sequence[Item],
        read: Callable[[bytes], Changed],
        fast: Fast | None,
    ) -> None:
        fields = wanted_fields(bound, columns)
        self._columns = {field.name: name for field, name in zip(fields, columns, strict=True)}
        self._columns |= {metadata_name(index): name for index, name in enumerate(metadata)}
        named = [(name, arrow_type(field.type)) for name, field in zip(columns, fields, strict=True)]
        named += [(name, arrow_type(item.result)) for name, item in zip(metadata, items, strict=True)]
        self._schema = pa.schema(named)
        self._reader = read
        self._fast = fast

    def decode(self, values: Sequence[bytes | None]) -> Decoded:
        return decode_present(values, self._schema, self._fast, self._read, changelog=True)

    def decode_exactly(self, values: Sequence[bytes | None]) -> Decoded:
        """Decodes by the exact path alone; `decode` must never differ from it."""
        return decode_present(values, self._schema, None, self._read, changelog=True)

    def _read(self, index: int, message: bytes, found: Rows) -> None:
        try:
            changed = self._reader(message)
        except BadMessage as error:
            column = None if error.column is None else self._columns.get(error.column, error.column)
            found.rejects.append(Reject(index, error.reason, error.detail, column))
            return
        for kind, row in changed.rows:
            found.rows.append(row + changed.metadata)
            found.origin.append(index)
            found.kinds.append(kind)
        for bad in changed.bad:
            column = None if bad.column is None else self._columns.get(bad.column, bad.column)
            found.rejects.append(Reject(index, bad.reason, bad.detail, column, kept=True))
