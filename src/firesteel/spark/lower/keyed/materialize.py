"""The rows of each key of a sink on the state engine, of which one is written."""

from __future__ import annotations

from pyspark.sql import DataFrame

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.node.relation import Materialize
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.lower import KeyedInput, lower_keyed
from firesteel.spark.type import spark_schema
from firesteel.state.operator.materialize import Conflict
from firesteel.state.operator.materialize import Materialize as KeepRows
from firesteel.state.operator.operator import INPUT


def lower_materialize(node: Materialize, rows: DataFrame, partitions: int) -> DataFrame:
    append_only = node.input.changelog == INSERT_ONLY
    operator = KeepRows(
        node.keys, node.query_key, Conflict(node.conflict.value), ttl=node.ttl or None, append_only=append_only
    )
    names = [field.name for field in node.fields]
    source = KeyedInput(INPUT, rows, names, [column(key) for key in node.keys])
    return lower_keyed([source], operator, spark_schema(node.fields), partitions)
