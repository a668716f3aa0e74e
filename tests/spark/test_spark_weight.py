"""Rows that stand for several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import orjson
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from tests.spark.test_spark_job import BOUNDED, Table

import firesteel
from firesteel.spark.source.equal_rows import weigh

WIDE = "name STRING, n BIGINT, m BIGINT, s INT, a INT, d BIGINT, lo INT, hi INT, PRIMARY KEY (name) NOT ENFORCED"


@pytest.fixture
def table(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Table:
    return Table(cluster, make_topic, tmp_path)


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


def test_each_aggregate_of_weighed_rows(table: Table, spark: SparkSession) -> None:
    rows = [("a", 1), ("a", 1), ("a", None), ("a", None), ("a", 4), ("b", None), ("b", None), ("c", 7), ("c", 7)]
    told = [orjson.dumps({"id": number, "name": name}).decode() for name, number in rows]
    table.write([*told, "not json"])
    query = "SELECT name, COUNT(*), COUNT(id), SUM(id), AVG(id), COUNT(DISTINCT id), MIN(id), MAX(id) FROM src GROUP BY name"
    source = f"{BOUNDED}, 'error-handling.mode' = 'ignore'"
    job = firesteel.run(table.script(query, source=source, sink=WIDE), spark=spark)
    assert sorted(map(str, table.read())) == [
        '{"name":"a","n":5,"m":3,"s":6,"a":2,"d":2,"lo":1,"hi":4}',
        '{"name":"b","n":2,"m":0,"s":null,"a":null,"d":0,"lo":null,"hi":null}',
        '{"name":"c","n":2,"m":2,"s":14,"a":7,"d":1,"lo":7,"hi":7}',
    ]
    [read] = job.snapshot().sources
    assert (read.rows, dict(read.rejects)) == (9, {"malformed": 1})


def test_rows_without_columns(table: Table, spark: SparkSession) -> None:
    table.write(['{"id": 1, "name": "a"}'] * 5)
    sink = "n BIGINT, name STRING, PRIMARY KEY (name) NOT ENFORCED"
    job = firesteel.run(table.script("SELECT COUNT(*), 'all' FROM src", source=BOUNDED, sink=sink), spark=spark)
    assert table.read() == ['{"n":5,"name":"all"}']
    assert job.snapshot().rows_read == 5
