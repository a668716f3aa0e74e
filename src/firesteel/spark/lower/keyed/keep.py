"""Keep-first and keep-last on the state engine: one row of each key, of rows that are only inserted."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import KIND
from firesteel.plan.node.relation import Rank
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.lower import lower_keyed_rows
from firesteel.state.operator.keep import KeepFirst, KeepRow


def lower_keep(node: Rank, rows: DataFrame, partitions: int) -> DataFrame:
    time = node.order[0].column if node.order else None
    ttl = node.ttl or None
    fields = node.input.fields
    operator = (
        KeepFirst(node.partition, ttl, time)
        if node.keeps_first
        else KeepRow(node.partition, time, ttl=ttl, old_rows=node.old_rows)
    )
    kept = lower_keyed_rows(rows, [field.name for field in fields], node.partition, operator, fields, partitions)
    number = [] if node.number is None else [F.lit(1).cast("bigint").alias(node.number.name)]
    # A first row is only inserted: its stream has no kinds.
    kind = [] if node.keeps_first else [column(KIND)]
    return kept.select(*(column(field.name) for field in fields), *number, *kind)
