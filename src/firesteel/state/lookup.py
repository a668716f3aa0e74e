"""Looks rows up in segments of several ages, a whole batch at a time. The newest row of an identity hides the older ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.state.order import (
    Bools,
    Ints,
    ends_of_runs,
    find_rows,
    lexical_order,
    lower_bound,
    rank_in_runs,
    spread,
    upper_bound,
)
from firesteel.state.segment import Segment, concatenate

_LEAST, _MOST = -(2**63), 2**63 - 1


def get_rows(
    segments: Sequence[Segment], asked: Sequence[Ints], horizon: int | None
) -> tuple[Ints, pa.RecordBatch | None]:
    """Finds rows by their whole identity. `asked` is sorted and has each once; tells which were found, and their rows."""
    todo = np.arange(len(asked[0]))
    places: list[Ints] = []
    batches = []
    for segment in reversed(segments):
        if not len(todo):
            break
        low, high = _covered(asked[0][todo], segment)
        mine = todo[low:high]
        if not len(mine):
            continue
        at, hit = find_rows(segment.keys, [number[mine] for number in asked])
        at, mine = at[hit], mine[hit]
        todo = todo if not len(mine) else np.concatenate([todo[:low], todo[low:high][~hit], todo[high:]])
        dead = segment.dead(at, horizon)
        if dead is not None and dead.any():
            at, mine = at[~dead], mine[~dead]
        if len(mine):
            places.append(mine)
            batches.append(_data(segment).take(pa.array(at)))
    return _in_order(places, batches)


def _in_order(places: list[Ints], batches: list[pa.RecordBatch]) -> tuple[Ints, pa.RecordBatch | None]:
    if not places:
        return np.empty(0, np.int64), None
    if len(places) == 1:
        return places[0], batches[0]
    place = np.concatenate(places)
    order = np.argsort(place, kind="stable")
    return place[order], concatenate(batches).take(pa.array(order))


def scan_rows(segments: Sequence[Segment], asked: Ints, horizon: int | None) -> tuple[Ints, pa.RecordBatch | None]:
    """Finds all rows by their first number. `asked` is sorted and has each once; tells for each row whose it is."""
    pieces = _Pieces(horizon)
    for segment in segments:
        owner, low, high = _ranges(asked, segment)
        of, at = spread(low, high - low)
        pieces.add(segment, owner[of], at)
    return pieces.newest()


def first_rows(
    segments: Sequence[Segment], asked: Ints, count: Ints, start: Ints | None, horizon: int | None
) -> tuple[Ints, pa.RecordBatch | None]:
    """Finds for each first number its first `count` rows by the further numbers, not below `start` in the second one.

    Rows that share their second number with the last of them are given, too. Only a window of each segment is read, a larger one for those
    whose window held too many deleted rows, so that a group of millions costs what is asked of it.
    """
    ranges = []
    for segment in segments:
        owner, low, high = _ranges(asked, segment)
        if start is not None:
            low = lower_bound(segment.keys[1], low, high, start[owner])
        ranges.append((owner, low, high))
    todo, window = np.ones(len(asked), bool), int(count.max(initial=0)) + 2
    places: list[Ints] = []
    batches = []
    while todo.any():
        pieces, cut, limit = _window(segments, ranges, todo, window, horizon)
        owner, rows = pieces.newest()
        enough = ~cut
        if rows is not None:
            second = rows.column(1).to_numpy()
            # where rows may share their second number, the edge of a cut window may have neighbours that were not read
            known = second < limit[owner] if len(segments[0].keys) > 2 else second <= limit[owner]
            known |= ~cut[owner]
            owner, second, rows = owner[known], second[known], rows.filter(pa.array(known))
            enough |= np.bincount(owner, minlength=len(asked)) >= count
            use = _first_with_ties(owner, second, count) & enough[owner]
            if use.any():
                places.append(owner[use])
                batches.append(rows.filter(pa.array(use)))
        todo, window = todo & ~enough, window * 8
    return _in_order(places, batches)


def _window(
    segments: Sequence[Segment],
    ranges: Sequence[tuple[Ints, Ints, Ints]],
    todo: Bools,
    window: int,
    horizon: int | None,
) -> tuple[_Pieces, Bools, Ints]:
    """Reads the front of each range. Tells which were cut, and the second number up to which nothing is missing in these."""
    pieces = _Pieces(horizon)
    cut, limit = np.zeros(len(todo), bool), np.full(len(todo), _MOST)
    for segment, (owner, low, high) in zip(segments, ranges, strict=True):
        mine = todo[owner]
        owner, low, high = owner[mine], low[mine], high[mine]
        size = np.minimum(high - low, window)
        of, at = spread(low, size)
        pieces.add(segment, owner[of], at)
        short = np.flatnonzero(size < high - low)
        cut[owner[short]] = True
        limit[owner[short]] = np.minimum(limit[owner[short]], segment.keys[1][low[short] + size[short] - 1])
    return pieces, cut, limit


def _first_with_ties(owner: Ints, second: Ints, count: Ints) -> Bools:
    rank = rank_in_runs(owner)
    use: Bools = rank < count[owner]
    last = np.flatnonzero(rank == count[owner] - 1)
    edge = np.full(len(count), _LEAST)
    edge[owner[last]] = second[last]
    use |= (second == edge[owner]) & (count[owner] > 0)
    return use


def as_of_rows(
    segments: Sequence[Segment], asked: Ints, second: Ints, horizon: int | None
) -> tuple[Ints, pa.RecordBatch | None]:
    """Finds for each (first, second) number the row of the first one whose second number is the greatest not above."""
    todo, second = np.arange(len(asked)), second.copy()
    places: list[Ints] = []
    batches = []
    while len(todo):
        source, place, best = _latest(segments, asked[todo], second[todo])
        hidden = np.zeros(len(todo), bool)
        for number, segment in enumerate(segments):
            mine = np.flatnonzero(source == number)
            dead = segment.dead(place[mine], horizon)
            if dead is not None:
                hidden[mine[dead]] = True
                mine = mine[~dead]
            if len(mine):
                places.append(todo[mine])
                batches.append(_data(segment).take(pa.array(place[mine])))
        # behind a row that was deleted stands the one before it
        hidden &= best > _LEAST
        second[todo[hidden]] = best[hidden] - 1
        todo = todo[hidden]
    return _in_order(places, batches)


def _latest(segments: Sequence[Segment], asked: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
    """Finds the segment and place of each latest row, deleted or not, and its second number."""
    best = np.full(len(asked), _LEAST)
    source = np.full(len(asked), -1)
    place = np.zeros(len(asked), np.int64)
    for number, segment in enumerate(segments):
        low, high = np.searchsorted(segment.keys[0], asked), np.searchsorted(segment.keys[0], asked, "right")
        at = upper_bound(segment.keys[1], low, high, second) - 1
        hit = np.flatnonzero(at >= low)
        hit = hit[segment.keys[1][at[hit]] >= best[hit]]
        best[hit], source[hit], place[hit] = segment.keys[1][at[hit]], number, at[hit]
    return source, place, best


def _data(segment: Segment) -> pa.RecordBatch:
    return segment.data.select(segment.data.schema.names[len(segment.keys) :])


def _covered(asked: Ints, segment: Segment) -> tuple[int, int]:
    """Marks the asked numbers that lie within a segment's range."""
    return int(np.searchsorted(asked, segment.first)), int(np.searchsorted(asked, segment.last, "right"))


