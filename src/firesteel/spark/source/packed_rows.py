"""Packs what a task reads for an operator of the state engine, so that the JVM only hands it on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog.hidden import REJECT
from firesteel.spark.blob import ARROW, ROWS, pack_all
from firesteel.spark.task import task_number
from firesteel.state.block import Packing


def read_packed(
    batches: Iterable[pa.RecordBatch], packings: tuple[Packing, ...], tolerant: bool
) -> Iterator[pa.RecordBatch]:
    """Packs rows. `tolerant`: some are no rows but reasons why a record was refused, which stay rows of Spark's."""
    if not tolerant:
        yield from pack_all(batches, packings, task_number())
        return
    refused: list[pa.Array] = []
    for packed in pack_all(_accepted(batches, refused), packings, task_number()):
        yield _with_reasons(packed, pa.nulls(packed.num_rows, pa.string()))
    for reasons in refused:
        columns = [pa.nulls(len(reasons), field.type) for field in ARROW]
        columns[ARROW.get_field_index(ROWS)] = pa.repeat(pa.scalar(1, pa.int64()), len(reasons))
        yield _with_reasons(pa.RecordBatch.from_arrays(columns, schema=ARROW), reasons)


def _accepted(batches: Iterable[pa.RecordBatch], refused: list[pa.Array]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        reasons = batch.column(REJECT)
        if reasons.null_count < len(reasons):
            refused.append(reasons.drop_null())
            batch = batch.filter(pc.is_null(reasons))
        yield batch


def _with_reasons(packed: pa.RecordBatch, reasons: pa.Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([*packed.columns, reasons], names=[*packed.schema.names, REJECT])
