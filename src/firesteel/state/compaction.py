"""Keeps a table's segments few: a batch adds one run, runs of like size are merged, and a large merge is spread over batches.

A large merge goes through its runs from the lowest first number upwards, one slice in a batch or more if much is written; until it
is done, look-ups find the merged rows below its bound and the old runs above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from firesteel.state.manifest import Level, Part, Run, TableEntry
from firesteel.state.merge import Rules, cut_rows, merge_rows
from firesteel.state.segment import GONE, Segment
from firesteel.state.store import Store


class Compaction:
    """The levels of one table while a batch is written."""

    def __init__(self, name: str, entry: TableEntry, store: Store, rules: Rules) -> None:
        self._name, self._entry, self._store, self._rules = name, entry, store, rules
        # rows from before the table had a time to live have no touch: what hides them must not be dropped before them
        self._all_touched = all(part.oldest is not None for part in entry.parts)

    def drop_old_parts(self) -> None:
        """Drops parts of which every row is forgotten or expired, at the price of nothing."""
        for level in self._entry.levels:
            level.done = [part for part in level.done if not self._is_old(part)]
            level.runs = [[part for part in run if not self._is_old(part)] for run in level.runs]
        self._drop_empty_levels()

    def _is_old(self, part: Part) -> bool:
        floor, horizon = self._rules.floor, self._rules.horizon if self._all_touched else None
        forgotten = floor is not None and part.last <= floor
        expired = horizon is not None and part.newest is not None and part.newest <= horizon
        if forgotten or expired:
            self._store.retire(part)
            self._store.counts.expired += part.rows if expired else 0
        return forgotten or expired

    def _drop_empty_levels(self) -> None:
        levels = self._entry.levels
        for level in levels:
            level.runs = [run for run in level.runs if run]
            if level.merging and not level.runs:
                level.runs, level.done, level.merging, level.bound = [level.done], [], False, None
        self._entry.levels = [level for level in levels if level.rows]

    def push(self, new: Sequence[pa.RecordBatch]) -> None:
        """Adds a batch's rows as a new run, and merges it with the newest runs of like size, or begins to."""
        levels, shape = self._entry.levels, self._store.shape
        count, size = sum(rows.num_rows for rows in new), sum(rows.nbytes for rows in new)
        first, total = len(levels), count
        while first and not levels[first - 1].merging and levels[first - 1].rows <= shape.ratio * total:
            first -= 1
            total += levels[first].rows
        old = levels[first:]
        most = shape.slice_rows + 2 * count
        small = total <= most and total * (size // count) <= 4 * shape.part_bytes + 2 * size
        all_live = all(pa.types.is_null(rows.column(GONE).type) for rows in new)
        if not old and (first or (all_live and self._rules.floor is None)):
            levels.append(Level([self._write(new)]))
        elif small:
            batches = [self._store.open(part).all for level in old for part in level.parts]
            run = self._write(self._merge_by_range([*batches, *new], bottom=not first))
            self._retire(part for level in old for part in level.parts)
            levels[first:] = [Level([run])] if run else []
        else:
            runs = [run for level in old for run in level.runs]
            levels[first:] = [Level([*runs, self._write(new)], merging=True, bottom=not first)]

    def sweep(self, clock: int, ttl: int) -> None:
        """Begins to merge everything once in a time to live, so that what has expired is dropped where nothing new makes merges."""
        entry = self._entry
        if entry.swept is None or not entry.levels:
            entry.swept = clock if entry.levels else None
            return
        if clock - entry.swept < ttl or any(level.merging for level in entry.levels):
            return
        entry.swept = clock
        horizon = clock - ttl
        if any(part.oldest is None or part.oldest <= horizon for part in entry.parts):
            runs = [run for level in entry.levels for run in level.runs]
            entry.levels = [Level(runs, merging=True, bottom=True)]

    def advance(self, budget: int) -> None:
        """Goes on with merges that are on their way, the newest first, until about so many rows were merged."""
        while budget > 0:
            merging = [level for level in self._entry.levels if level.merging]
            if not merging:
                return
            budget -= self._merge_slice(merging[-1])
            self._drop_empty_levels()

    def _merge_slice(self, level: Level) -> int:
        remaining = sum(part.rows for run in level.runs for part in run)
        largest = max(level.runs, key=lambda run: sum(part.rows for part in run))
        bound = None if remaining <= self._store.shape.slice_rows else largest[0].last
        batches = []
        for part in (part for run in level.runs for part in run if bound is None or part.first <= bound):
            segment = self._store.open(part).above(level.bound)
            segment = segment and segment.up_to(bound)
            if segment is not None:
                batches.append(segment.all)
        merged = self._merge(batches, level.bottom)
        if merged.num_rows:
            level.done += self._write([merged])
        self._retire(part for run in level.runs for part in run if bound is None or part.last <= bound)
        level.runs = [] if bound is None else [[part for part in run if part.last > bound] for run in level.runs]
        level.bound = bound
        return sum(batch.num_rows for batch in batches)

    def _merge_by_range(self, batches: Sequence[pa.RecordBatch], bottom: bool) -> Iterator[pa.RecordBatch]:
        """Merges all rows, one range of first numbers after the other: only that of a range is held in memory."""
        shape, segments = self._store.shape, [Segment(rows) for rows in batches]
        rows, size = sum(one.num_rows for one in batches), sum(one.nbytes for one in batches)
        count = max(rows // (2 * shape.slice_rows), size // (4 * shape.part_bytes), 1)
        largest = max(segments, key=lambda segment: segment.rows).keys[0]
        bounds = np.unique(largest[np.arange(1, count) * len(largest) // count]).tolist()
        floor = None
        for bound in (*bounds, None):
            views = [view.all for one in segments if (view := one.above(floor)) and (view := view.up_to(bound))]
            floor = bound
            merged = self._merge(views, bottom) if views else None
            if merged is not None and merged.num_rows:
                yield merged

    def _merge(self, batches: list[pa.RecordBatch], bottom: bool) -> pa.RecordBatch:
        horizon = self._rules.horizon if bottom or self._all_touched else None
        rules = Rules(bottom, self._rules.floor, horizon, self._rules.clock, self._rules.keep)
        merged, expired = merge_rows(batches, rules)
        self._store.counts.expired += expired
        self._store.counts.merged += sum(batch.num_rows for batch in batches)
        return merged

    def _write(self, run: Iterable[pa.RecordBatch]) -> Run:
        shape = self._store.shape
        cut = (part for rows in run for part in cut_rows(rows, shape.part_rows, shape.part_bytes))
        return [self._store.write(self._name, part) for part in cut]

    def _retire(self, parts: Iterable[Part]) -> None:
        for part in parts:
            self._store.retire(part)
