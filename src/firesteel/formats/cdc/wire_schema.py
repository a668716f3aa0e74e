"""Builds the Arrow schema of the members of an envelope that a table reads, and finds each part in what Arrow has read."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel.formats.cdc.metadata import Item
from firesteel.formats.json.arrow_wire import WireColumn
from firesteel.formats.json.fast import TableReader, finish, one_chunk


class Members:
    """The members that Arrow has read, each as one array."""

    def __init__(self, inside: dict[str, pa.Array], outside: dict[str, pa.Array]) -> None:
        self._inside = inside
        self._outside = outside

    def __getitem__(self, name: str) -> pa.Array:
        return self._inside[name]

    def metadata(self, item: Item) -> pa.Array | None:
        array = (self._outside if item.outside else self._inside)[item.member]
        if item.entry is not None:
            array = array.flatten()[array.type.get_field_index(item.entry)]
        assert item.wire is not None
        return finish(WireColumn(item.wire, item.finish), array)


class MemberReader:
    def __init__(self, rows: dict[str, pa.DataType], items: Sequence[Item], payload: str | None) -> None:
        inside = rows | _wire([item for item in items if not item.outside])
        outside = _wire([item for item in items if item.outside])
        self._payload = payload
        self._inside = list(inside)
        self._outside = list(outside)
        fields = [pa.field(name, kind) for name, kind in inside.items()]
        if payload is not None:
            fields = [pa.field(payload, pa.struct(fields))]
        fields += [pa.field(name, kind) for name, kind in outside.items()]
        self._table = TableReader(pa.schema(fields))

    def read(self, messages: Sequence[bytes]) -> Members | None:
        table = self._table.read(messages)
        if table is None:
            return None
        columns = [one_chunk(column) for column in table.columns]
        inside = columns[0].flatten() if self._payload is not None else columns[: len(self._inside)]
        outside = columns[len(columns) - len(self._outside) :]
        return Members(dict(zip(self._inside, inside, strict=True)), dict(zip(self._outside, outside, strict=True)))


def readable(items: Sequence[Item]) -> bool:
    """Checks whether Arrow can read all items."""
    return all(item.wire is not None for item in items)


def _wire(items: Sequence[Item]) -> dict[str, pa.DataType]:
    """Maps each member to its Arrow type. Items that select entries of the same member share it."""
    entries: dict[str, dict[str, pa.DataType]] = {}
    wires: dict[str, pa.DataType] = {}
    for item in items:
        if item.entry is None:
            wires[item.member] = item.wire
        else:
            entries.setdefault(item.member, {})[item.entry] = item.wire
    return wires | {member: pa.struct(list(inner.items())) for member, inner in entries.items()}
