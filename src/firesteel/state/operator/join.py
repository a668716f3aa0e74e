"""Joins two inputs that both change: inner, outer, semi and anti."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import chain

import numpy as np
import pyarrow as pa

from firesteel.state.join.pair import Condition, Match, Meeting, Pairs
from firesteel.state.join.side import SideRows, changes_of_side, net_rows, no_rows, put_rows, stored_rows
from firesteel.state.order import Ints, without_repeats
from firesteel.state.row import DELETE, INSERT, Kinds, block_of, data_of, is_retract, kinds_of, take, with_kind
from firesteel.state.state import Now, State
from firesteel.state.table import SortedTable

LEFT_INPUT, RIGHT_INPUT = "left", "right"
#: So many pairs are given in one block at most.
_BLOCK = 1 << 18


class JoinKind(Enum):
    """What a join does with rows, beside pairing them."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


@dataclass(frozen=True)
class Side:
    """One input: its columns, how long its rows stay without being written again, and the key that it has, if any.

    Where rows have a key, an update is one row to write instead of two.
    """

    columns: pa.Schema
    ttl: int | None = None
    unique: tuple[str, ...] | None = None


@dataclass(frozen=True)
class _Changed:
    """What meets in a batch: changed left and unchanged right rows, unchanged left and changed right rows, and rows that both changed."""

    by_left: Meeting
    by_right: Meeting
    by_both: Meeting


