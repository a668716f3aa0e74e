"""Blocks of rows on their way to an operator: hashed by its key, dealt to buckets, written as bytes.

>>> rows = pa.record_batch({"k": ["a", "b", "a"], "v": [1, 2, 3]})
>>> blocks = split_by_bucket(with_hashes(rows, ["k"]), 4)
>>> sorted(read_block(write_block(block)).column("v").to_pylist() for _, block in blocks)
[[1, 3], [2]]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.state.hash import hash_columns
from firesteel.state.order import Ints
from firesteel.state.row import take, with_numbers
from firesteel.state.segment import K1, numbers, read_rows, write_rows

#: A bucket is chosen by these bits of a hash and those above: tables are sorted by the whole of it, which stays evenly spread.
_SHIFT = np.uint64(33)


def with_hashes(rows: pa.RecordBatch, key: Sequence[str]) -> pa.RecordBatch:
    """Adds the two hashes of a key. All rows without a key have the same ones."""
    columns = [rows.column(name) for name in key] or [pa.nulls(rows.num_rows)]
    return with_numbers(rows, hash_columns(columns, 1), hash_columns(columns, 2))


def bucket_of(k1: Ints, count: int) -> Ints:
    """Tells the bucket of each hash."""
    buckets: Ints = ((k1.view(np.uint64) >> _SHIFT) % np.uint64(count)).astype(np.int64)
    return buckets


def split_by_bucket(rows: pa.RecordBatch, count: int) -> list[tuple[int, pa.RecordBatch]]:
    """Deals rows to buckets, each with those that it gets in the order in which they stand."""
    if not rows.num_rows:
        return []
    if count == 1:
        return [(0, rows)]
    bucket = bucket_of(numbers(rows, K1), count).astype(np.uint16)
    order = np.argsort(bucket, kind="stable")
    dealt = take(rows, order)
    edges = np.searchsorted(bucket[order], np.arange(count + 1))
    parts = ((one, int(edges[one]), int(edges[one + 1])) for one in range(count))
    return [(one, dealt.slice(start, end - start)) for one, start, end in parts if end > start]


def write_block(rows: pa.RecordBatch) -> bytes:
    """Turns a block into bytes, for another process of the same machine or cluster."""
    written: bytes = write_rows(rows, None).to_pybytes()
    return written


def read_block(data: Any) -> pa.RecordBatch:
    """Reads what `write_block` wrote, without copying it."""
    return read_rows(data)
