"""FIRST_VALUE, LAST_VALUE, LISTAGG, COLLECT and ARRAY_AGG over retracted rows: the values of a group in the order of arrival.

A retracted row removes the first equal value, as in Flink. The values of a group are read where the function needs all of them, for
FIRST_VALUE and LAST_VALUE only where a value was retracted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.state.aggregate.change import Change, Outcome
from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.hash import hash_columns
from firesteel.state.order import Bools, Ints, ends_of_runs, lexical_order, starts_of_runs
from firesteel.state.removal import taken_rows
from firesteel.state.row import scatter
from firesteel.state.segment import K1, K2, numbers
from firesteel.state.table import SortedTable


@dataclass(frozen=True)
class _Values:
    """Values of groups, in the order of groups and arrival."""

    owner: Ints
    arrival: Ints
    values: pa.Array

    def filter(self, marks: Bools) -> _Values:
        return _Values(self.owner[marks], self.arrival[marks], self.values.filter(pa.array(marks)))


@dataclass(frozen=True)
class Arrivals:
    """One of the functions of values in their order of arrival."""

    number: int
    aggregate: Aggregate

    def work(self, change: Change) -> Outcome:
        sign = change.counted(self.aggregate)
        rows = np.flatnonzero(sign)
        table = change.table(f"arrivals{self.number}")
        argument = change.column(str(self.aggregate.argument)).take(pa.array(rows))
        given = _Values(change.owner[rows], change.arrival[rows], argument)
        if self.aggregate.function in (Function.FIRST_VALUE, Function.LAST_VALUE):
            return self._edge(change, table, given, sign[rows])
        before, after = _change_values(change, table, given, sign[rows], np.arange(change.groups))
        return Outcome(self._lists(before, change.groups), self._lists(after, change.groups))

    def _edge(self, change: Change, table: SortedTable, given: _Values, sign: Ints) -> Outcome:
        """Keeps the first or last value as the answer; the others are read only for groups that lose a value."""
        name, count = f"__edge{self.number}", change.groups
        stored = [] if change.old is None else [(change.known, change.old.column(name))]
        before = scatter(count, self.aggregate.type, stored)
        losing = np.zeros(count, bool)
        losing[given.owner[sign < 0]] = True
        simple = ~losing[given.owner]
        if not change.append_only:
            _put(table, change, given.filter(simple))
        parts = [(np.arange(count), before)]
        edges = starts_of_runs if self.aggregate.function is Function.FIRST_VALUE else ends_of_runs
        some = given.filter(simple)
        if self.aggregate.function is Function.FIRST_VALUE:
            some = some.filter(before.is_null().to_numpy(zero_copy_only=False)[some.owner])
        some = some.filter(edges([some.owner]))
        parts.append((some.owner, some.values))
        if losing.any():
            todo = np.flatnonzero(losing)
            _, values = _change_values(change, table, given.filter(~simple), sign[~simple], todo)
            values = values.filter(edges([values.owner]))
            parts += [(todo, pa.nulls(len(todo), self.aggregate.type)), (values.owner, values.values)]
        after = scatter(count, self.aggregate.type, parts)
        return Outcome(before, after, [(name, after)])

    def _lists(self, values: _Values, count: int) -> pa.Array:
        if self.aggregate.function is Function.COLLECT:
            return self._multisets(values, count)
        sizes = np.bincount(values.owner, minlength=count)
        offsets = pa.array(np.append(0, np.cumsum(sizes)).astype(np.int32))
        empty = pa.array(sizes == 0)
        if self.aggregate.function is Function.LISTAGG:
            joined = pc.binary_join(pa.ListArray.from_arrays(offsets, values.values), self.aggregate.separator)
            return pc.if_else(empty, None, joined)
        members = values.values.cast(self.aggregate.type.value_type)
        return pa.ListArray.from_arrays(offsets, members, self.aggregate.type, mask=empty)

    def _multisets(self, values: _Values, count: int) -> pa.Array:
        hashed = hash_columns([values.values], 31)
        order = lexical_order([values.owner, hashed])
        starts = np.flatnonzero(starts_of_runs([values.owner[order], hashed[order]]))
        sizes = np.diff(starts, append=len(order))
        first = order[starts]
        by_arrival = lexical_order([values.owner[first], values.arrival[first]])
        first, sizes = first[by_arrival], sizes[by_arrival]
        entries = np.bincount(values.owner[first], minlength=count)
        offsets = pa.array(np.append(0, np.cumsum(entries)).astype(np.int32))
        keys = values.values.take(pa.array(first)).cast(self.aggregate.type.key_type)
        items = pa.array(sizes).cast(self.aggregate.type.item_type)
        return pa.MapArray.from_arrays(offsets, keys, items, self.aggregate.type)


def _change_values(
    change: Change, table: SortedTable, given: _Values, sign: Ints, groups: Ints
) -> tuple[_Values, _Values]:
    """Reads the values of groups, adds the inserted ones and removes the retracted ones; gives the values before and after."""
    of, rows = table.scan(change.k1[groups])
    if rows is None:
        before = _Values(np.empty(0, np.int64), np.empty(0, np.int64), given.values.slice(0, 0))
    else:
        before = _Values(groups[of], numbers(rows, K2), rows.column("value"))
    new = given.filter(sign > 0)
    lost = given.filter(sign < 0)
    values = pa.concat_arrays([before.values, new.values])
    owner = np.concatenate([before.owner, new.owner])
    arrival = np.concatenate([before.arrival, new.arrival])
    takers = (lost.owner, hash_columns([lost.values], 31))
    stays = ~taken_rows(owner, hash_columns([values], 31), arrival, takers)
    old = len(before.owner)
    _put(table, change, new.filter(stays[old:]))
    gone = before.filter(~stays[:old])
    _put(table, change, gone, gone=True)
    order = lexical_order([owner, arrival])
    order = order[stays[order]]
    return before, _Values(owner[order], arrival[order], values.take(pa.array(order)))


def _put(table: SortedTable, change: Change, values: _Values, gone: bool = False) -> None:
    rows = pa.table({K1: change.k1[values.owner], K2: values.arrival, "value": values.values})
    table.put(rows, np.full(len(values.owner), True) if gone else None)
