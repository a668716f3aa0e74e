"""Rows on their way between Spark and the state engine: one blob of Arrow for each bucket and input batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as spark

from firesteel.spark.lower.keyed.bucket import labels
from firesteel.spark.task import task_number

#: The numbers by which a row is found: those of its key, and those of its whole identity.
FIRST, SECOND = "__k1", "__k2"

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
    """Packs rows that have `FIRST` into blobs, one for each bucket and batch of Arrow. `name` is the operator's input."""
    chosen = labels(buckets)

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part, number = task_number(), 0
        for batch in batches:
            if not batch.num_rows:
                continue
            blobs = [(chosen[bucket], blob) for bucket, blob in _deal(_in_utc(batch), buckets)]
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


def _deal(batch: pa.RecordBatch, buckets: int) -> Iterator[tuple[int, bytes]]:
    """Deals the rows of a batch by their first number; rows of a bucket stay in their order."""
    if buckets == 1:
        yield 0, write(batch)
        return
    bits = batch.column(FIRST).to_numpy().view(np.uint64) >> np.uint64(33)
    owner = (bits % np.uint64(buckets)).astype(np.uint16)
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(buckets), "right")
    dealt = batch.take(pa.array(order))
    start = 0
    for bucket, end in enumerate(ends.tolist()):
        if end > start:
            yield bucket, write(dealt.slice(start, end - start))
        start = end


def _in_utc(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Gives times of a time zone as those of UTC: Arrow's type names the session's zone, which may be another one after a restart."""
    kinds = [_utc_type(field.type) for field in batch.schema]
    if all(kind == field.type for kind, field in zip(kinds, batch.schema, strict=True)):
        return batch
    columns = [column.cast(kind) for column, kind in zip(batch.columns, kinds, strict=True)]
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
                yield from read(blob.as_buffer())

    return blobs.mapInArrow(task, schema)


def write(rows: pa.RecordBatch) -> bytes:
    """Writes rows as a blob."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_batch(rows)
    return bytes(sink.getvalue())


def read(blob: bytes | pa.Buffer) -> list[pa.RecordBatch]:
    """Reads the rows of a blob. What Spark says of NULLs is left out, so that rows of all sources have one schema."""
    with pa.ipc.open_stream(blob) as stream:
        return [pa.RecordBatch.from_arrays(batch.columns, names=batch.schema.names) for batch in stream]
