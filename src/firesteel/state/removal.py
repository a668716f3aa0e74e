"""Finds which of equal rows a retraction removes: the first that was inserted, as in Flink."""

from __future__ import annotations

import numpy as np

from firesteel.state.order import Bools, Ints, lexical_order, rank_in_runs, starts_of_runs

_LEAST = -(2**63)


def taken_rows(owner: Ints, hashed: Ints, arrival: Ints, takers: tuple[Ints, Ints]) -> Bools:
    """Marks rows that are retracted. `takers`: owner and hash of the retractions, of which each takes one."""
    count = len(takers[0])
    if not count:
        return np.zeros(len(owner), bool)
    keys = [np.concatenate([takers[0], owner]), np.concatenate([takers[1], hashed])]
    order = lexical_order([*keys, np.concatenate([np.full(count, _LEAST), arrival])])
    run = np.cumsum(starts_of_runs([key[order] for key in keys])) - 1
    number = np.bincount(run, weights=order < count).astype(np.int64)
    marks = np.zeros(len(order), bool)
    # in each run those that take stand before those that are taken
    marks[order] = rank_in_runs(run) < 2 * number[run]
    return marks[count:]
