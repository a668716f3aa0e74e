"""Sorts, searches and cuts columns of whole numbers: what every table and operator of the state is made of.

>>> lexical_order([np.array([2, 1, 2]), np.array([0, 0, -1])])
array([1, 2, 0])
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def lexical_order(keys: Sequence[Ints]) -> Ints:
    """Gives the order of rows by several numbers; equal rows stay in the order they have. What is sorted already costs little."""
    order = _stable_order(keys[0])
    if len(keys) == 1 or len(order) < 2:
        return order
    leading = keys[0][order]
    starts = np.append(True, leading[1:] != leading[:-1])
    for key in keys[1:]:
        if starts.all():
            break
        starts = _refine(order, starts, key)
    return order


def _refine(order: Ints, starts: Bools, key: Ints) -> Bools:
    """Sorts the runs of an order by one more number, in place; gives the starts of the runs that are equal in that as well."""
    sorted_key = key[order]
    differs = np.append(True, sorted_key[1:] != sorted_key[:-1])
    unsorted = np.append(False, sorted_key[1:] < sorted_key[:-1]) & ~starts
    if unsorted.any():
        run = np.cumsum(starts) - 1
        marks = np.zeros(run[-1] + 1, bool)
        marks[run[unsorted]] = True
        mixed = np.flatnonzero(marks[run])
        # run and rank of the number in one number: sorting that is much cheaper than sorting twice
        packed = (run[mixed] << 32) | _dense_rank(sorted_key[mixed])
        order[mixed] = order[mixed][_stable_order(packed)]
        sorted_key = key[order]
        differs = np.append(True, sorted_key[1:] != sorted_key[:-1])
    starts_of_more: Bools = starts | differs
    return starts_of_more


def _dense_rank(values: Ints) -> Ints:
    """Gives small numbers that are in the same order."""
    least, most = int(values.min()), int(values.max())
    if most - least < 1 << 31:
        return values - least
    order = np.argsort(values)
    ordered = values[order]
    rank = np.empty(len(values), np.int64)
    rank[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return rank


def _stable_order(values: Ints) -> Ints:
    # timsort merges sorted runs at a few nanoseconds a row; without runs numpy's vectorised sort is six times as fast
    if np.count_nonzero(values[1:] < values[:-1]) * 64 < len(values):
        return np.argsort(values, kind="stable")
    order = np.argsort(values)
    sorted_values = values[order]
    equal = sorted_values[1:] == sorted_values[:-1]
    if equal.any():
        tied = np.zeros(len(order), bool)
        tied[1:] = equal
        tied[:-1] |= equal
        run = np.cumsum(np.append(True, ~equal))[tied]
        # run and row in one number, so that equal values are sorted by their row
        packed = (run << 32) | order[tied]
        packed.sort()
        order[tied] = packed & 0xFFFFFFFF
    return order


def is_sorted(keys: Sequence[Ints]) -> bool:
    """Says whether rows stand in the order of these numbers, each combination once."""
    if len(keys[0]) < 2:
        return True
    rising = np.zeros(len(keys[0]) - 1, bool)
    equal = np.ones(len(keys[0]) - 1, bool)
    for key in keys:
        rising |= equal & (key[1:] > key[:-1])
        equal &= key[1:] == key[:-1]
        if not (rising | equal).all():
            return False
    return bool(rising.all())


def starts_of_runs(keys: Sequence[Ints]) -> Bools:
    """Marks the first row of each run of equal numbers."""
    starts = np.zeros(len(keys[0]), bool)
    starts[:1] = True
    for key in keys:
        starts[1:] |= key[1:] != key[:-1]
    return starts


def without_repeats(values: Ints) -> Ints:
    """Gives sorted numbers, each once."""
    return values[starts_of_runs([values])]


def ends_of_runs(keys: Sequence[Ints]) -> Bools:
    """Marks the last row of each run of equal numbers."""
    ends = np.zeros(len(keys[0]), bool)
    ends[-1:] = True
    for key in keys:
        ends[:-1] |= key[1:] != key[:-1]
    return ends


def spread(low: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Lists the members of ranges, one range behind the other: the range each belongs to, and its position.

    >>> spread(np.array([5, 9]), np.array([2, 1]))
    (array([0, 0, 1]), array([5, 6, 9]))
    """
    owner = np.repeat(np.arange(len(low)), count)
    ends = np.cumsum(count)
    return owner, np.arange(len(owner)) + np.repeat(low - (ends - count), count)


def rank_in_runs(owner: Ints) -> Ints:
    """Counts each row's place in its run, from 0; equal owners stand together."""
    starts = np.flatnonzero(starts_of_runs([owner]))
    return np.arange(len(owner)) - np.repeat(starts, np.diff(starts, append=len(owner)))


def lower_bound(values: Ints, low: Ints, high: Ints, asked: Ints) -> Ints:
    """Finds by halves the first place in `values[low:high]` that is not below the asked number, for each of many."""
    return _bisect(values, low, high, asked, False)


def upper_bound(values: Ints, low: Ints, high: Ints, asked: Ints) -> Ints:
    """Finds by halves the first place in `values[low:high]` that is above the asked number, for each of many."""
    return _bisect(values, low, high, asked, True)


def _bisect(values: Ints, low: Ints, high: Ints, asked: Ints, right: bool) -> Ints:
    low, high = low.copy(), high.copy()
    todo = np.flatnonzero(low < high)
    # often the first place is the right one
    first = values[low[todo]]
    todo = todo[first <= asked[todo] if right else first < asked[todo]]
    while len(todo):
        middle = (low[todo] + high[todo]) >> 1
        before = values[middle] <= asked[todo] if right else values[middle] < asked[todo]
        low[todo[before]] = middle[before] + 1
        high[todo[~before]] = middle[~before]
        todo = todo[low[todo] < high[todo]]
    return low


def find_rows(keys: Sequence[Ints], asked: Sequence[Ints]) -> tuple[Ints, Bools]:
    """Finds rows by all their numbers in sorted `keys`: where each asked row stands, and whether it is there."""
    if not len(keys[0]):
        return np.zeros(len(asked[0]), np.int64), np.zeros(len(asked[0]), bool)
    at = np.searchsorted(keys[0], asked[0])
    at = np.minimum(at, len(keys[0]) - 1)
    same = keys[0][at] == asked[0]
    if len(keys) == 1:
        return at, same
    deeper = np.zeros(len(at), bool)
    for key, number in zip(keys[1:], asked[1:], strict=True):
        deeper |= key[at] != number
    rows = np.flatnonzero(same & deeper)
    if len(rows):
        at[rows] = _find_deeper(keys, [number[rows] for number in asked], at[rows])
        for key, number in zip(keys, asked, strict=True):
            same[rows] &= key[at[rows]] == number[rows]
    return at, same


def _find_deeper(keys: Sequence[Ints], asked: Sequence[Ints], low: Ints) -> Ints:
    # many rows may share their first number: by halves within its run, never row by row
    high = np.searchsorted(keys[0], asked[0], "right")
    for level, (key, number) in enumerate(zip(keys[1:], asked[1:], strict=True), 2):
        low = lower_bound(key, low, high, number)
        if level < len(keys):
            high = upper_bound(key, low, high, number)
    return np.minimum(low, len(keys[0]) - 1)
