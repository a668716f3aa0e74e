"""Packs rows for an operator: blocks of its columns and the hashes of its key, dealt to buckets.

>>> from firesteel.state.block import read_block
>>> wanted = pa.schema([("user", pa.int64()), ("n", pa.int32())])
>>> packing = Packing("in", wanted, ("u", "count"), ("u",), buckets=2)
>>> rows = pa.record_batch({"count": pa.array([4, 5], pa.int32()), "u": [1, 1], "other": ["", ""]})
>>> [read_block(blob).select(["user", "n"]).to_pydict() for _, blob, _ in packing.pack(rows)]
[{'user': [1, 1], 'n': [4, 5]}]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from firesteel.changelog.hidden import KIND
from firesteel.state.block import split_by_bucket, write_block
from firesteel.state.hash import hash_columns
from firesteel.state.order import Ints
from firesteel.state.row import take
from firesteel.state.segment import K1, K2


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

    def pack(self, rows: pa.RecordBatch) -> Iterator[tuple[int, bytes, int]]:
        """Gives each bucket that rows belong to, its block as bytes, and the number of its rows."""
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
            yield bucket, write_block(block), block.num_rows


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
