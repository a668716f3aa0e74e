"""Rows that stand for several."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pyarrow as pa
import pytest

from firesteel.spark.source.equal_rows import weigh


def batch(values: list[object], type: pa.DataType) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(values, type)], names=["x"])


def counts(batches: list[pa.RecordBatch]) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in batches:
        for row in one.to_pylist():
            found[repr(row["x"])] += row["__weight"]
    return found


@pytest.mark.parametrize(
    ("values", "type"),
    [
        ([3, None, 3, 4, None], pa.int64()),
        (["a", "", None, "a"], pa.string()),
        ([b"\x00", b"", b"\x00", None], pa.binary()),
        ([0.0, -0.0, float("inf"), float("nan"), 0.0, None], pa.float64()),
        ([Decimal("1.50"), None, Decimal("1.50")], pa.decimal128(38, 2)),
        ([True, None, True, False], pa.bool_()),
        ([5, 5, None], pa.timestamp("us")),
        ([5, 5, None], pa.date32()),
        ([5, 5, None], pa.time64("us")),
        ([None, None], pa.bool_()),
    ],
)
def test_no_row_is_lost_or_mixed_up(values: list[object], type: pa.DataType) -> None:
    batches = [batch(values, type), batch(values[:1], type), batch([], type)]
    weighed = list(weigh(batches))
    expected = Counter(repr(row["x"]) for one in batches for row in one.to_pylist())
    assert counts(weighed) == expected
    assert sum(one.num_rows for one in weighed) == len(expected)
    assert {one.schema.field("x").type for one in weighed} == {type}


def test_different_rows_go_on_as_they_come() -> None:
    blocks = [batch(list(range(start, start + 50_000)), pa.int64()) for start in range(0, 1_200_000, 50_000)]
    weighed = list(weigh(blocks))
    assert sum(one.num_rows for one in weighed) == 1_200_000
    assert weighed[-1].num_rows == 50_000
    assert sum(one.column("__weight").to_numpy().sum() for one in weighed) == 1_200_000


def test_many_equal_rows_are_few() -> None:
    blocks = [batch([number % 7 for number in range(20_000)], pa.int64()) for _ in range(120)]
    weighed = list(weigh(blocks))
    # What is held is bounded, so there are three rounds.
    assert sum(one.num_rows for one in weighed) == 21
    assert sum(one.column("__weight").to_numpy().sum() for one in weighed) == 2_400_000


def test_no_rows_give_nothing() -> None:
    assert list(weigh([])) == []
    assert list(weigh([], as_stored=True)) == []


def test_rows_come_as_rocksdb_keeps_their_keys() -> None:
    """The last byte of a number first, as it stands in Spark's rows, and texts behind the numbers."""
    numbers = [1, 256, 257, 2**40, -1, 65_536, 255, None, 1]
    texts = ["b", "a", None, "ü", "", "z", "a", "b", "a"]
    rows = pa.RecordBatch.from_arrays(
        [pa.array(texts), pa.array(numbers, pa.int64()), pa.array([0.5] * 9)], names=["s", "x", "f"]
    )
    [weighed] = weigh([rows, rows], as_stored=True)
    assert sorted(map(str, weighed.to_pylist())) == sorted(str({**row, "__weight": 2}) for row in rows.to_pylist())
    kept = [(row["x"] or 0).to_bytes(8, "little", signed=True) for row in weighed.to_pylist()]
    assert kept == sorted(kept)
    assert [row["s"] for row in weighed.to_pylist() if row["x"] == 1] == ["a", "b"]


def test_different_rows_come_in_order_too() -> None:
    blocks = [batch(list(range(start + 50_000, start, -1)), pa.int32()) for start in range(0, 1_200_000, 50_000)]
    weighed = list(weigh(blocks, as_stored=True))
    assert [one.num_rows for one in weighed] == [1_000_000, 200_000]
    assert weighed[0].column("x").to_pylist()[:2] == [65_536, 131_072]
