"""Deals the state of a bucket out to other buckets, when a job goes on with another number of them.

What belongs to a key is copied to the bucket of the key: its hash is the first number of a row, and the second one where the first is a time. What an operator keeps beside its tables is copied to all: numbers that count up
become the greatest of all, and which keys have the same hashes is told to everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.errors import JobError
from firesteel.state.group import stepped_hashes
from firesteel.state.order import Ints
from firesteel.state.row import take
from firesteel.state.segment import K1, K2, numbers
from firesteel.state.state import State

#: Tells the bucket of each hash.
Buckets = Callable[[Ints], Ints]


@dataclass(frozen=True)
class DealtRows:
    """Rows of a table for one of the new buckets. `ttl`: the table's time to live."""

    bucket: int
    table: str
    ttl: int | None
    rows: pa.RecordBatch


def deal_bucket(source: State, targets: Sequence[State], bucket_of: Buckets) -> None:
    """Copies what lives in a bucket to new ones. `targets` are not committed; more buckets can be dealt to them."""
    for dealt in dealt_rows(source, len(targets), bucket_of):
        targets[dealt.bucket].table(dealt.table, dealt.ttl).restore(dealt.rows)
    for target in targets:
        merge_own(target.own, source.own)


def dealt_rows(source: State, count: int, bucket_of: Buckets) -> Iterator[DealtRows]:
    """Gives what lives in a bucket, in blocks, dealt to so many new ones."""
    natural = stepped_hashes(source.own)
    for name, ttl in source.tables().items():
        table = source.table(name, ttl)
        for rows in table.live():
            owner = bucket_of(_natural(numbers(rows, K2 if table.is_timed else K1), natural))
            for bucket in range(count):
                mine = owner == bucket
                if mine.any():
                    yield DealtRows(bucket, name, ttl, take(rows, mine))


def _natural(k1: Ints, stepped: dict[int, int]) -> Ints:
    """Gives the hashes by which rows are dealt: keys that have the same hash as another one are counted up."""
    for counted, first in stepped.items():
        k1 = np.where(k1 == counted, first, k1)
    return k1


def merge_own(target: dict[str, Any], source: Mapping[str, Any]) -> None:
    """Adds what an operator keeps beside the tables of one bucket to what it keeps beside those of another."""
    for name, value in source.items():
        present = target.get(name)
        if isinstance(value, dict):
            merged = dict(present) if isinstance(present, dict) else {}
            merge_own(merged, value)
            target[name] = merged
        elif isinstance(value, int) and isinstance(present, int):
            target[name] = max(value, present)
        elif present is None:
            target[name] = value
        elif present != value:
            raise JobError(f"What the state keeps as '{name}' differs between buckets, and cannot be dealt anew.")