@dataclass(frozen=True)
class Join:
    """A join on equal `keys`, pairs of a left and a right column, and on a `condition` about candidate pairs.

    The columns of the two sides have different names, since the output has both, but for SEMI and ANTI. Rows are hashed by their join keys.
    A retracted row carries all its values. `null_safe`: for each key, whether NULL equals NULL. `dropped`: columns that are
    not handed on.
    """

    kind: JoinKind
    left: Side
    right: Side
    keys: tuple[tuple[str, str], ...]
    null_safe: tuple[bool, ...] = ()
    condition: Condition | None = None
    dropped: tuple[str, ...] = ()

    @property
    def _match(self) -> Match:
        return Match(self.keys, self.null_safe or (False,) * len(self.keys), self.condition)

    @property
    def _names(self) -> list[str]:
        return [*self.left.columns.names, *self.right.columns.names]

    @property
    def _tracks_left(self) -> bool:
        return self.kind in (JoinKind.LEFT, JoinKind.FULL, JoinKind.SEMI, JoinKind.ANTI)

    @property
    def _tracks_right(self) -> bool:
        return self.kind in (JoinKind.RIGHT, JoinKind.FULL)

    @property
    def is_timed(self) -> bool:
        return self.left.ttl is not None or self.right.ttl is not None

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        blocks = list(self.blocks(inputs, state))
        return pa.concat_tables(blocks) if blocks else None

    def blocks(self, inputs: Mapping[str, pa.Table], state: State) -> Iterator[pa.Table]:
        """Does the same, and gives the output in blocks: a frequent key has more pairs than memory may hold. All have to be taken."""
        left_table, right_table = state.table("left", self.left.ttl), state.table("right", self.right.ttl)
        single: list[pa.RecordBatch] = []
        left = self._changes(inputs, 0, left_table, single)
        right = self._changes(inputs, 1, right_table, single)
        changed = None
        if len(left) or len(right):
            changed = self._meet(left, right, left_table, right_table)
            single += [*self._left_blocks(changed, left_table), *self._right_blocks(changed, right_table)]
        pairs = changed if self.kind not in (JoinKind.SEMI, JoinKind.ANTI) else None
        # what replaces a row stands behind it
        for is_gone in (True, False):
            blocks = [take(block, is_retract(kinds_of(block)) == is_gone) for block in single if block.num_rows]
            for block in chain(blocks, () if pairs is None else self._pair_blocks(pairs, is_gone)):
                if block.num_rows:
                    yield self._output(pa.Table.from_batches([block]))

    def _output(self, rows: pa.Table) -> pa.Table:
        if not self.dropped:
            return rows
        return rows.select([name for name in rows.column_names if name not in self.dropped])

    def wake(self, state: State) -> int | None:
        return None

    def _changes(
        self, inputs: Mapping[str, pa.Table], side: int, table: SortedTable, alone: list[pa.RecordBatch]
    ) -> SideRows:
        """Gives the changes of a side. Rows whose key is NULL meet nothing: they need no state, and are answered here."""
        rows = block_of(inputs.get((LEFT_INPUT, RIGHT_INPUT)[side]))
        schema = (self.left, self.right)[side].columns
        if rows is None:
            return no_rows(schema)
        marks = self._match.can_match(rows, side)
        if marks is not None:
            if (self._tracks_left, self._tracks_right)[side] and self.kind is not JoinKind.SEMI:
                single, _, weight = net_rows(take(rows, ~marks))
                alone += self._padded(data_of(single), weight, side)
            rows = take(rows, marks)
            if not rows.num_rows:
                return no_rows(schema)
        unique = (self.left, self.right)[side].unique
        return changes_of_side(rows, table, (self._tracks_left, self._tracks_right)[side], unique)

    def _meet(self, left: SideRows, right: SideRows, left_table: SortedTable, right_table: SortedTable) -> _Changed:
        left_rest, right_rest = no_rows(self.left.columns), no_rows(self.right.columns)
        if len(left):
            found = stored_rows(right_table, without_repeats(left.k1), self.right.columns.names, self._tracks_right)
            right_rest = right_rest if found is None else found.take(~found.are_in(right))
        if len(right):
            found = stored_rows(left_table, without_repeats(right.k1), self.left.columns.names, self._tracks_left)
            left_rest = left_rest if found is None else found.take(~found.are_in(left))
        match = self._match
        return _Changed(Meeting(match, left, right_rest), Meeting(match, left_rest, right), Meeting(match, left, right))

    def _left_blocks(self, changed: _Changed, table: SortedTable) -> list[pa.RecordBatch]:
        """Writes the left rows, and gives the changes of rows without a match, or of semi and anti joins."""
        left, rest = changed.by_left.left, changed.by_right.left
        if not self._tracks_left:
            put_rows(table, left, left.matches, False)
            return []
        matches = changed.by_left.left_total(changed.by_left.right.before)
        matches += changed.by_both.left_total(changed.by_both.right.after)
        return self._settle(table, left, matches, rest, changed.by_right.left_total(changed.by_right.right.delta), 0)

    def _right_blocks(self, changed: _Changed, table: SortedTable) -> list[pa.RecordBatch]:
        """Writes the right rows, and gives the changes of rows without a match."""
        right, rest = changed.by_right.right, changed.by_left.right
        if not self._tracks_right:
            put_rows(table, right, right.matches, False)
            return []
        matches = changed.by_right.right_total(changed.by_right.left.before)
        matches += changed.by_both.right_total(changed.by_both.left.after)
        return self._settle(table, right, matches, rest, changed.by_left.right_total(changed.by_left.left.delta), 1)

    def _settle(
        self, table: SortedTable, changed: SideRows, matches: Ints, others: SideRows, gained: Ints, side: int
    ) -> list[pa.RecordBatch]:
        """Writes the changed rows with their matches, and other rows that have gained some or lost; tells what shows of it."""
        put_rows(table, changed, np.maximum(matches, 0), True)
        touched = np.flatnonzero(gained)
        others = others.take(touched)
        matches_after = np.maximum(others.matches + gained[touched], 0)
        put_rows(table, others, matches_after, True)
        wants_match = self.kind is JoinKind.SEMI
        after = (changed.before + changed.delta) * ((matches > 0) == wants_match)
        before = changed.before * ((changed.matches > 0) == wants_match)
        blocks = self._padded(changed.data, after - before, side)
        step = others.before * (
            ((matches_after > 0) == wants_match).astype(np.int64) - ((others.matches > 0) == wants_match)
        )
        return [*blocks, *self._padded(others.data, step, side)]

    def _padded(self, data: pa.RecordBatch, weight: Ints, side: int) -> list[pa.RecordBatch]:
        """Gives rows of one side for themselves, with NULL in place of the other side, as often as their weight says."""
        some = np.flatnonzero(weight)
        if not len(some):
            return []
        rows = take(data, np.repeat(some, np.abs(weight[some])))
        kinds = np.repeat(np.where(weight[some] > 0, INSERT, DELETE), np.abs(weight[some])).astype(np.int8)
        if self.kind not in (JoinKind.SEMI, JoinKind.ANTI):
            other = (self.right, self.left)[side].columns
            nulls = [pa.nulls(rows.num_rows, field.type) for field in other]
            columns = [*nulls, *rows.columns] if side else [*rows.columns, *nulls]
            rows = pa.RecordBatch.from_arrays(columns, names=self._names)
        return [with_kind(rows, kinds)]

    def _pair_blocks(self, changed: _Changed, is_gone: bool) -> Iterator[pa.RecordBatch]:
        """Gives the pairs that go, or those that come."""
        meeting = changed.by_left
        for one, other in meeting:
            kinds = meeting.left.kind[one]
            weight = meeting.left.delta[one] * meeting.right.before[other]
            yield from self._paired(meeting, (one, other), weight, kinds, is_gone)
        meeting = changed.by_right
        for one, other in meeting:
            kinds = meeting.right.kind[other]
            weight = meeting.left.before[one] * meeting.right.delta[other]
            yield from self._paired(meeting, (one, other), weight, kinds, is_gone)
        meeting = changed.by_both
        for one, other in meeting:
            left, right = meeting.left, meeting.right
            delta = left.delta[one]
            weight = _weight_of_both(left.before[one], delta, right.before[other], right.delta[other])
            kinds = np.where(np.sign(weight) == np.sign(delta), left.kind[one], right.kind[other])
            yield from self._paired(meeting, (one, other), weight, kinds, is_gone)

    def _paired(
        self, meeting: Meeting, pairs: Pairs, weight: Ints, kinds: Kinds, is_gone: bool
    ) -> Iterator[pa.RecordBatch]:
        """Gives pairs as often as they weigh, not too many rows in a block."""
        some = np.flatnonzero((weight != 0) & (is_retract(kinds) == is_gone))
        total = np.cumsum(np.abs(weight[some]))
        count = int(total[-1]) if len(total) else 0
        for start in range(0, count, _BLOCK):
            places = np.arange(start, min(start + _BLOCK, count))
            at = some[places if count == len(some) else np.searchsorted(total, places, "right")]
            columns = [*take(meeting.left.data, pairs[0][at]).columns, *take(meeting.right.data, pairs[1][at]).columns]
            yield with_kind(pa.RecordBatch.from_arrays(columns, names=self._names), kinds[at])


def _weight_of_both(left: Ints, left_delta: Ints, right: Ints, right_delta: Ints) -> Ints:
    """Tells by how much pairs become more whose rows both changed. Retractions of two rows that were not there retract no pair."""
    left_after, right_after = left + left_delta, right + right_delta
    after = left_after * np.maximum(right_after, 0) + np.minimum(right_after, 0) * np.maximum(left_after, 0)
    weight: Ints = after - left * right
    return weight
