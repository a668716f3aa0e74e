"""Top-N on the state engine: the rows at the first places of an order, over rows that come and go."""

from __future__ import annotations

from pyspark.sql import DataFrame

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.node.relation import Rank
from firesteel.spark.lower.keyed.keep import lower_keep
from firesteel.spark.lower.keyed.lower import lower_keyed_rows
from firesteel.state.operator.top import Sort, TopN


def lower_keyed_rank(node: Rank, rows: DataFrame, partitions: int) -> DataFrame:
    assert node.last is not None
    if node.keeps_first or node.keeps_last:
        return lower_keep(node, rows, partitions)
    operator = TopN(
        node.partition,
        tuple(Sort(by.column, by.descending, by.nulls_first) for by in node.order),
        node.last,
        node.first,
        node.number.name if node.number is not None else None,
        append_only=node.input.changelog == INSERT_ONLY,
        ttl=node.ttl or None,
        old_rows=node.old_rows,
    )
    names = [field.name for field in node.input.fields]
    return lower_keyed_rows(rows, names, node.partition, operator, node.fields, partitions)
