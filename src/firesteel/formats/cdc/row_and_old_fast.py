"""Reads the row and the old values of its changed columns, for a whole block of messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.cdc.envelope import Change, DataEnvelope
from firesteel.formats.cdc.expand import Mask, Numbers, Words, expand
from firesteel.formats.cdc.metadata import Item
from firesteel.formats.cdc.row_and_old import member_names
from firesteel.formats.cdc.wire_schema import MemberReader, Members, readable
from firesteel.formats.json.arrow_wire import WireColumn, WireRules, wire_columns, wire_struct
from firesteel.formats.json.fast import TableReader, finish, one_chunk
from firesteel.formats.two_paths import Chunk
from firesteel.types import Field

_NAME = rb'"[^"\\]*+"'
_VALUE = rb'(?:"[^"\\]*+"|[-+.0-9eE]++|true|false)'
_ROW = rb"\{(?:" + _NAME + rb":" + _VALUE + rb",?)*+\}"
#: `old` with rows of scalar values and without any null, as most updates have it.
_PLAIN_OLD = {True: re.compile(rb'"old":\[(?:' + _ROW + rb",?)*+\]"), False: re.compile(rb'"old":' + _ROW)}
#: The beginning of escapes, some of which spell a letter of `old`.
_SPELLED = rb"\u006"


@dataclass(frozen=True)
class _Rows:
    """All rows of a block. `message` is the index of each row's message; `old` has the rows of the updates only."""

    data: list[pa.Array]
    old: list[pa.Array]
    message: Numbers
    changes: Numbers


class DataBlock:
    def __init__(
        self,
        envelope: DataEnvelope,
        fields: Sequence[Field],
        columns: Sequence[WireColumn],
        items: Sequence[Item],
    ) -> None:
        self._envelope = envelope
        self._names = [field.name for field in fields]
        self._columns = columns
        self._items = items
        self._words = Words(envelope.changes)
        row = wire_struct(fields, columns)
        kind = pa.list_(row) if envelope.many else row
        self._members = MemberReader(
            {envelope.data: kind, envelope.old: kind, envelope.operation: pa.string()}, items, None
        )

    def read(self, messages: Sequence[bytes]) -> Chunk | None:
        members = self._members.read(messages)
        found = None if members is None else self._rows(members)
        if members is None or found is None:
            return None
        rows = expand(found.changes)
        arrays = self._arrays(messages, found, rows.change, rows.after)
        if arrays is None:
            return None
        origin = found.message[rows.change].astype(np.int32)
        for item in self._items:
            array = members.metadata(item)
            if array is None:
                return None
            arrays.append(array.take(pa.array(origin)))
        return Chunk(arrays, origin, rows.kinds)

    def _rows(self, members: Members) -> _Rows | None:
        changes = self._words.changes(members[self._envelope.operation])
        if changes is None:
            return None
        data, old = members[self._envelope.data], members[self._envelope.old]
        none, update = changes == Change.NONE.value, changes == Change.UPDATE.value
        # A needed row is missing, or there is one too many: the exact reader decides what that means.
        if (np.asarray(data.is_null()) & ~none).any() or (np.asarray(old.is_null()) & update).any():
            return None
        if self._envelope.many:
            data_counts, old_counts = _counts(data), _counts(old)
            data, old = data.flatten(), old.flatten()
        else:
            data_counts, old_counts = (np.asarray(array.is_valid()).astype(np.int64) for array in (data, old))
            data, old = data.drop_null(), old.drop_null()
        if data_counts[none].any() or (np.where(update, data_counts, 0) != old_counts).any():
            return None
        if data.null_count or old.null_count:
            return None
        message = np.repeat(np.arange(len(changes)), data_counts)
        return _Rows(data.flatten(), old.flatten(), message, changes[message])

    def _arrays(self, messages: Sequence[bytes], found: _Rows, change: Numbers, after: Mask) -> list[pa.Array] | None:
        count = len(found.message)
        update = np.flatnonzero(found.changes == Change.UPDATE.value)
        updated = found.message[update]
        named = _named_nulls(messages, updated, self._envelope.many)
        if named is None:
            return None
        # The index of the old values of each row.
        old_index = np.zeros(count, dtype=np.int64)
        old_index[update] = np.arange(len(update))
        before = ~after & (found.changes == Change.UPDATE.value)[change]
        arrays: list[pa.Array] = []
        for name, column, data, old in zip(self._names, self._columns, found.data, found.old, strict=True):
            array = finish(column, pa.concat_arrays([data, old]) if len(update) else data)
            if array is None:
                return None
            if not len(update):
                arrays.append(array)
                continue
            given = np.asarray(old.is_valid())
            taken = change.copy()
            rows = change[before]
            old_rows = old_index[rows]
            # The old value is NULL if the column counts as changed: it is named in the `old` of this message, in this
            # row or another.
            known = np.zeros(len(messages), dtype=np.bool_)
            known[updated[given]] = True
            known[[index for index, names in named.items() if name in names]] = True
            taken[before] = np.where(given[old_rows] | known[found.message[rows]], count + old_rows, rows)
            arrays.append(array.take(pa.array(taken)))
        return arrays


