"""Blocks are dealt to buckets by their hashes, in order, and evenly."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from firesteel.state.block import bucket_of, read_block, split_by_bucket, write_block
from firesteel.state.hash import hash_columns
from firesteel.state.row import with_numbers


def with_hashes(rows: pa.RecordBatch, key: list[str]) -> pa.RecordBatch:
    """Adds the two hashes of a key. All rows without a key have the same ones."""
    columns = [rows.column(name) for name in key] or [pa.nulls(rows.num_rows)]
    return with_numbers(rows, hash_columns(columns, 1), hash_columns(columns, 2))


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_each_row_goes_to_the_bucket_of_its_key(count: int) -> None:
    rng = np.random.default_rng(count)
    texts = [None if number % 9 == 0 else f"key {number}" for number in rng.integers(0, 3000, 20_000)]
    rows = pa.record_batch({"k": texts, "n": np.arange(20_000)})
    blocks = split_by_bucket(with_hashes(rows, ["k"]), count)
    bucket_of_key: dict[str | None, int] = {}
    seen = []
    for bucket, block in blocks:
        block = read_block(write_block(block))
        arrival = block.column("n").to_pylist()
        assert arrival == sorted(arrival)
        assert set(bucket_of(block.column("__k1").to_numpy(), count).tolist()) == {bucket}
        for key in set(block.column("k").to_pylist()):
            assert bucket_of_key.setdefault(key, bucket) == bucket
        seen += arrival
    assert sorted(seen) == list(range(20_000))
    sizes = np.bincount(list(bucket_of_key.values()), minlength=count)
    assert sizes.min() > 2500 / count * 0.4


def test_without_a_key_all_rows_go_to_one_bucket() -> None:
    rows = pa.record_batch({"n": np.arange(10)})
    (only,) = split_by_bucket(with_hashes(rows, []), 8)
    assert only[1].num_rows == 10
    assert split_by_bucket(with_hashes(rows.slice(0, 0), ["n"]), 8) == []