def _ranges(asked: Ints, segment: Segment) -> tuple[Ints, Ints, Ints]:
    """Finds where the rows of each asked number stand in a segment, for those that have any."""
    begin, end = _covered(asked, segment)
    part = asked[begin:end]
    low, high = np.searchsorted(segment.keys[0], part), np.searchsorted(segment.keys[0], part, "right")
    some = np.flatnonzero(high > low)
    return begin + some, low[some], high[some]


class _Pieces:
    """Rows gathered from segments, oldest first, of which the newest of each identity is sought."""

    def __init__(self, horizon: int | None) -> None:
        self._horizon = horizon
        self._owner: list[Ints] = []
        self._keys: list[list[Ints]] = []
        self._dead: list[Bools] = []
        self._rows: list[pa.RecordBatch] = []

    def add(self, segment: Segment, owner: Ints, at: Ints) -> None:
        if not len(at):
            return
        dead = segment.dead(at, self._horizon)
        self._owner.append(owner)
        self._keys.append([key[at] for key in segment.keys[1:]])
        self._dead.append(np.zeros(len(at), bool) if dead is None else dead)
        self._rows.append(segment.data.take(pa.array(at)))

    def newest(self) -> tuple[Ints, pa.RecordBatch | None]:
        """Gives the live rows in order, and for each of them whose it is."""
        if not self._rows:
            return np.empty(0, np.int64), None
        owner, dead = np.concatenate(self._owner), np.concatenate(self._dead)
        keys = [owner, *(np.concatenate(key) for key in zip(*self._keys, strict=True))]
        if len(self._rows) == 1:
            order = np.flatnonzero(~dead)
        else:
            order = lexical_order(keys)
            order = order[ends_of_runs([key[order] for key in keys])]
            order = order[~dead[order]]
        if not len(order):
            return np.empty(0, np.int64), None
        rows = concatenate(self._rows)
        return owner[order], rows if len(order) == rows.num_rows and len(self._rows) == 1 else rows.take(
            pa.array(order)
        )
