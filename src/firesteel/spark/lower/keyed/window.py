"""Aggregates of windows on the state engine: over rows that come and go, and windows of processing time."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.node.relation import WindowAggregate
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.aggregate import engine_aggregates, read_columns
from firesteel.spark.lower.keyed.lower import Keyed, keyed_rows
from firesteel.spark.lower.watermark import end_of_window
from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.operator.window import WindowAggregate as EngineWindows

#: The end of a row's window, in milliseconds since 1970.
_END = "__window_end"


def keyed_window(node: WindowAggregate, buckets: int) -> Keyed:
    only_inserts = node.input.changelog == INSERT_ONLY
    group = GroupAggregate(node.keys, engine_aggregates(node), old_rows=False, append_only=only_inserts)
    keyed = keyed_rows(node.input, read_columns(node), node.keys, group, node.fields, buckets)
    (rows,) = keyed.inputs
    (packing,) = rows.packings
    schema = packing.schema.append(pa.field(_END, pa.int64()))
    packing = replace(packing, schema=schema, columns=(*packing.columns, _END), ticks=True)
    last = end_of_window(column(min(node.ends)), node.is_local)
    made = {**rows.made, _END: F.floor(last / 1000).cast("long") + 1}

    def finish(answers: DataFrame) -> DataFrame:
        # A window is answered once: its stream has no kinds.
        return answers.select(*(column(field.name) for field in node.fields))

    return replace(
        keyed,
        inputs=(replace(rows, packings=(packing,), made=made),),
        operator=EngineWindows(group, schema, _END, node.by_clock),
        finish=finish,
        waits_in=None if node.by_clock else node.input,
    )
