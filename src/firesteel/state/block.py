"""Blocks of rows on their way to an operator: dealt to buckets by the hash of its key, written as bytes.

>>> rows = pa.record_batch({"__k1": [1 << 33, 1 << 34, 1 << 33], "v": [1, 2, 3]})
>>> [(bucket, read_block(write_block(block)).column("v").to_pylist()) for bucket, block in split_by_bucket(rows, 4)]
[(1, [1, 3]), (2, [2])]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.state.order import Ints
from firesteel.state.row import take
from firesteel.state.segment import K1, numbers, read_rows, write_rows

#: A bucket is chosen by these bits of a hash and those above: tables are sorted by the whole of it, which stays evenly spread.
_SHIFT = np.uint64(33)


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
