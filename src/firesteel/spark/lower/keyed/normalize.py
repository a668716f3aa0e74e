"""The last row of each key of a changelog on the state engine: an upsert gets its old row, and what stands twice changes nothing."""

from __future__ import annotations

from pyspark.sql import DataFrame

from firesteel.plan.node.relation import Normalize
from firesteel.spark.lower.keyed.lower import lower_keyed_rows
from firesteel.state.operator.normalize import Normalize as KeepLast


def lower_keyed_normalize(node: Normalize, rows: DataFrame, partitions: int) -> DataFrame:
    names = [field.name for field in node.fields]
    operator = KeepLast(node.keys, ttl=node.ttl or None)
    return lower_keyed_rows(rows, names, node.keys, operator, node.fields, partitions)
