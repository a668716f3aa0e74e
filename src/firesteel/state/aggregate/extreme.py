"""MIN and MAX over retracted rows: the values of a group in order, each with its count.

A group's answer is stored. Only where it was retracted are the group's values read again, from its place on: neither all of them nor those deleted before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.state.aggregate.change import Change, Outcome
from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.encode import order_codes, order_prefix
from firesteel.state.hash import hash_columns
from firesteel.state.order import Bools, Ints, lexical_order, starts_of_runs
from firesteel.state.row import scatter
from firesteel.state.segment import K1, K2, K3, numbers
from firesteel.state.table import SortedTable

_MOST = 2**63 - 1


@dataclass(frozen=True)
class _Moves:
    """Values that a group gains or loses, in the order of groups and values."""

    owner: Ints
    code: Ints
    values: pa.Array
    comes: Bools
    goes: Bools
    exact: bool


@dataclass(frozen=True)
class Extreme:
    """MIN or MAX of one argument."""

    number: int
    aggregate: Aggregate

    @property
    def _descending(self) -> bool:
        return self.aggregate.function is Function.MAX

    def work(self, change: Change) -> Outcome:
        name, kind = f"__best{self.number}", self.aggregate.type
        stored = [] if change.old is None else [(change.known, change.old.column(name))]
        before = scatter(change.groups, kind, stored)
        if change.append_only:
            after = self._best_of_all(change, before)
            return Outcome(before, after, [(name, after)])
        table = change.table(f"values{self.number}")
        moves = self._move(change, table)
        after = before if moves is None else self._best(change, table, before, moves)
        return Outcome(before, after, [(name, after)])

    def _best_of_all(self, change: Change, before: pa.Array) -> pa.Array:
        """Finds the answers where nothing is ever retracted: the answer so far is all that has to be known."""
        rows = np.flatnonzero(change.counted(self.aggregate))
        has = np.flatnonzero(before.is_valid().to_numpy(zero_copy_only=False))
        new = change.column(str(self.aggregate.argument)).take(pa.array(rows)).cast(before.type)
        values = pa.concat_arrays([before.take(pa.array(has)), new])
        owner = np.concatenate([has, change.owner[rows]])
        return scatter(change.groups, before.type, [self._first(owner, values, False)])

    def _move(self, change: Change, table: SortedTable) -> _Moves | None:
        """Counts values, and tells which a group gains and which it loses."""
        sign = change.counted(self.aggregate)
        rows = np.flatnonzero(sign)
        if not len(rows):
            return None
        values = change.column(str(self.aggregate.argument)).take(pa.array(rows)).cast(self.aggregate.type)
        code, exact = order_prefix(values, self._descending, False)
        keys = [change.owner[rows], code, *([] if exact else [hash_columns([values], 11)])]
        order = lexical_order(keys)
        keys = [key[order] for key in keys]
        starts = np.flatnonzero(starts_of_runs(keys))
        delta = np.add.reduceat(sign[rows][order], starts)
        starts, delta = starts[delta != 0], delta[delta != 0]
        if not len(starts):
            return None
        owner, asked = keys[0][starts], [change.k1[keys[0][starts]], *(key[starts] for key in keys[1:])]
        at, old = table.get(*asked)
        before = np.zeros(len(starts), np.int64)
        if old is not None:
            before[at] = numbers(old, "count")
        after, values = before + delta, values.take(pa.array(order[starts]))
        names = (K1, K2, K3)[: len(asked)]
        table.put(pa.table({**dict(zip(names, asked, strict=True)), "value": values, "count": after}), after == 0)
        comes, goes = (before <= 0) & (after > 0), (before > 0) & (after <= 0)
        return _Moves(owner, asked[1], values, comes, goes, exact)

    def _best(self, change: Change, table: SortedTable, before: pa.Array, moves: _Moves) -> pa.Array:
        has = before.is_valid().to_numpy(zero_copy_only=False)
        best = np.where(has, order_prefix(before, self._descending, False)[0], _MOST)
        came = np.flatnonzero(moves.comes)
        came = came[starts_of_runs([moves.owner[came]])]
        newcomer = np.full(change.groups, _MOST)
        newcomer[moves.owner[came]] = moves.code[came]
        again = np.zeros(change.groups, bool)
        if moves.exact:
            again[moves.owner[moves.goes & (moves.code == best[moves.owner])]] = True
            again &= has
            better = ~has[moves.owner[came]] | (moves.code[came] < best[moves.owner[came]])
            came = came[better]
        else:
            # texts with the same beginning have the same number: these have to be compared as they are
            again[moves.owner[(moves.comes | moves.goes) & (moves.code <= best[moves.owner])]] = True
            again[moves.owner[came[~has[moves.owner[came]]]]] = True
            came = came[:0]
        parts = [(np.arange(change.groups), before), (moves.owner[came], moves.values.take(pa.array(came)))]
        todo = np.flatnonzero(again)
        if len(todo):
            table.flush()
            ones = np.ones(len(todo), np.int64)
            owner, rows = table.first(change.k1[todo], ones, np.minimum(best, newcomer)[todo])
            parts.append((todo, pa.nulls(len(todo), before.type)))
            if rows is not None:
                parts.append(self._first(todo[owner], rows.column("value"), moves.exact))
        return scatter(change.groups, before.type, parts)

    def _first(self, owner: Ints, values: pa.Array, exact: bool) -> tuple[Ints, pa.Array]:
        """Chooses the first value of each group among those that were read."""
        order = (
            np.arange(len(owner)) if exact else lexical_order([owner, *order_codes(values, self._descending, False)])
        )
        first = order[starts_of_runs([owner[order]])]
        return owner[first], values.take(pa.array(first))
