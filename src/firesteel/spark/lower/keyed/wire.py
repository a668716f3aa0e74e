"""Rows of Spark's to blocks for an operator of the state engine, and what the operator gives back to rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as spark

from firesteel.spark.blob import BLOBS, pack_all
from firesteel.spark.task import task_number
from firesteel.state.block import Packing, read_block


def pack(rows: DataFrame, packings: tuple[Packing, ...]) -> DataFrame:
    """Packs rows into blobs, one for each bucket and batch of Arrow."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return pack_all(batches, packings, task_number())

    return rows.mapInArrow(task, BLOBS)


def unpack(blobs: DataFrame, schema: spark.StructType) -> DataFrame:
    """Gives the rows of the blobs that an operator has made."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            # A row without a blob only reports what the operator keeps.
            for blob in batch.column("blob").drop_null():
                yield read_block(blob.as_buffer())

    return blobs.mapInArrow(task, schema)
