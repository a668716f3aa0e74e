"""Combines the rows of a batch in Arrow into a few rows for each key, without any state.

Spark's own operators on a stream either look at one row or keep state for ever. These look at one batch: a stage after
a `repartition` by the key sees all rows that the batch has for that key, and adds the batch's number to its results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import types as spark

from firesteel.changelog.hidden import BATCH
from firesteel.spark.column import column
from firesteel.spark.task import batch_number

_Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_ROW = "__row"


def by_key(rows: DataFrame, keys: Sequence[str], partitions: int) -> DataFrame:
    return rows.repartition(partitions, *map(column, keys)) if keys else rows.repartition(1)


def fold_measures(
    rows: DataFrame, keys: Sequence[str], measures: Sequence[tuple[str, str]], partitions: int
) -> DataFrame:
    """Makes one row for each key and batch, with its measures and the batch. Each measure is folded by `sum`, `min` or
    `max`.
    """
    names = [*keys, *(name for name, _ in measures)]
    schema = _schema(rows, names).add(BATCH, spark.LongType())
    return by_key(rows.select(*map(column, names)), keys, partitions).mapInArrow(
        _measure(list(keys), list(measures)), schema
    )


def best_rows(
    rows: DataFrame, keys: Sequence[str], order: Sequence[str], descending: bool, most: int, partitions: int
) -> DataFrame:
    """Keeps the first `most` rows of each key in an order, and adds the batch."""
    schema = _schema(rows, rows.columns).add(BATCH, spark.LongType())
    return by_key(rows, keys, partitions).mapInArrow(_best(list(keys), list(order), descending, most), schema)


def _schema(rows: DataFrame, names: Sequence[str]) -> spark.StructType:
    return spark.StructType([rows.schema[name] for name in names])


def _stamped(table: pa.Table) -> Iterator[pa.RecordBatch]:
    numbers = pa.array([batch_number()] * table.num_rows, pa.int64())
    yield from table.append_column(BATCH, numbers).to_batches()


def _whole(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    filled = [batch for batch in batches if batch.num_rows]
    return pa.Table.from_batches(filled) if filled else None


def _measure(keys: list[str], measures: list[tuple[str, str]]) -> _Task:
    def reduced(table: pa.Table) -> pa.Table:
        grouped = table.group_by(keys, use_threads=False).aggregate(measures)
        columns = [grouped[key] for key in keys]
        columns += [grouped[f"{name}_{how}"].cast(table.schema.field(name).type) for name, how in measures]
        return pa.table(columns, names=[*keys, *(name for name, _ in measures)])

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        parts = [reduced(pa.Table.from_batches([batch])) for batch in batches if batch.num_rows]
        if parts:
            yield from _stamped(reduced(pa.concat_tables(parts)) if len(parts) > 1 else parts[0])

    return task


def _best(keys: list[str], order: list[str], descending: bool, most: int) -> _Task:
    direction = "descending" if descending else "ascending"

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        table = _whole(batches)
        if table is None:
            return
        if order:
            table = table.take(pc.sort_indices(table, [(name, direction) for name in order]))
        yield from _stamped(table.take(_first(table, keys, most)))

    return task


def _first(table: pa.Table, keys: list[str], most: int) -> pa.Array:
    """Returns the indexes of the first rows of each key."""
    if not keys:
        return pa.array(range(min(most, table.num_rows)), pa.int64())
    return pc.list_flatten(pc.list_slice(_row_indexes(table, keys), 0, most))


def _row_indexes(table: pa.Table, keys: list[str]) -> pa.Array:
    """Returns the indexes of the rows of each key, in their order."""
    numbered = table.select(keys).append_column(_ROW, pa.array(range(table.num_rows), pa.int64()))
    lists = numbered.group_by(keys, use_threads=False).aggregate([(_ROW, "list")])[f"{_ROW}_list"]
    return lists.combine_chunks()
