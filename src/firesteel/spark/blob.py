"""Blocks of rows on their way through Spark to an operator of the state engine: a row of Spark's for each, and ticks without a block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as spark

from firesteel.changelog.hidden import WEIGHT
from firesteel.state.block import Packing

#: How many rows were packed, in a row without a block.
ROWS = "rows"

BLOBS = spark.StructType(
    [
        spark.StructField("bucket", spark.IntegerType()),
        spark.StructField("input", spark.StringType()),
        spark.StructField("part", spark.IntegerType()),
        spark.StructField("number", spark.IntegerType()),
        spark.StructField(ROWS, spark.LongType()),
        spark.StructField("blob", spark.BinaryType()),
    ]
)
ARROW = pa.schema(
    [
        ("bucket", pa.int32()),
        ("input", pa.string()),
        ("part", pa.int32()),
        ("number", pa.int32()),
        (ROWS, pa.int64()),
        ("blob", pa.binary()),
    ]
)
_SEED = 42
_MASK = 0xFFFFFFFF


class Packer:
    """Packs the rows of one task, which is known by `part`, in each of several ways. Every attempt numbers its blocks alike."""

    def __init__(self, packings: tuple[Packing, ...], part: int) -> None:
        self._packings, self._part, self._number = packings, part, 0

    def pack(self, rows: pa.RecordBatch) -> list[tuple[Any, ...]]:
        """Gives a row of `BLOBS` for each bucket that has any of these rows."""
        number = self._number
        self._number += 1
        packed: list[tuple[Any, ...]] = [
            (labels(one.buckets)[bucket], one.input, self._part, number, 0, blob)
            for one in self._packings
            for bucket, blob in one.pack(rows)
        ]
        if rows.num_rows:
            # Rows may be left out or packed twice: what they are counts once.
            first = self._packings[0]
            packed.append((labels(first.buckets)[0], first.input, self._part, number, _counted(rows), None))
        return packed

    def ticks(self) -> list[tuple[Any, ...]]:
        """Gives a row without a block for each bucket, where the operator is to be called in every batch."""
        one = self._packings[0]
        return [(label, one.input, self._part, -1, 0, None) for label in labels(one.buckets)] if one.ticks else []


def _counted(rows: pa.RecordBatch) -> int:
    return pc.sum(rows.column(WEIGHT)).as_py() if WEIGHT in rows.schema.names else int(rows.num_rows)


def pack_all(batches: Iterable[pa.RecordBatch], packings: tuple[Packing, ...], part: int) -> Iterator[pa.RecordBatch]:
    """Packs all rows of a task."""
    packer = Packer(packings, part)
    for batch in batches:
        packed = packer.pack(batch)
        if packed:
            yield to_arrow(packed)
    ticks = packer.ticks()
    if ticks:
        yield to_arrow(ticks)


def to_arrow(rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    """Makes Arrow's rows of tuples."""
    columns = [pa.array(values, field.type) for values, field in zip(zip(*rows, strict=True), ARROW, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=ARROW)


@cache
def labels(buckets: int) -> tuple[int, ...]:
    """Gives a number for each bucket, such that Spark puts each into a partition of its own when there are as many.

    >>> labels(4)
    (12, 6, 2, 0)
    """
    found: dict[int, int] = {}
    number = 0
    while len(found) < buckets:
        found.setdefault(spark_hash(number) % buckets, number)
        number += 1
    return tuple(found[bucket] for bucket in range(buckets))


def spark_hash(number: int) -> int:
    """Computes Spark's `hash` of an INT, by which a row finds its partition.

    >>> [spark_hash(number) for number in (0, 1, -1)]
    [933211791, -559580957, -1604776387]
    """
    mixed = _rotated(number * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
    found = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _MASK
    found ^= 4
    found = (found ^ found >> 16) * 0x85EBCA6B & _MASK
    found = (found ^ found >> 13) * 0xC2B2AE35 & _MASK
    found ^= found >> 16
    return found - (1 << 32) if found >> 31 else found


def _rotated(bits: int, by: int) -> int:
    return (bits << by | bits >> 32 - by) & _MASK
