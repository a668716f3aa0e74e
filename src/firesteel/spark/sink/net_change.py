"""Computes the net changes of changes that come in no order: what is left when every retracted row has met an inserted one.

>>> codes = [CODES[kind] for kind in (RowKind.INSERT, RowKind.DELETE, RowKind.INSERT)]
>>> net_changes([b"k", b"k", b"k"], [b"new", b"old", b"newer"], codes, by_key=True)
[NetChange(row=2, kind=<RowKind.UPDATE_AFTER: 'UA'>)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.changelog.hidden import CODES
from firesteel.changelog.kind import RowKind

_GONE = (CODES[RowKind.UPDATE_BEFORE], CODES[RowKind.DELETE])


@dataclass(frozen=True)
class NetChange:
    """A row that stands for a change: `row` is its index among those that were given."""

    row: int
    kind: RowKind


def net_changes(
    keys: Sequence[bytes | None], values: Sequence[bytes | None], kinds: Sequence[int], *, by_key: bool
) -> list[NetChange]:
    """Nets the changes. `by_key`: a key has one row, so a new one replaces the old without a word about it. Deletes come first."""
    nets: dict[tuple[bytes | None, bytes | None], int] = {}
    places: dict[tuple[bytes | None, bytes | None], int] = {}
    for place, (key, value, kind) in enumerate(zip(keys, values, kinds, strict=True)):
        row = key, value
        nets[row] = nets.get(row, 0) + (-1 if kind in _GONE else 1)
        places[row] = place
    gone = [row for row, net in nets.items() if net < 0]
    came = [row for row, net in nets.items() if net > 0]
    if not by_key:
        deletes = [NetChange(places[row], RowKind.DELETE) for row in gone for _ in range(-nets[row])]
        return deletes + [NetChange(places[row], RowKind.INSERT) for row in came for _ in range(nets[row])]
    new = {key: places[key, value] for key, value in came}
    old = {key: places[key, value] for key, value in gone if key not in new}
    return [NetChange(place, RowKind.DELETE) for place in old.values()] + [
        NetChange(place, RowKind.UPDATE_AFTER) for place in new.values()
    ]
