"""Rows on their way between Spark and the state engine: one blob of Arrow for each bucket and input batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as spark

from firesteel.spark.lower.keyed.bucket import labels
from firesteel.spark.task import task_number
from firesteel.state.block import read_block, split_by_bucket, write_block

PACKED = spark.StructType(
    [
        spark.StructField("bucket", spark.IntegerType()),
        spark.StructField("input", spark.StringType()),
        spark.StructField("part", spark.IntegerType()),
        spark.StructField("number", spark.IntegerType()),
        spark.StructField("blob", spark.BinaryType()),
    ]
)
_ARROW = pa.schema(
    [
        ("bucket", pa.int32()),
        ("input", pa.string()),
        ("part", pa.int32()),
        ("number", pa.int32()),
        ("blob", pa.binary()),
    ]
)


def pack(rows: DataFrame, name: str, buckets: int) -> DataFrame:
    """Packs rows that have `K1` into blobs, one for each bucket and batch of Arrow. `name` is the operator's input."""
    chosen = labels(buckets)

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part, number = task_number(), 0
        for batch in batches:
            if not batch.num_rows:
                continue
            blobs = [
                (chosen[bucket], write_block(part)) for bucket, part in split_by_bucket(_as_stored(batch), buckets)
            ]
            columns = [
                [label for label, _ in blobs],
                [name] * len(blobs),
                [part] * len(blobs),
                [number] * len(blobs),
                [blob for _, blob in blobs],
            ]
            arrays = [pa.array(values, field.type) for values, field in zip(columns, _ARROW, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=_ARROW)
            number += 1

    return rows.mapInArrow(task, PACKED)


def _as_stored(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Gives rows the types that state has, whoever made them: any column can be NULL, and times of a time zone are those of UTC.

    Arrow's type names the session's zone, which may be another one after a restart.
    """
    columns = [column.cast(_utc_type(column.type)) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _utc_type(kind: pa.DataType) -> pa.DataType:
    """Gives a type with UTC in the place of every time zone.

    >>> print(_utc_type(pa.struct([("a", pa.list_(pa.timestamp("us", "Asia/Shanghai")))])))
    struct<a: list<item: timestamp[us, tz=UTC]>>
    """
    if pa.types.is_timestamp(kind):
        return pa.timestamp(kind.unit, "UTC") if kind.tz is not None else kind
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_utc_type(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(
            kind.key_field.with_type(_utc_type(kind.key_type)), kind.item_field.with_type(_utc_type(kind.item_type))
        )
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_utc_type(kind.value_type)))
    return kind


def unpack(blobs: DataFrame, schema: spark.StructType) -> DataFrame:
    """Gives the rows of the blobs that an operator has made."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            # A row without a blob only reports what the operator keeps.
            for blob in batch.column("blob").drop_null():
                yield read_block(blob.as_buffer())

    return blobs.mapInArrow(task, schema)
