"""Joins two inputs that both change: inner, outer, semi and anti."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pyarrow as pa

from firesteel.state.join.pair import Condition, Match, Pairs
from firesteel.state.join.side import SideRows, changes_of_side, net_rows, no_rows, put_rows, stored_rows
from firesteel.state.order import Ints, without_repeats
from firesteel.state.row import DELETE, INSERT, Kinds, block_of, data_of, output_of, signs_of, take, with_kind
from firesteel.state.state import Now, State
from firesteel.state.table import SortedTable

LEFT_INPUT, RIGHT_INPUT = "left", "right"


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
class _Meeting:
    """A batch's changed rows of both sides, the stored rows with their keys that did not change, and the pairs among them.

    The pairs are of changed left and unchanged right rows, of unchanged left and changed right rows, and of rows that both changed.
    """

    left: SideRows
    right: SideRows
    left_rest: SideRows
    right_rest: SideRows
    left_pairs: Pairs
    right_pairs: Pairs
    both_pairs: Pairs


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
        left_table, right_table = state.table("left", self.left.ttl), state.table("right", self.right.ttl)
        alone: list[pa.RecordBatch] = []
        left = self._changes(inputs, 0, left_table, alone)
        right = self._changes(inputs, 1, right_table, alone)
        if not len(left) and not len(right):
            return self._output(output_of(alone))
        meeting = self._meet(left, right, left_table, right_table)
        blocks = [*alone, *self._left_blocks(meeting, left_table), *self._right_blocks(meeting, right_table)]
        if self.kind not in (JoinKind.SEMI, JoinKind.ANTI):
            blocks += self._pair_blocks(meeting)
        return self._output(_retracts_first(blocks))

    def _output(self, rows: pa.Table | None) -> pa.Table | None:
        if rows is None or not self.dropped:
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

    def _meet(self, left: SideRows, right: SideRows, left_table: SortedTable, right_table: SortedTable) -> _Meeting:
        left_rest, right_rest = no_rows(self.left.columns), no_rows(self.right.columns)
        if len(left):
            found = stored_rows(right_table, without_repeats(left.k1), self.right.columns.names, self._tracks_right)
            right_rest = right_rest if found is None else found.take(~found.are_in(right))
        if len(right):
            found = stored_rows(left_table, without_repeats(right.k1), self.left.columns.names, self._tracks_left)
            left_rest = left_rest if found is None else found.take(~found.are_in(left))
        pairs = self._match.pairs
        return _Meeting(
            left,
            right,
            left_rest,
            right_rest,
            pairs(left, right_rest),
            pairs(left_rest, right),
            pairs(left, right),
        )

    def _left_blocks(self, meeting: _Meeting, table: SortedTable) -> list[pa.RecordBatch]:
        """Writes the left rows, and gives the changes of rows without a match, or of semi and anti joins."""
        left = meeting.left
        if not self._tracks_left:
            put_rows(table, left, left.matches, False)
            return []
        (one, rest), (others, other) = meeting.left_pairs, meeting.right_pairs
        matches = _total(len(left), one, meeting.right_rest.before[rest])
        matches += _total(len(left), meeting.both_pairs[0], meeting.right.after[meeting.both_pairs[1]])
        gained = _total(len(meeting.left_rest), others, meeting.right.delta[other])
        return self._settle(table, left, matches, meeting.left_rest, gained, 0)

    def _right_blocks(self, meeting: _Meeting, table: SortedTable) -> list[pa.RecordBatch]:
        """Writes the right rows, and gives the changes of rows without a match."""
        right = meeting.right
        if not self._tracks_right:
            put_rows(table, right, right.matches, False)
            return []
        (one, others), (rest, other) = meeting.left_pairs, meeting.right_pairs
        matches = _total(len(right), other, meeting.left_rest.before[rest])
        matches += _total(len(right), meeting.both_pairs[1], meeting.left.after[meeting.both_pairs[0]])
        gained = _total(len(meeting.right_rest), others, meeting.left.delta[one])
        return self._settle(table, right, matches, meeting.right_rest, gained, 1)

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

    def _pair_blocks(self, meeting: _Meeting) -> list[pa.RecordBatch]:
        left, right = meeting.left, meeting.right
        left_rest, right_rest = meeting.left_rest, meeting.right_rest
        one, rest = meeting.left_pairs
        rest_, other = meeting.right_pairs
        both = meeting.both_pairs
        weight = _weight_of_both(left.take(both[0]), right.take(both[1]))
        agrees = np.sign(weight) == np.sign(left.delta[both[0]])
        kinds = np.where(agrees, left.kind[both[0]], right.kind[both[1]])
        return [
            self._paired(
                left, right_rest, meeting.left_pairs, left.delta[one] * right_rest.before[rest], left.kind[one]
            ),
            self._paired(
                left_rest, right, meeting.right_pairs, left_rest.before[rest_] * right.delta[other], right.kind[other]
            ),
            self._paired(left, right, both, weight, kinds),
        ]

    def _paired(self, left: SideRows, right: SideRows, pairs: Pairs, weight: Ints, kinds: Kinds) -> pa.RecordBatch:
        one, other = pairs
        if (np.abs(weight) != 1).any():
            times = np.abs(weight)
            one, other, kinds = np.repeat(one, times), np.repeat(other, times), np.repeat(kinds, times)
        columns = [*take(left.data, one).columns, *take(right.data, other).columns]
        rows = pa.RecordBatch.from_arrays(columns, names=self._names)
        return with_kind(rows, kinds)


def _weight_of_both(left: SideRows, right: SideRows) -> Ints:
    """Tells by how much pairs become more whose rows both changed. Retractions of two rows that were not there retract no pair."""
    left_after, right_after = left.before + left.delta, right.before + right.delta
    after = left_after * np.maximum(right_after, 0) + np.minimum(right_after, 0) * np.maximum(left_after, 0)
    weight: Ints = after - left.before * right.before
    return weight


def _total(count: int, at: Ints, weight: Ints) -> Ints:
    """Adds weights up by place."""
    total = np.zeros(count, np.int64)
    np.add.at(total, at, weight)
    return total


def _retracts_first(blocks: list[pa.RecordBatch]) -> pa.Table | None:
    """Puts retractions before inserts: what replaces a row stands behind it."""
    blocks = [block for block in blocks if block.num_rows]
    if not blocks:
        return None
    signs = [signs_of(block) for block in blocks]
    gone = [take(block, sign < 0) for block, sign in zip(blocks, signs, strict=True)]
    come = [take(block, sign > 0) for block, sign in zip(blocks, signs, strict=True)]
    return output_of([*gone, *come])
