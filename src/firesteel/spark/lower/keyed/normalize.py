"""The last row of each key of a changelog on the state engine: an upsert gets its old row, and what stands twice changes nothing."""

from __future__ import annotations

from firesteel.plan.node.relation import Normalize
from firesteel.spark.lower.keyed.lower import Keyed, keyed_rows
from firesteel.state.operator.normalize import Normalize as KeepLast


def keyed_normalize(node: Normalize, buckets: int) -> Keyed:
    names = [field.name for field in node.fields]
    operator = KeepLast(node.keys, ttl=node.ttl or None)
    return keyed_rows(node.input, names, node.keys, operator, node.fields, buckets)
