"""`'connector' = 'blackhole'`: rows are counted and go no further."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from firesteel.catalog.table import Table
from firesteel.changelog.hidden import KIND
from firesteel.errors import FiresteelError
from firesteel.formats.bound import BoundFormat
from firesteel.observe.shown import OnShown
from firesteel.plan.node.relation import Sink
from firesteel.spark.failure import carry
from firesteel.spark.sink.at_least_once import SinkSpec, Writing
from firesteel.spark.sink.checked_rows import CheckedRows
from firesteel.types import Field


@dataclass(frozen=True)
class BlackholeSpec:
    table: str
    fields: tuple[Field, ...]
    drop_nulls: bool
    check_lengths: bool
    tasks: int | None = None
    key: BoundFormat | None = None


def topics(table: Table) -> tuple[Mapping[str, str], tuple[str, ...]] | None:
    return None


def open_sink(sink: Sink, *, drop_nulls: bool, check_lengths: bool, most_bytes: int | None) -> SinkSpec:
    return BlackholeSpec(sink.table.name, sink.fields, drop_nulls, check_lengths)


def make_writing(spec: SinkSpec, *, is_local: bool, on_shown: OnShown) -> Writing:
    assert isinstance(spec, BlackholeSpec)

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = CheckedRows(spec)
        try:
            taken = sum(rows.checked(batch, _kinds(batch))[0].num_rows for batch in batches)
        except FiresteelError as error:
            raise carry(error) from None
        told = [pa.array([taken], pa.int64()), pa.nulls(1, pa.string())]
        yield pa.RecordBatch.from_arrays(told, names=["written", "failure"])

    return Writing(task)


def _kinds(batch: pa.RecordBatch) -> pa.Array | None:
    return batch.column(KIND) if KIND in batch.schema.names else None
