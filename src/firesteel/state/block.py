"""Blocks of rows on their way to an operator: its columns with the hashes of its key, dealt to buckets, written as bytes.

>>> wanted = pa.schema([("user", pa.int64()), ("n", pa.int32())])
>>> packing = Packing("in", wanted, ("u", "count"), ("u",), buckets=2)
>>> rows = pa.record_batch({"count": pa.array([4, 5], pa.int32()), "u": [1, 1], "other": ["", ""]})
>>> [read_block(blob).select(["user", "n"]).to_pydict() for _, blob in packing.pack(rows)]
[{'user': [1, 1], 'n': [4, 5]}]
>>> rows = pa.record_batch({"__k1": [1 << 33, 1 << 34, 1 << 33], "v": [1, 2, 3]})
>>> [(bucket, read_block(write_block(block)).column("v").to_pylist()) for bucket, block in split_by_bucket(rows, 4)]
[(1, [1, 3]), (2, [2])]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog.hidden import KIND
from firesteel.state.hash import hash_columns
from firesteel.state.order import Ints
from firesteel.state.row import take
from firesteel.state.segment import K1, K2, numbers, read_rows, write_rows

#: A bucket is chosen by these bits of a hash and those above: tables are sorted by the whole of it, which stays evenly spread.
_SHIFT = np.uint64(33)


@dataclass(frozen=True)
class Packing:
    """How rows become the blocks of an operator. It travels to whoever has the rows.

    `input` names the operator's input. `schema` has its columns, and `columns` what these are called in the rows; `hashed` are the
    columns of the rows by which they are dealt. `whole_keys`: rows with a NULL among these are left out. `ticks`: the operator is to be
    called in every batch, for every bucket.
    """

    input: str
    schema: pa.Schema
    columns: tuple[str, ...]
    hashed: tuple[str, ...]
    buckets: int
    whole_keys: bool = False
    ticks: bool = False

    def renamed(self, names: Mapping[str, str]) -> Packing:
        """Packs rows whose columns are called otherwise: `names` has their names by those they had."""
        columns, hashed = (tuple(names[name] for name in some) for some in (self.columns, self.hashed))
        return replace(self, columns=columns, hashed=hashed)

    @property
    def needed(self) -> frozenset[str]:
        """Names the columns of the rows that are needed."""
        return frozenset((*self.columns, *self.hashed))

    def pack(self, rows: pa.RecordBatch) -> Iterator[tuple[int, bytes]]:
        """Gives each bucket that rows belong to, and its block as bytes."""
        if self.whole_keys:
            rows = _without_nulls(rows, self.hashed)
        if not rows.num_rows:
            return
        hashed = [rows.column(name) for name in self.hashed]
        kinds = [KIND] if KIND in rows.schema.names else []
        columns = [*(pa.array(_hashes(hashed, seed, rows.num_rows)) for seed in (0, 1)), *map(rows.column, kinds)]
        for name, field in zip(self.columns, self.schema, strict=True):
            column = rows.column(name)
            columns.append(column if column.type == field.type else column.cast(field.type))
        numbered = pa.RecordBatch.from_arrays(columns, names=[K1, K2, *kinds, *self.schema.names])
        for bucket, block in split_by_bucket(numbered, self.buckets):
            yield bucket, write_block(block)


def _hashes(columns: list[pa.Array], seed: int, count: int) -> Ints:
    return hash_columns(columns, seed) if columns else np.full(count, seed, np.int64)


def _without_nulls(rows: pa.RecordBatch, names: tuple[str, ...]) -> pa.RecordBatch:
    with_nulls = [column for name in names if (column := rows.column(name)).null_count]
    if not with_nulls:
        return rows
    whole = np.ones(rows.num_rows, bool)
    for column in with_nulls:
        whole &= column.is_valid().to_numpy(zero_copy_only=False)
    return take(rows, whole)


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
