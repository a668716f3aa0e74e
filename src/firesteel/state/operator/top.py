"""Top-N: the first rows of each partition in an order, with their numbers or without, over inserted and retracted rows.

Rows are stored by partition and by a number that does not contradict their order, so that only the front of a partition is read, however
large it is. Where it begins is stored with the partition, for the deleted rows before that are many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from firesteel.state.encode import is_exact, order_codes, order_prefix
from firesteel.state.group import Groups, deal_rows
from firesteel.state.hash import hash_columns, same_rows
from firesteel.state.operator.operator import INPUT
from firesteel.state.order import Bools, Ints, find_rows, lexical_order, rank_in_runs, starts_of_runs, without_repeats
from firesteel.state.row import (
    DELETE,
    INSERT,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    block_of,
    data_names,
    data_of,
    output_of,
    signs_of,
    take,
    with_kind,
    with_numbers,
)
from firesteel.state.segment import K2, K3, concatenate, numbers
from firesteel.state.state import Now, State

_FRONT, _COUNT, _ARRIVAL = "__front", "__count", "__arrival"
_ARRIVALS = "arrivals"
_MOST = 2**63 - 1


@dataclass(frozen=True)
class Sort:
    """A column of the order. NULL is the smallest value, unless something else is said."""

    column: str
    descending: bool = False
    nulls_first: bool | None = None

    @property
    def puts_nulls_first(self) -> bool:
        return not self.descending if self.nulls_first is None else self.nulls_first


@dataclass(frozen=True)
class _Rows:
    """Rows of partitions, with the number of their order, their hash, how often each is there and when it arrived."""

    owner: Ints
    prefix: Ints
    hashed: Ints
    count: Ints
    arrival: Ints
    data: pa.RecordBatch

    def take(self, at: Ints | Bools) -> _Rows:
        data = take(self.data, at)
        return _Rows(self.owner[at], self.prefix[at], self.hashed[at], self.count[at], self.arrival[at], data)

    def join(self, other: _Rows) -> _Rows:
        """Puts rows of both behind each other."""
        return _Rows(
            np.concatenate([self.owner, other.owner]),
            np.concatenate([self.prefix, other.prefix]),
            np.concatenate([self.hashed, other.hashed]),
            np.concatenate([self.count, other.count]),
            np.concatenate([self.arrival, other.arrival]),
            concatenate([self.data, other.data]),
        )


@dataclass(frozen=True)
class TopN:
    """The rows numbered `first` to `last` of each partition. `rank`: the column that gives their numbers; None for none.

    Equal rows are numbered by arrival. With `append_only`, where nothing is ever retracted, rows behind `last` are deleted from the state.
    """

    partition: tuple[str, ...]
    order: tuple[Sort, ...]
    last: int
    first: int = 1
    rank: str | None = None
    append_only: bool = False
    ttl: int | None = None
    old_rows: bool = True

    @property
    def is_timed(self) -> bool:
        return self.ttl is not None

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        rows = block_of(inputs.get(INPUT))
        if rows is None:
            return None
        groups = deal_rows(rows, self.partition, state.table("partitions", self.ttl), state, narrow=True)
        changed, delta = self._net(groups, state)
        if not len(delta):
            return None
        stored = self._stored(changed, groups, state)
        front = self._front(changed, delta, groups, state)
        # a retraction of a row that is not there is ignored, as in Flink
        after = replace(changed, count=np.maximum(stored.count + delta, 0), arrival=stored.arrival)
        top_before = self._top(front, len(groups))
        is_changed = find_rows(
            [changed.owner, changed.prefix, changed.hashed], [front.owner, front.prefix, front.hashed]
        )[1]
        rest = front.take(~is_changed)
        top_after, beyond = self._cut(rest.join(after.take(after.count > 0)), len(groups))
        self._put(after, beyond, groups, state)
        self._put_fronts(groups, top_after, state, without_repeats(changed.owner))
        if self.rank is None:
            return self._changes_of_rows(top_before, top_after)
        return self._changes_of_ranks(top_before, top_after)

    def wake(self, state: State) -> int | None:
        return None

    def _net(self, groups: Groups, state: State) -> tuple[_Rows, Ints]:
        """Gives the different rows of the batch, and by how much each has become more or less."""
        first = state.own.get(_ARRIVALS, 0)
        state.own[_ARRIVALS] = first + groups.rows.num_rows
        data = take(data_of(groups.rows), groups.order)
        sign = signs_of(groups.rows)[groups.order]
        keys = [groups.owner, self._prefix(data), hash_columns(data.columns, 41)]
        order = lexical_order(keys)
        starts = np.flatnonzero(starts_of_runs([key[order] for key in keys]))
        delta = np.add.reduceat(sign[order], starts)
        some = delta != 0
        at = order[starts[some]]
        changed = _Rows(keys[0][at], keys[1][at], keys[2][at], delta[some], first + groups.order[at], take(data, at))
        return changed, delta[some]

    def _prefix(self, data: pa.RecordBatch) -> Ints:
        if not self.order:
            return np.zeros(data.num_rows, np.int64)
        by = self.order[0]
        return order_prefix(data.column(by.column), by.descending, by.puts_nulls_first)[0]

    def _stored(self, changed: _Rows, groups: Groups, state: State) -> _Rows:
        """Finds how often each row is there already, and when it arrived."""
        at, old = state.table("rows", self.ttl).get(groups.k1[changed.owner], changed.prefix, changed.hashed)
        count, arrival = np.zeros(len(changed.owner), np.int64), changed.arrival.copy()
        if old is not None:
            count[at] = numbers(old, _COUNT)
            there = count[at] > 0
            arrival[at[there]] = numbers(old, _ARRIVAL)[there]
        return replace(changed, count=count, arrival=arrival)

    def _front(self, changed: _Rows, delta: Ints, groups: Groups, state: State) -> _Rows:
        """Reads as many rows of each partition as can matter: those of the answer, and one more for each retracted row."""
        wanted = np.full(len(groups), self.last) + np.bincount(changed.owner[delta < 0], minlength=len(groups))
        start = np.full(len(groups), -(2**63))
        if groups.old is not None:
            start[groups.known] = numbers(groups.old, _FRONT)
        touched = without_repeats(changed.owner)
        of, rows = state.table("rows", self.ttl).first(groups.k1[touched], wanted[touched], start[touched])
        if rows is None:
            return changed.take(np.empty(0, np.int64))
        front = _Rows(
            touched[of],
            numbers(rows, K2),
            numbers(rows, K3),
            numbers(rows, _COUNT),
            numbers(rows, _ARRIVAL),
            rows.select(data_names(groups.rows)),
        )
        return front.take(front.count > 0)

    def _top(self, rows: _Rows, groups: int) -> _Rows:
        return self._cut(rows, groups)[0]

    def _cut(self, rows: _Rows, groups: int) -> tuple[_Rows, _Rows]:
        """Sorts rows, and gives those up to the last number, each as often as it is there, and those that are behind."""
        keys = [rows.owner, rows.prefix]
        for place, by in enumerate(self.order):
            column = rows.data.column(by.column)
            if place or column.null_count or not is_exact(column.type):
                keys += order_codes(column, by.descending, by.puts_nulls_first)
        order = lexical_order([*keys, rows.arrival])
        # numbers up to the last one are counted, so that a row that is there a million times is no million rows
        count = np.minimum(rows.count[order], self.last)
        owner = rows.owner[order]
        starts = np.flatnonzero(starts_of_runs([owner]))
        before = np.cumsum(count) - count
        before = before - np.repeat(before[starts], np.diff(starts, append=len(owner)))
        inside = before < self.last
        shown = np.minimum(count, self.last - before)[inside]
        at = np.repeat(np.flatnonzero(inside), shown)
        return rows.take(order[at]), rows.take(order[~inside])

    def _put(self, after: _Rows, beyond: _Rows, groups: Groups, state: State) -> None:
        table = state.table("rows", self.ttl)
        for rows, gone in ((after, after.count == 0), (beyond, np.ones(len(beyond.owner), bool))):
            if rows is beyond and not self.append_only:
                continue
            names = [*rows.data.schema.names, _COUNT, _ARRIVAL]
            columns = [*rows.data.columns, pa.array(rows.count), pa.array(rows.arrival)]
            data = pa.RecordBatch.from_arrays(columns, names=names)
            table.put(with_numbers(data, groups.k1[rows.owner], rows.prefix, rows.hashed), gone)

    def _put_fronts(self, groups: Groups, top: _Rows, state: State, touched: Ints) -> None:
        """Stores where partitions begin, where that has changed."""
        front = np.full(len(groups), _MOST)
        first = starts_of_runs([top.owner])
        front[top.owner[first]] = top.prefix[first]
        empty = np.ones(len(groups), bool)
        empty[top.owner] = False
        changed = ~empty
        if groups.old is not None and self.ttl is None:
            changed[groups.known] = numbers(groups.old, _FRONT) != front[groups.known]
        changed |= empty & groups.is_known
        at = touched[changed[touched]]
        key = take(groups.rows.select(list(self.partition)), groups.heads[at])
        row = pa.RecordBatch.from_arrays([*key.columns, pa.array(front[at])], names=[*key.schema.names, _FRONT])
        state.table("partitions", self.ttl).put(with_numbers(row, groups.k1[at], groups.k2[at]), empty[at])

    def _changes_of_rows(self, before: _Rows, after: _Rows) -> pa.Table | None:
        """Compares the rows before and after: without numbers only matters which are there."""
        before, after = self._shown(before)[0], self._shown(after)[0]
        both = before.join(after)
        sign = np.append(np.full(len(before.owner), -1), np.full(len(after.owner), 1))
        keys = [both.owner, both.prefix, both.hashed]
        order = lexical_order(keys)
        starts = np.flatnonzero(starts_of_runs([key[order] for key in keys]))
        if not len(starts):
            return None
        net = np.add.reduceat(sign[order], starts)
        blocks = []
        for kind, times in ((DELETE, np.maximum(-net, 0)), (INSERT, np.maximum(net, 0))):
            blocks.append(with_kind(take(both.data, np.repeat(order[starts], times)), kind))
        return output_of(blocks)

    def _changes_of_ranks(self, before: _Rows, after: _Rows) -> pa.Table | None:
        """Compares the rows of each number before and after: with numbers each number of a partition is a row of its own."""
        (before, rank_before), (after, rank_after) = self._shown(before), self._shown(after)
        # places are unique within a partition
        width = self.last + 1
        place, place_after = before.owner * width + rank_before, after.owner * width + rank_after
        found, there = find_rows([place_after], [place])
        one, other = np.flatnonzero(there), found[there]
        same = same_rows(take(before.data, one).columns, take(after.data, other).columns, len(one))
        blocks = [
            self._ranked(before, rank_before, np.delete(np.arange(len(place)), one), DELETE),
            self._ranked(before, rank_before, one[~same], UPDATE_BEFORE) if self.old_rows else None,
            self._ranked(after, rank_after, other[~same], UPDATE_AFTER),
            self._ranked(after, rank_after, np.delete(np.arange(len(place_after)), other), INSERT),
        ]
        return output_of([block for block in blocks if block is not None])

    def _shown(self, rows: _Rows) -> tuple[_Rows, Ints]:
        """Gives the rows from the first number on, and their numbers."""
        rank = rank_in_runs(rows.owner) + 1
        shown = rank >= self.first
        return rows.take(shown), rank[shown]

    def _ranked(self, rows: _Rows, rank: Ints, at: Ints, kind: int) -> pa.RecordBatch:
        data = take(rows.data, at)
        names = [*data.schema.names, str(self.rank)]
        return with_kind(pa.RecordBatch.from_arrays([*data.columns, pa.array(rank[at])], names=names), kind)
