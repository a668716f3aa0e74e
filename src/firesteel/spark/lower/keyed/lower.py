"""Lowers an operator of the state engine to Spark: rows are packed, dealt to buckets, worked into the state, and unpacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from uuid import uuid4

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from firesteel.changelog.hidden import KIND
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.processor import Processor
from firesteel.spark.lower.keyed.report import observe_reports, title_of
from firesteel.spark.lower.keyed.wire import pack, unpack
from firesteel.spark.memory import task_memory
from firesteel.spark.type import spark_schema
from firesteel.state.operator.operator import INPUT, Operator
from firesteel.state.segment import K1, K2
from firesteel.types import Field

_BLOB = spark.StructType(
    [
        spark.StructField("bucket", spark.IntegerType()),
        spark.StructField("blob", spark.BinaryType()),
        spark.StructField("report", spark.StringType()),
    ]
)


@dataclass(frozen=True)
class KeyedInput:
    """An input of an operator: its rows, the names of its data columns, and the key by which it is dealt."""

    name: str
    rows: DataFrame
    columns: Sequence[str]
    key: Sequence[Column]


def lower_keyed(
    inputs: Sequence[KeyedInput], operator: Operator, schema: spark.StructType, partitions: int
) -> DataFrame:
    """Gives the operator's output: the columns of `schema`, and the kind of each row."""
    buckets = partitions
    # The operator's files are kept under a name of their own on each machine. No name is used twice, also not after a restart.
    name = f"operator-{uuid4().hex}"
    packed = reduce(DataFrame.unionAll, [pack(_numbered(one), one.name, buckets) for one in inputs])
    # The batch's own time, which is the same in every attempt of it.
    clock = F.unix_millis(F.current_timestamp()).alias("clock")
    blobs = (
        packed.select("*", clock)
        .groupBy("bucket")
        .transformWithState(Processor(operator, name, task_memory(packed.sparkSession)), _BLOB, "Update", "None")
    )
    blobs = observe_reports(blobs, title_of(operator), buckets)
    return unpack(blobs, spark.StructType([*schema.fields, spark.StructField(KIND, spark.ByteType())]))


def lower_keyed_rows(
    rows: DataFrame,
    columns: Sequence[str],
    key: Sequence[str],
    operator: Operator,
    fields: tuple[Field, ...],
    partitions: int,
) -> DataFrame:
    """Lowers an operator of one input, which is dealt by columns of its own. Gives `fields`, and the kind of each row."""
    source = KeyedInput(INPUT, rows, columns, [column(name) for name in key])
    return lower_keyed([source], operator, spark_schema(fields), partitions)


def _numbered(one: KeyedInput) -> DataFrame:
    hidden = [column(KIND)] if KIND in one.rows.columns else []
    key = _hashable(one.rows, one.key)
    first, second = (_hash(key, seed) for seed in (0, 1))
    data = [column(name) for name in one.columns]
    return one.rows.select(first.alias(K1), second.alias(K2), *hidden, *data)


def _hashable(rows: DataFrame, key: Sequence[Column]) -> list[Column]:
    """Gives values that Spark has a hash of: a map has none, and its entries in the order of their keys have."""
    maps = [isinstance(field.dataType, spark.MapType) for field in rows.select(*key).schema]
    return [F.array_sort(F.map_entries(value)) if is_map else value for value, is_map in zip(key, maps, strict=True)]


def _hash(key: Sequence[Column], seed: int) -> Column:
    """Hashes a key. Spark leaves NULLs out, so whether a column is NULL is hashed with it."""
    parts = [part for one in key for part in (one.isNull(), one)]
    return F.xxhash64(F.lit(seed), *parts)
