"""Deals the state of a bucket out to other buckets, when a job goes on with another number of them.

What belongs to a key is copied to the bucket of the key. What an operator keeps beside its tables is copied to all: numbers that count up
become the greatest of all, and which keys have the same hashes is told to everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from firesteel.errors import JobError
from firesteel.state.group import stepped_hashes
from firesteel.state.order import Ints
from firesteel.state.row import take
from firesteel.state.segment import K1, numbers
from firesteel.state.state import State

#: Tells the bucket of each hash.
Buckets = Callable[[Ints], Ints]


def deal_bucket(source: State, targets: Sequence[State], bucket_of: Buckets) -> None:
    """Copies what lives in a bucket to new ones. `targets` are not committed; more buckets can be dealt to them."""
    for name, ttl in source.tables().items():
        table = source.table(name, ttl)
        if table.floor is not None:
            raise JobError(
                f"The state's table '{name}' is kept by time, and cannot be dealt to another number of buckets."
            )
        natural = stepped_hashes(source.own)
        for rows in table.live():
            owner = bucket_of(_natural(numbers(rows, K1), natural))
            for bucket, target in enumerate(targets):
                mine = owner == bucket
                if mine.any():
                    target.table(name, ttl).restore(take(rows, mine))
    for target in targets:
        _merge_own(target.own, source.own)


def _natural(k1: Ints, stepped: dict[int, int]) -> Ints:
    """Gives the hashes by which rows are dealt: keys that have the same hash as another one are counted up."""
    for counted, first in stepped.items():
        k1 = np.where(k1 == counted, first, k1)
    return k1


def _merge_own(target: dict[str, object], source: dict[str, object]) -> None:
    for name, value in source.items():
        present = target.get(name)
        if isinstance(value, dict):
            merged = dict(present) if isinstance(present, dict) else {}
            _merge_own(merged, value)
            target[name] = merged
        elif isinstance(value, int) and isinstance(present, int):
            target[name] = max(value, present)
        elif present is None:
            target[name] = value
        elif present != value:
            raise JobError(f"What the state keeps as '{name}' differs between buckets, and cannot be dealt anew.")
