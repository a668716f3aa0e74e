"""GROUP BY over inserted and retracted rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from firesteel.state.aggregate.arrival import Arrivals
from firesteel.state.aggregate.change import Accumulator, Change, Outcome, Stored
from firesteel.state.aggregate.distinct import distinct_change
from firesteel.state.aggregate.extreme import Extreme
from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.aggregate.total import Count, DecimalSum, DoubleSum, Sum
from firesteel.state.group import Groups, deal_rows
from firesteel.state.hash import same_values
from firesteel.state.operator.change import changes_of
from firesteel.state.operator.operator import INPUT
from firesteel.state.order import Bools, Ints, starts_of_runs
from firesteel.state.row import block_of, signs_of, take, with_numbers
from firesteel.state.segment import numbers
from firesteel.state.state import Now, State

#: How many rows a group has.
_ROWS = "__rows"
_ARRIVALS = "arrivals"


@dataclass(frozen=True)
class GroupAggregate:
    """Aggregates by key. A group ends with its last row; a retraction from a group without rows is ignored, as in Flink.

    The output has the key and the aggregates. `old_rows`: whether UPDATE_BEFORE is wanted. With a time to live, results that did not
    change are handed on. Where nothing is ever retracted (`append_only`), MIN, MAX, FIRST_VALUE and LAST_VALUE keep nothing but their answer.
    """

    key: tuple[str, ...]
    aggregates: tuple[Aggregate, ...]
    ttl: int | None = None
    old_rows: bool = True
    append_only: bool = False

    @property
    def is_timed(self) -> bool:
        return self.ttl is not None

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        rows = block_of(inputs.get(INPUT))
        if rows is None:
            return None
        groups, count, outcomes = self.accumulate(rows, state)
        key = take(rows.select(list(self.key)), groups.heads)
        alive = np.flatnonzero(count > 0)
        unchanged = self._unchanged(outcomes, groups.is_known & (count > 0))
        before, after = groups.known[~unchanged[groups.known]], alive[~unchanged[alive]]
        return changes_of(
            (before, self._results(key, [outcome.before for outcome in outcomes], before)),
            (after, self._results(key, [outcome.after for outcome in outcomes], after)),
            self.old_rows,
        )

    def accumulate(self, rows: pa.RecordBatch, state: State) -> tuple[Groups, Ints, list[Outcome]]:
        """Works rows into the state; gives their groups, how many rows each has now, and its results."""
        groups = deal_rows(rows, self.key, state.table("groups", self.ttl), state, narrow=True)
        change = self._change(groups, state)
        count = change.stored_number(_ROWS) + change.total(change.sign)
        outcomes = self._work(change)
        self._put(groups, take(rows.select(list(self.key)), groups.heads), count, outcomes, state)
        return groups, count, outcomes

    def end(self, k1: Ints, columns: pa.Schema, state: State) -> pa.RecordBatch | None:
        """Gives the results of groups by their numbers, sorted, and removes the groups with all that is stored for them.

        `columns` are those of the operator's input. Groups that are not there give nothing.
        """
        table = state.table("groups", self.ttl)
        at, old = table.get(k1, np.zeros(len(k1), np.int64))
        if old is None:
            return None
        k1, zero = k1[at], np.zeros(len(at), np.int64)
        nothing = np.empty(0, np.int64)
        rows = pa.RecordBatch.from_arrays([pa.array([], field.type) for field in columns], names=columns.names)
        stored, tables = Stored(k1, np.arange(len(k1)), old), partial(state.table, ttl=self.ttl)
        outcomes = self._work(Change(rows, nothing, nothing, nothing, nothing, stored, tables, self.append_only))
        table.put(with_numbers(old, k1, zero), np.ones(len(k1), bool))
        for number in range(len(self.aggregates)):
            for name in ("values", "arrivals", "distinct"):
                if f"{name}{number}" in state.tables():
                    _, values = tables(f"{name}{number}").scan(k1)
                    if values is not None:
                        tables(f"{name}{number}").put(values, np.ones(values.num_rows, bool))
        results = [outcome.before for outcome in outcomes]
        return self._results(old.select(list(self.key)), results, np.arange(len(k1)))

    def _change(self, groups: Groups, state: State) -> Change:
        first = state.own.get(_ARRIVALS, 0)
        if any(_needs_arrival(aggregate.function) for aggregate in self.aggregates):
            state.own[_ARRIVALS] = first + groups.rows.num_rows
        sign = signs_of(groups.rows)[groups.order]
        at, owner = groups.order, groups.owner
        stored = Stored(groups.k1, groups.known, groups.old)
        tables = partial(state.table, ttl=self.ttl)
        change = Change(groups.rows, at, owner, sign, first + at, stored, tables, self.append_only)
        ignored = _ignored(change)
        if ignored is None:
            return change
        places = np.flatnonzero(~ignored)
        return change.select(places, sign[places])

    def _work(self, change: Change) -> list[Outcome]:
        outcomes = []
        distinct: dict[tuple[str | None, str | None, bool], Change] = {}
        for number, aggregate in enumerate(self.aggregates):
            mine = change
            if aggregate.distinct and aggregate.function not in (Function.MIN, Function.MAX):
                seen = (aggregate.argument, aggregate.filter, aggregate.function is Function.ARRAY_AGG)
                if seen not in distinct:
                    distinct[seen] = distinct_change(change, aggregate, number)
                mine = distinct[seen]
            outcomes.append(_accumulator(number, aggregate, change.rows).work(mine))
        return outcomes

    def _put(self, groups: Groups, key: pa.RecordBatch, count: Ints, outcomes: list[Outcome], state: State) -> None:
        at = np.flatnonzero((count > 0) | groups.is_known)
        kept = [(_ROWS, pa.array(count)), *(column for outcome in outcomes for column in outcome.kept)]
        names = [*key.schema.names, *(name for name, _ in kept)]
        row = pa.RecordBatch.from_arrays([*key.columns, *(column for _, column in kept)], names=names)
        row = take(with_numbers(row, groups.k1, groups.k2), at)
        state.table("groups", self.ttl).put(row, count[at] == 0)

    def _unchanged(self, outcomes: list[Outcome], both: Bools) -> Bools:
        """Marks groups that had a result and have the same again."""
        if self.ttl is not None:
            return np.zeros(len(both), bool)
        unchanged = both.copy()
        for outcome in outcomes:
            unchanged &= same_values(outcome.before, outcome.after)
        return unchanged

    def _results(self, key: pa.RecordBatch, results: list[pa.Array], at: Ints) -> pa.RecordBatch | None:
        if not len(at):
            return None
        names = [*self.key, *(aggregate.name for aggregate in self.aggregates)]
        if not names:
            raise ValueError("A GROUP BY without a key needs an aggregate.")
        return take(pa.RecordBatch.from_arrays([*key.columns, *results], names=names), at)

    def wake(self, state: State) -> int | None:
        return None


def _needs_arrival(function: Function) -> bool:
    return function in (
        Function.FIRST_VALUE,
        Function.LAST_VALUE,
        Function.LISTAGG,
        Function.COLLECT,
        Function.ARRAY_AGG,
    )


def _accumulator(number: int, aggregate: Aggregate, rows: pa.RecordBatch) -> Accumulator:
    function = aggregate.function
    if function is Function.COUNT:
        return Count(number, aggregate)
    if function in (Function.MIN, Function.MAX):
        return Extreme(number, aggregate)
    if _needs_arrival(function):
        return Arrivals(number, aggregate)
    kind = rows.schema.field(str(aggregate.argument)).type
    if function not in (Function.SUM, Function.AVG) or pa.types.is_floating(kind):
        return DoubleSum(number, aggregate)
    return DecimalSum(number, aggregate) if pa.types.is_decimal(kind) else Sum(number, aggregate)


def _ignored(change: Change) -> Bools | None:
    """Marks retractions from groups that have no rows at that moment; None where there are none."""
    if not (change.sign < 0).any():
        return None
    had = np.zeros(change.groups, np.int64)
    if change.old is not None:
        had[change.known] = numbers(change.old, _ROWS)
    starts = starts_of_runs([change.owner])
    running = np.cumsum(change.sign)
    base = np.repeat((running - change.sign)[starts], np.diff(change.starts, append=len(running)))
    running = running - base + had[change.owner]
    if not (running < 0).any():
        return None
    # each new lowest point below zero of a group is a retraction that found no row
    span = 4 * len(running) + 4
    lowest = np.minimum.accumulate(np.minimum(running, 0) - change.owner * span) + change.owner * span
    previous = np.where(starts, 0, np.append(0, lowest[:-1]))
    ignored: Bools = lowest < previous
    return ignored
