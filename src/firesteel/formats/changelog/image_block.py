"""The row before and the row after, for a whole block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.formats.block import Stretch
from firesteel.formats.changelog.envelope import Change, ImageEnvelope
from firesteel.formats.changelog.expand import Words, expand
from firesteel.formats.changelog.members import MemberReader, readable
from firesteel.formats.changelog.metadata import Item
from firesteel.formats.json.block import finish
from firesteel.formats.json.wire import WireColumn, WireRules, wire_columns, wire_struct
from firesteel.types import Field


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

    def read(self, messages: Sequence[bytes]) -> Stretch | None:
        members = self._members.read(messages)
        if members is None:
            return None
        changes = self._words.changes(members[self._envelope.operation])
        if changes is None:
            return None
        before, after = members[self._envelope.before], members[self._envelope.after]
        has_before, has_after = np.asarray(before.is_valid()), np.asarray(after.is_valid())
        # A row that the change needs and the message lacks is the exact reader's to refuse.
        if ((changes != Change.INSERT.value) & ~has_before).any():
            return None
        if ((changes != Change.DELETE.value) & ~has_after).any():
            return None
        rows = expand(changes)
        # Both images of every message are read, as Flink reads them, also those that give no row.
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
        return Stretch(arrays, change, rows.kinds)


def image_block(
    envelope: ImageEnvelope, fields: Sequence[Field], items: Sequence[Item], rules: WireRules
) -> ImageBlock | None:
    """None when a column or a metadata key needs the exact reader."""
    columns = wire_columns(fields, rules)
    if columns is None or not readable(items):
        return None
    return ImageBlock(envelope, columns, wire_struct(fields, columns), items)
