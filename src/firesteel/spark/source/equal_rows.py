"""Combines equal rows of a task into one with a row count, where only their number matters (`plan/rewrite/combine_equal_rows.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import WEIGHT
from firesteel.spark.column import column

#: How many of the rows that a task holds may be different for it to be worth the while.
_WORTH = 0.9

#: What a task holds at most before it counts.
_MOST_ROWS = 1_000_000
_MOST_BYTES = 64 * 1024 * 1024

_COUNTED = "count_all"
_NAME = "rows"


def weigh(batches: Iterable[pa.RecordBatch], *, as_stored: bool = False) -> Iterator[pa.RecordBatch]:
    """Gives the rows of a task with their row counts. Where few are equal, they go on as they come.

    `as_stored` brings them into the order in which RocksDB keeps their keys: one that is looked up lies beside the one before.
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    source = iter(batches)
    for batch in source:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _MOST_ROWS or size >= _MOST_BYTES:
            counted = _count(held, as_stored)
            yield counted
            if counted.num_rows > rows * _WORTH and not as_stored:
                yield from map(_single, source)
                return
            held, rows, size = [], 0, 0
    if rows:
        yield _count(held, as_stored)


def _count(batches: list[pa.RecordBatch], as_stored: bool) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches)
    names = table.schema.names
    counted = table.group_by(names, use_threads=False).aggregate([([], _COUNTED)])
    if as_stored and names:
        counted = counted.take(_stored_order(counted.select(names)))
    columns = [counted.column(name).combine_chunks() for name in [*names, _COUNTED]]
    return pa.RecordBatch.from_arrays(columns, names=[*names, WEIGHT])


def _stored_order(table: pa.Table) -> pa.Array:
    """Finds the order in which RocksDB, byte by byte, keeps the rows: Spark writes numbers with their last byte first, before all texts."""
    numbers = [name for name in table.column_names if pa.types.is_integer(_plain(table.schema.field(name).type))]
    texts = [name for name in table.column_names if name not in numbers]
    columns = {name: _swapped(table.column(name)) for name in numbers} | {name: table.column(name) for name in texts}
    return pc.sort_indices(pa.table(columns), [(name, "ascending") for name in columns])


def _plain(type: pa.DataType) -> pa.DataType:
    """Gives the unsigned number that has as many bytes as the type, or the type itself."""
    is_wide = pa.types.is_primitive(type) and type.bit_width >= 8
    return pa.type_for_alias(f"uint{type.bit_width}") if is_wide else type


def _swapped(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return pa.array(pc.fill_null(whole.view(_plain(whole.type)), 0).to_numpy().byteswap())


def _single(batch: pa.RecordBatch) -> pa.RecordBatch:
    ones = pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
    return pa.RecordBatch.from_arrays([*batch.columns, ones], names=[*batch.schema.names, WEIGHT])


def observe_weights(rows: DataFrame, name: str, weight: str = WEIGHT) -> DataFrame:
    """Observes how many rows the rows stand for. They stay as they are."""
    return rows.observe(name, F.sum(column(weight)).alias(_NAME))


def observed_rows(progress: Mapping[str, Any], name: str) -> int:
    found = (progress.get("observedMetrics") or {}).get(name) or {}
    return int(found.get(_NAME) or 0)
