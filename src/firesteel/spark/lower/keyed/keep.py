"""Keep-first and keep-last on the state engine: one row of each key, of rows that are only inserted."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import KIND
from firesteel.plan.node.relation import Rank
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.lower import Keyed, keyed_rows
from firesteel.state.operator.keep import KeepFirst, KeepRow


def keyed_keep(node: Rank, buckets: int) -> Keyed:
    time = node.order[0].column if node.order else None
    ttl = node.ttl or None
    fields = node.input.fields
    operator = (
        KeepFirst(node.partition, ttl, time)
        if node.keeps_first
        else KeepRow(node.partition, time, ttl=ttl, old_rows=node.old_rows)
    )
    keyed = keyed_rows(node.input, [field.name for field in fields], node.partition, operator, fields, buckets)

    def finish(kept: DataFrame) -> DataFrame:
        number = [] if node.number is None else [F.lit(1).cast("bigint").alias(node.number.name)]
        # A first row is only inserted: its stream has no kinds.
        kind = [] if node.keeps_first else [column(KIND)]
        return kept.select(*(column(field.name) for field in fields), *number, *kind)

    return replace(keyed, finish=finish)
