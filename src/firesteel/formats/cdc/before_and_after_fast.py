"""Reads the row before and the row after a change, for a whole block of messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.formats.cdc.debezium_cut import Cutter
from firesteel.formats.cdc.envelope import Change, ImageEnvelope
from firesteel.formats.cdc.expand import Mask, Numbers, Words, expand
from firesteel.formats.cdc.metadata import Item
from firesteel.formats.cdc.wire_schema import MemberReader, readable
from firesteel.formats.json.arrow_wire import WireColumn, WireRules, wire_columns, wire_struct
from firesteel.formats.json.fast import TableReader, finish, one_chunk
from firesteel.formats.two_paths import Chunk
from firesteel.types import Field

#: After so many chunks in a row that could not be cut, cutting is not tried any more.
_MOST_UNCUT = 8
#: With fewer messages cutting saves no time.
_FEWEST_CUT = 2


class ImageBlock:
    def __init__(
        self, envelope: ImageEnvelope, columns: Sequence[WireColumn], image: pa.StructType, items: Sequence[Item]
    ) -> None:
        self._envelope = envelope
        self._columns = columns
        self._items = items
        self._words = Words(envelope.changes)
        rows = {envelope.before: image, envelope.after: image, envelope.operation: pa.string()}
        self._members = MemberReader(rows, items, envelope.payload)
        self._cutter: Cutter | None = None
        if not items and envelope.payload is None and image.num_fields:
            self._cutter = Cutter(envelope.operation, envelope.changes)
            self._rows = TableReader(pa.schema(list(image)))
        self._uncut = 0

    def read(self, messages: Sequence[bytes]) -> Chunk | None:
        if self._cutter is not None and self._uncut < _MOST_UNCUT and len(messages) >= _FEWEST_CUT:
            taken = self._read_cut(self._cutter, messages)
            if taken is not None:
                self._uncut = 0
                return taken
            self._uncut += 1
        return self._read_whole(messages)

    def _read_cut(self, cutter: Cutter, messages: Sequence[bytes]) -> Chunk | None:
        cut = cutter.cut(messages)
        table = None if cut is None else self._rows.read_lines(cut.rows, cut.lengths)
        if cut is None or table is None or self._lacks(cut.changes, cut.has_before, cut.has_after):
            return None
        rows = expand(cut.changes)
        take = None
        if len(cut.lengths) > len(messages) or not (rows.after == cut.has_after[rows.change]).all():
            # The line of each row: all lines of earlier messages come first, and its own `before` if it is an `after`.
            lines = np.cumsum(cut.has_before.astype(np.int64) + cut.has_after) - cut.has_before - cut.has_after
            take = pa.array(lines[rows.change] + (rows.after & cut.has_before[rows.change]))
        arrays: list[pa.Array] = []
        for index, column in enumerate(self._columns):
            array = finish(column, one_chunk(table.column(index)))
            if array is None:
                return None
            arrays.append(array if take is None else array.take(take))
        return Chunk(arrays, rows.change.astype(np.int32), rows.kinds)

    def _lacks(self, changes: Numbers, has_before: Mask, has_after: Mask) -> bool:
        """Checks whether a row that a change needs is missing. The exact reader then refuses the message."""
        return bool(
            ((changes != Change.INSERT.value) & ~has_before).any()
            or ((changes != Change.DELETE.value) & ~has_after).any()
        )

    def _read_whole(self, messages: Sequence[bytes]) -> Chunk | None:
        members = self._members.read(messages)
        if members is None:
            return None
        changes = self._words.changes(members[self._envelope.operation])
        if changes is None:
            return None
        before, after = members[self._envelope.before], members[self._envelope.after]
        has_before, has_after = np.asarray(before.is_valid()), np.asarray(after.is_valid())
        if self._lacks(changes, has_before, has_after):
            return None
        rows = expand(changes)
        # Flink reads both rows of every message, also where one gives no row.
        count = len(messages)
        only_after = not has_before.any() and bool(rows.after.all())
        take = None if only_after else pa.array(rows.change + count * rows.after)
        arrays: list[pa.Array] = []
        for column, *images in zip(self._columns, before.flatten(), after.flatten(), strict=True):
            array = finish(column, images[1] if only_after else pa.concat_arrays(images))
            if array is None:
                return None
            arrays.append(array if take is None else array.take(take))
        change = rows.change.astype(np.int32)
        for item in self._items:
            array = members.metadata(item)
            if array is None:
                return None
            arrays.append(array if len(change) == count else array.take(pa.array(change)))
        return Chunk(arrays, change, rows.kinds)


def image_block(
    envelope: ImageEnvelope, fields: Sequence[Field], items: Sequence[Item], rules: WireRules
) -> ImageBlock | None:
    """Makes the reader of a block. Returns None if a column or a metadata key needs the exact reader."""
    columns = wire_columns(fields, rules)
    if columns is None or not readable(items):
        return None
    return ImageBlock(envelope, columns, wire_struct(fields, columns), items)
