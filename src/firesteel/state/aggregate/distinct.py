"""DISTINCT: counts how often each value of a group is there, so that only its first insert and its last retraction matter."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.state.aggregate.change import Change
from firesteel.state.aggregate.function import Aggregate
from firesteel.state.hash import hash_columns
from firesteel.state.order import Ints, lexical_order, starts_of_runs
from firesteel.state.segment import K1, K2, K3, numbers


def distinct_change(change: Change, aggregate: Aggregate, number: int) -> Change:
    """Gives the rows that insert a value of an aggregate's argument for the first time, or retract it for the last."""
    sign = change.counted(aggregate)
    rows = np.flatnonzero(sign)
    values = change.column(str(aggregate.argument)).take(pa.array(rows))
    owner = change.owner[rows]
    keys = [owner, hash_columns([values], 21), hash_columns([values], 22)]
    order = lexical_order(keys)
    keys = [key[order] for key in keys]
    starts = np.flatnonzero(starts_of_runs(keys))
    if not len(starts):
        return change.select(rows, sign[rows])
    delta = np.add.reduceat(sign[rows][order], starts)
    asked = [change.k1[keys[0][starts]], keys[1][starts], keys[2][starts]]
    table = change.table(f"distinct{number}")
    before = np.zeros(len(starts), np.int64)
    at, old = table.get(*asked)
    if old is not None:
        before[at] = numbers(old, "count")
    after = before + delta
    some = np.flatnonzero(delta)
    counts = {name: asked[i][some] for i, name in enumerate((K1, K2, K3))}
    table.put(pa.table({**counts, "count": after[some]}), after[some] == 0)
    step = (after > 0).astype(np.int64) - (before > 0)
    moved = np.flatnonzero(step)
    places = order[_last_coming(sign[rows][order], starts, before)[moved]]
    # places of one value may be anywhere among those of its group: back to the order of groups
    back = lexical_order([owner[places], places])
    return change.select(rows[places[back]], step[moved][back])


def _last_coming(sign: Ints, starts: Ints, before: Ints) -> Ints:
    """Finds in each run of equal values the last row that inserted the value while there was none, or the first row."""
    size = np.diff(starts, append=len(sign))
    running = np.cumsum(sign) - sign
    running = running - np.repeat(running[starts] - before, size)
    place = np.where((running <= 0) & (sign > 0), np.arange(len(sign)), -1)
    last: Ints = np.maximum.reduceat(place, starts)
    return np.where(last < 0, starts, last)
