"""Lays out the rows of a batch for the tasks that write them: a key's changes in one task, in their order."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from firesteel.changelog.hidden import KIND, ORDER
from firesteel.plan.fact.retraction import is_in_order
from firesteel.plan.node.relation import Sink
from firesteel.spark.column import column
from firesteel.spark.internals import tasks_of
from firesteel.spark.sink.offset_log import planned_rows
from firesteel.storage.folder import Folder
from firesteel.types import Array, Map, Multiset, Row

#: One task writes that many rows as fast as several would start, and keeps the order of different keys too.
_FEW = 10_000


@dataclass(frozen=True)
class Layout:
    """How many tasks write, None: as many as there are, and the columns whose equal values have to be in one task."""

    tasks: int | None = None
    key: tuple[str, ...] = ()


def gather_keys(rows: DataFrame, sink: Sink, partitions: int) -> DataFrame:
    """Brings the changes of a row together where they come in no order."""
    if is_in_order(sink):
        return rows
    together = sink.table.primary_key or tuple(sorted(sink.unique_key or ()))
    simple = [field.name for field in sink.fields if not isinstance(field.type, Array | Map | Multiset | Row)]
    return rows.repartition(partitions, *map(column, together or simple)) if together or simple else rows.coalesce(1)


def spread(batch: DataFrame, layout: Layout) -> DataFrame:
    """Puts the rows into as many tasks as `sink.parallelism` asks for. A key's rows stay in their order.

    Fewer tasks take over whole tasks of others. More tasks need a shuffle, which brings the rows of a key together;
    rows without a key are dealt out in turn, as Flink does.
    """
    tasks, key = layout.tasks, layout.key
    if tasks is None:
        return batch
    now = tasks_of(batch)
    # Changes without a key belong to rows that nobody could bring together again.
    if tasks <= now or (not key and KIND in batch.columns):
        return batch.coalesce(tasks)
    return batch.repartition(tasks, *(column(name) for name in key))


def is_ordered(rows: DataFrame) -> bool:
    return ORDER in rows.columns


def in_order(batch: DataFrame, checkpoint: Folder, batch_id: int) -> DataFrame:
    """Sorts rows that know their position in the order of arrival, so that they are written in it."""
    if not is_ordered(batch):
        return batch
    if planned_rows(checkpoint, batch_id) <= _FEW:
        batch = batch.coalesce(1)
    # Of an old row and its new one, which share a place, the old one has the smaller kind.
    return batch.sortWithinPartitions(*(column(name) for name in (ORDER, KIND) if name in batch.columns))
