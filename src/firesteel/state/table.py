"""One table of a bucket: rows by whole numbers, read as they were before the batch, written as one new segment.

What a batch puts becomes visible to the batches behind it, or to itself after `flush`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from firesteel.state.compaction import Compaction
from firesteel.state.lookup import as_of_rows, first_rows, get_rows, scan_rows
from firesteel.state.manifest import TableEntry
from firesteel.state.merge import Keep, Rules, merge_rows, sort_fresh
from firesteel.state.order import Bools, Ints, is_sorted
from firesteel.state.segment import GONE, KEYS, TOUCH, Segment, numbers, one_batch
from firesteel.state.store import Store


class SortedTable:
    """A table's rows. `ttl`: how long a row that is not written again stays, in milliseconds; None for ever.

    `keep` says at merges which rows are still needed: old versions, for example.
    """

    def __init__(self, name: str, entry: TableEntry, store: Store, clock: int, ttl: int | None = None) -> None:
        self.name, self.ttl = name, ttl
        self.keep: Keep | None = None
        self._entry, self._store, self._clock = entry, store, clock
        self._horizon = None if ttl is None else clock - ttl
        self._new: list[pa.RecordBatch] = []
        self._fresh: list[Segment] = []
        self._opened: list[Segment] | None = None

    @property
    def rows(self) -> int:
        """Counts the rows that are stored, those included that a merge will leave out."""
        return sum(part.rows for part in self._entry.parts)

    @property
    def floor(self) -> int | None:
        """Gives the greatest first number that is forgotten."""
        return self._entry.floor

    @property
    def is_timed(self) -> bool:
        """Says whether its first number is a time. Then the second one is the hash of the row's key, by which it can be dealt to other buckets."""
        return self._entry.timed or self._entry.floor is not None

    def segments(self) -> list[Segment]:
        """Gives all segments, oldest first."""
        if self._opened is None:
            self._opened = [*self._store.open_all(self._entry), *self._fresh]
        return self._opened

    def get(self, *asked: Ints) -> tuple[Ints, pa.RecordBatch | None]:
        """Finds rows by their whole identity: numbers in sorted order, each identity once.

        Gives the places of those that are there, ascending, and their rows without the numbers; None in place of no rows.
        """
        return get_rows(self.segments(), asked, self._horizon)

    def scan(self, asked: Ints) -> tuple[Ints, pa.RecordBatch | None]:
        """Finds all rows of first numbers, sorted and each once. Gives the place of each row's number, ascending, and the rows."""
        return scan_rows(self.segments(), asked, self._horizon)

    def first(self, asked: Ints, count: Ints, start: Ints | None = None) -> tuple[Ints, pa.RecordBatch | None]:
        """Finds the first `count` rows of each first number in the order of the second, from `start` in it.

        Rows with the second number of the last one are given, too.
        """
        return first_rows(self.segments(), asked, count, start, self._horizon)

    def as_of(self, asked: Ints, second: Ints) -> tuple[Ints, pa.RecordBatch | None]:
        """Finds for each pair of numbers the row with the first one whose second number is the greatest not above."""
        return as_of_rows(self.segments(), asked, second, self._horizon)

    def up_to(self, limit: int) -> pa.RecordBatch | None:
        """Gives the rows whose first number is at most the limit and that are not forgotten, in order."""
        floor, self._entry.timed = self._entry.floor, True
        views = [view for segment in self.segments() if (view := segment.up_to(limit)) and (view := view.above(floor))]
        if not views:
            return None
        merged, _ = merge_rows(
            [view.all for view in views], Rules(bottom=True, horizon=self._horizon, clock=self._touch_of_old)
        )
        return merged.drop_columns([name for name in (GONE, TOUCH) if name in merged.schema.names])

    def whole(self) -> pa.RecordBatch | None:
        """Gives all rows that count, with their numbers, and when they were written last where the table knows it. It reads everything."""
        floor = self._entry.floor
        views = [view for segment in self.segments() if (view := segment.above(floor))]
        if not views:
            return None
        # Rows from before the table had a time to live have no touch: they count as touched at the beginning of time.
        clock = 0 if any(view.touch is not None for view in views) else None
        return merge_rows([view.all for view in views], Rules(bottom=True, clock=clock))[0]

    def least(self) -> int | None:
        """Gives the least first number that is not forgotten: when the first of rows that wait for a time is due."""
        self._entry.timed = True
        views = [view for segment in self.segments() if (view := segment.above(self._entry.floor))]
        return min((view.first for view in views), default=None)

    def live(self) -> Iterator[pa.RecordBatch]:
        """Gives all rows that are there, in order and in blocks, each with its numbers and its touch."""
        segments, floor = self.segments(), self._entry.floor
        for bound in sorted({segment.last for segment in segments}):
            views = [view for one in segments if (view := one.up_to(bound)) and (view := view.above(floor))]
            floor = bound
            rules = Rules(bottom=True, horizon=self._horizon, clock=self._touch_of_old)
            merged, _ = merge_rows([view.all for view in views], rules) if views else (None, 0)
            if merged is not None and merged.num_rows:
                yield merged

    def restore(self, rows: pa.RecordBatch) -> None:
        """Writes rows that `live` gave, with their touch."""
        self._new.append(rows)

    @property
    def _touch_of_old(self) -> int | None:
        return None if self.ttl is None else self._clock

    def put(self, rows: pa.Table | pa.RecordBatch, gone: Bools | None = None) -> None:
        """Writes rows with their numbers; of those of one identity the last one counts. `gone` marks those that are deleted."""
        if not rows.num_rows:
            return
        batch = one_batch(rows) if isinstance(rows, pa.Table) else rows
        names = [name for name in KEYS if name in batch.schema.names]
        columns = [batch.column(name) for name in names]
        names += [name for name in batch.schema.names if name not in KEYS]
        columns += [batch.column(name) for name in names[len(columns) :]]
        columns.append(pa.nulls(batch.num_rows) if gone is None or not gone.any() else pa.array(gone))
        names.append(GONE)
        if self.ttl is not None:
            columns.append(pa.array(np.full(batch.num_rows, self._clock, np.int64)))
            names.append(TOUCH)
        self._new.append(pa.RecordBatch.from_arrays(columns, names=names))

    def forget(self, limit: int) -> None:
        """Forgets all rows whose first number is at most the limit. It costs nothing."""
        self._entry.timed = True
        if self._entry.floor is None or limit > self._entry.floor:
            self._entry.floor = int(limit)

    def flush(self) -> None:
        """Makes what was put visible to this batch."""
        if self._new:
            new, self._new = self._new, []
            self._fresh.append(Segment(self._sorted(new)))
            self._opened = None

    def _sorted(self, new: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
        if len(new) > 1:
            return merge_rows(new, Rules(clock=self._touch_of_old))[0]
        keys = [numbers(new[0], name) for name in KEYS if name in new[0].schema.names]
        return new[0] if is_sorted(keys) else sort_fresh(new[0], keys)

    def commit(self) -> None:
        """Writes what the batch has put, and merges what has become too many."""
        self.flush()
        new = self._run_of_fresh()
        rules = Rules(floor=self._entry.floor, horizon=self._horizon, clock=self._touch_of_old, keep=self.keep)
        compaction = Compaction(self.name, self._entry, self._store, rules)
        compaction.drop_old_parts()
        if new:
            compaction.push(new)
        if self.ttl is not None:
            compaction.sweep(self._clock, self.ttl)
        compaction.advance(self._store.shape.slice_rows + 4 * sum(rows.num_rows for rows in new))
        self._fresh, self._opened = [], None

    def _run_of_fresh(self) -> list[pa.RecordBatch]:
        """Gives what the batch has put as one sorted run, in blocks: parts of a batch often stand one behind the other already."""
        fresh = sorted(self._fresh, key=lambda segment: segment.first)
        if all(one.last < other.first for one, other in pairwise(fresh)):
            return [segment.all for segment in fresh]
        return [merge_rows([segment.all for segment in self._fresh], Rules(clock=self._touch_of_old))[0]]
