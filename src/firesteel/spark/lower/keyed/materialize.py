"""The rows of each key of a sink on the state engine, of which one is written."""

from __future__ import annotations

from pyspark.sql import DataFrame

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.node.relation import Materialize
from firesteel.spark.lower.keyed.lower import lower_keyed_rows
from firesteel.state.operator.materialize import Conflict
from firesteel.state.operator.materialize import Materialize as KeepRows


def lower_materialize(node: Materialize, rows: DataFrame, partitions: int) -> DataFrame:
    append_only = node.input.changelog == INSERT_ONLY
    operator = KeepRows(
        node.keys, node.query_key, Conflict(node.conflict.value), ttl=node.ttl or None, append_only=append_only
    )
    names = [field.name for field in node.fields]
    return lower_keyed_rows(rows, names, node.keys, operator, node.fields, partitions)
