"""Adds hidden columns to a source's rows, in Arrow and in Spark's schema: `changelog/hidden.py` says which and in which order."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql import types as spark

from firesteel.changelog.hidden import WEIGHT, Hidden

_TYPES: dict[str, tuple[spark.DataType, pa.DataType]] = {
    "tinyint": (spark.ByteType(), pa.int8()),
    "int": (spark.IntegerType(), pa.int32()),
    "bigint": (spark.LongType(), pa.int64()),
    "string": (spark.StringType(), pa.string()),
    "boolean": (spark.BooleanType(), pa.bool_()),
}


def add_hidden(schema: spark.StructType, hidden: Hidden) -> spark.StructType:
    for name, sql_type in hidden.columns.items():
        schema = schema.add(name, _TYPES[sql_type][0])
    return schema


def append_hidden(batch: pa.RecordBatch, hidden: Hidden, given: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """Adds the hidden columns that a batch lacks: `given` holds their values, the others are NULL. The row count is not among them:
    `equal_rows.py` adds it.
    """
    lacking = [name for name in hidden.columns if name not in batch.schema.names and name != WEIGHT]
    if not lacking:
        return batch
    columns, names = list(batch.columns), list(batch.schema.names)
    for name in lacking:
        columns.append(given[name] if name in given else pa.nulls(batch.num_rows, _TYPES[hidden.columns[name]][1]))
        names.append(name)
    return pa.RecordBatch.from_arrays(columns, names=names)
