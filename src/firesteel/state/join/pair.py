"""Pairs rows of two inputs that have the same join key and meet the join's other conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.state.hash import same_values
from firesteel.state.join.side import SideRows
from firesteel.state.order import Bools, Ints, spread
from firesteel.state.row import take

#: Tells which pairs of rows meet a condition: two blocks of equal length, left and right, to a mark for each pair.
Condition = Callable[[pa.RecordBatch, pa.RecordBatch], Bools]

#: Places of rows that are pairs, left and right.
Pairs = tuple[Ints, Ints]

#: So many candidates are looked at together, so that a key with very many rows needs no more memory than others.
_CHUNK = 1 << 18


@dataclass(frozen=True)
class Match:
    """What makes two rows a pair: columns that are equal, and a condition. `null_safe`: keys where NULL equals NULL."""

    keys: Sequence[tuple[str, str]]
    null_safe: Sequence[bool]
    condition: Condition | None

    def pairs(self, left: SideRows, right: SideRows) -> Iterator[Pairs]:
        """Gives the places of all pairs, in the order of the left rows, of not too many candidates at a time."""
        low, high = np.searchsorted(right.k1, left.k1, "left"), np.searchsorted(right.k1, left.k1, "right")
        count = high - low
        total = np.cumsum(count)
        start = 0
        while start < len(count):
            done = int(total[start - 1]) if start else 0
            end = max(start + 1, int(np.searchsorted(total, done + _CHUNK, "right")))
            for one, other in self._chunks(low[start:end], count[start:end]):
                meets = self._meets(take(left.data, start + one), take(right.data, other))
                if meets.any():
                    yield start + one[meets], other[meets]
            start = end

    def _chunks(self, low: Ints, count: Ints) -> Sequence[tuple[Ints, Ints]]:
        if len(count) > 1 or int(count[0]) <= _CHUNK:
            return [spread(low, count)] if count.any() else []
        # one row that has more candidates than are looked at together
        places = np.arange(low[0], low[0] + count[0])
        return [(np.zeros(len(part), np.int64), part) for part in np.array_split(places, -(-len(places) // _CHUNK))]

    def _meets(self, left: pa.RecordBatch, right: pa.RecordBatch) -> Bools:
        meets: Bools = np.ones(left.num_rows, bool)
        for one, other in self.keys:
            # hashes can be equal by chance: the keys are compared
            meets &= same_values(left.column(one), right.column(other))
        if self.condition is not None and meets.any():
            some = np.flatnonzero(meets)
            whole = len(some) == len(meets)
            meets[some] = self.condition(left if whole else take(left, some), right if whole else take(right, some))
        return meets

    def can_match(self, rows: pa.RecordBatch, side: int) -> Bools | None:
        """Marks rows whose keys have no NULL that equals nothing; None if that is all of them."""
        marks: Bools | None = None
        for key, safe in zip(self.keys, self.null_safe, strict=True):
            column = rows.column(key[side])
            if column.null_count and not safe:
                valid: Bools = column.is_valid().to_numpy(zero_copy_only=False)
                marks = valid if marks is None else marks & valid
        return marks


class Meeting:
    """The pairs among rows of two inputs. Very many are not kept, but found again whenever they are asked for."""

    def __init__(self, match: Match, left: SideRows, right: SideRows) -> None:
        self.left, self.right = left, right
        self._match = match
        found = match.pairs(left, right)
        first, second = next(found, None), next(found, None)
        self._kept = None if second is not None else [first] if first is not None else []

    def __iter__(self) -> Iterator[Pairs]:
        """Gives places of left and right rows."""
        return self._match.pairs(self.left, self.right) if self._kept is None else iter(self._kept)

    def left_total(self, weight: Ints) -> Ints:
        """Adds up for each left row what the right rows that it meets weigh."""
        total = np.zeros(len(self.left), np.int64)
        for one, other in self:
            np.add.at(total, one, weight[other])
        return total

    def right_total(self, weight: Ints) -> Ints:
        """Adds up for each right row what the left rows that it meets weigh."""
        total = np.zeros(len(self.right), np.int64)
        for one, other in self:
            np.add.at(total, other, weight[one])
        return total
