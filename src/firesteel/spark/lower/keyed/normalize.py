"""The last row of each key of a changelog on the state engine: an upsert gets its old row, and what stands twice changes nothing."""

from __future__ import annotations

from pyspark.sql import DataFrame

from firesteel.plan.node.relation import Normalize
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.lower import KeyedInput, lower_keyed
from firesteel.spark.type import spark_schema
from firesteel.state.operator.normalize import Normalize as KeepLast
from firesteel.state.operator.operator import INPUT


def lower_keyed_normalize(node: Normalize, rows: DataFrame, partitions: int) -> DataFrame:
    names = [field.name for field in node.fields]
    source = KeyedInput(INPUT, rows, names, [column(key) for key in node.keys])
    return lower_keyed([source], KeepLast(node.keys, ttl=node.ttl or None), spark_schema(node.fields), partitions)