class EitherBlock:
    """Reads blocks whose values are all JSON strings, or are not, depending on the writer. Tries first the form that
    worked last time.
    """

    def __init__(self, blocks: Sequence[DataBlock]) -> None:
        self._blocks = list(blocks)

    def read(self, messages: Sequence[bytes]) -> Chunk | None:
        for index, block in enumerate(self._blocks):
            chunk = block.read(messages)
            if chunk is not None:
                self._blocks.insert(0, self._blocks.pop(index))
                return chunk
        return None


class FilteredBlock:
    """Reads the members that the filters need first, and then only the messages that pass."""

    def __init__(
        self, block: EitherBlock, filters: Mapping[str, re.Pattern[str]], results: Sequence[pa.DataType]
    ) -> None:
        self._block = block
        self._results = results
        self._filters = filters
        self._table = TableReader(pa.schema([(member, pa.string()) for member in filters]))

    def read(self, messages: Sequence[bytes]) -> Chunk | None:
        table = self._table.read(messages)
        if table is None:
            return None
        passes = np.ones(len(messages), dtype=np.bool_)
        for index, pattern in enumerate(self._filters.values()):
            texts = one_chunk(table.column(index))
            if texts.null_count:
                return None
            # Values repeat: match each distinct one once.
            encoded = texts.dictionary_encode()
            matches = np.array([bool(pattern.fullmatch(text)) for text in encoded.dictionary.to_pylist()])
            passes &= matches[encoded.indices.to_numpy(zero_copy_only=False)]
        kept = np.flatnonzero(passes)
        if not len(kept):
            nothing = [pa.array([], result) for result in self._results]
            return Chunk(nothing, np.empty(0, np.int32), np.empty(0, np.int8))
        if len(kept) == len(messages):
            return self._block.read(messages)
        chunk = self._block.read([messages[index] for index in kept.tolist()])
        if chunk is None or chunk.origin is None:
            return None
        return replace(chunk, origin=kept.astype(np.int32)[chunk.origin])


def data_block(
    envelope: DataEnvelope, fields: Sequence[Field], items: Sequence[Item], rules: Sequence[WireRules]
) -> EitherBlock | None:
    """Makes the reader of a block. Returns None if a column or a metadata key needs the exact reader."""
    if not readable(items):
        return None
    blocks: list[DataBlock] = []
    for rule in rules:
        columns = wire_columns(fields, rule)
        if columns is not None:
            blocks.append(DataBlock(envelope, fields, columns, items))
    return EitherBlock(blocks) if blocks else None


def _counts(lists: pa.Array) -> Numbers:
    counts: Numbers = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return counts


def _named_nulls(messages: Sequence[bytes], updated: Numbers, many: bool) -> dict[int, set[str]] | None:
    """Finds the names in `old` for the updates whose `old` may have a column that is null. Returns None if that cannot
    be decided.
    """
    named: dict[int, set[str]] = {}
    plain = _PLAIN_OLD[many]
    for index in np.unique(updated).tolist():
        message = messages[index]
        start = message.find(b'"old"')
        # `old` occurs only once, so it is the member and not part of another value.
        spelled = b"\\" in message and _SPELLED in message
        if message.rfind(b'"old"') == start and not spelled and plain.match(message, start):
            continue
        try:
            tree = orjson.loads(message)
        except orjson.JSONDecodeError:
            return None
        named[index] = set(member_names(tree.get("old")))
    return named
