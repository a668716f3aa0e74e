"""Top-N on the state engine: the rows at the first places of an order, over rows that come and go."""

from __future__ import annotations

from pyspark.sql import DataFrame

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.node.relation import Rank
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.keep import lower_keep
from firesteel.spark.lower.keyed.lower import KeyedInput, lower_keyed
from firesteel.spark.type import spark_schema
from firesteel.state.operator.operator import INPUT
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
    source = KeyedInput(INPUT, rows, names, [column(name) for name in node.partition])
    return lower_keyed([source], operator, spark_schema(node.fields), partitions)
