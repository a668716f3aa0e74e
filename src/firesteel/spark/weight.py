"""Equal rows of a task as one row that says how many they are, where only their number matters (`plan/weigh_rows.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.spark.column import column
from firesteel.spark.kind import WEIGHT

#: After so many rows it is known whether there are equal ones, and how many may be different for it to be worth the while.
_PROBE = 100_000
_WORTH = 0.8

#: What a task holds at most before it counts.
_MOST_ROWS = 1_000_000
_MOST_BYTES = 64 * 1024 * 1024

_COUNTED = "count_all"
_NAME = "rows"


def weigh(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of a task with their weights. Where few are equal, they go on as they come."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    probed = False
    source = iter(batches)
    for batch in source:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if not probed and rows >= _PROBE:
            probed = True
            counted = _count(held)
            if counted.num_rows > rows * _WORTH:
                yield counted
                yield from (_single(one) for one in source)
                return
        if rows >= _MOST_ROWS or size >= _MOST_BYTES:
            yield _count(held)
            held, rows, size = [], 0, 0
    if rows:
        yield _count(held)


def _count(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches)
    names = table.schema.names
    counted = table.group_by(names, use_threads=False).aggregate([([], _COUNTED)]).combine_chunks()
    columns = [counted.column(name) for name in [*names, _COUNTED]]
    return pa.RecordBatch.from_arrays(
        [one.chunk(0) if one.num_chunks else pa.array([], one.type) for one in columns], names=[*names, WEIGHT]
    )


def _single(batch: pa.RecordBatch) -> pa.RecordBatch:
    ones = pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
    return pa.RecordBatch.from_arrays([*batch.columns, ones], names=[*batch.schema.names, WEIGHT])


def observe_weights(rows: DataFrame, name: str) -> DataFrame:
    """The rows as they are, observed: how many they stand for."""
    return rows.observe(name, F.sum(column(WEIGHT)).alias(_NAME))


def observed_rows(progress: Mapping[str, Any], name: str) -> int:
    found = (progress.get("observedMetrics") or {}).get(name) or {}
    return int(found.get(_NAME) or 0)
