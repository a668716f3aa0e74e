"""The last row of each key of a changelog on the state engine: an upsert gets its old row, and what stands twice changes nothing."""

from __future__ import annotations

from firesteel.changelog.hidden import ORDER
from firesteel.plan.node.relation import Normalize
from firesteel.spark.lower.keyed.lower import Keyed, keyed_rows
from firesteel.state.operator.normalize import Normalize as KeepLast
from firesteel.types import BigInt, Field


def keyed_normalize(node: Normalize, buckets: int) -> Keyed:
    names = [field.name for field in node.fields]
    if node.net:
        return keyed_rows(node.input, names, node.keys, KeepLast(node.keys, ttl=node.ttl or None), node.fields, buckets)
    # Every change, in the order in which the topic has them.
    fields = (*node.fields, Field(ORDER, BigInt()))
    operator = KeepLast(node.keys, ttl=node.ttl or None, order=ORDER)
    return keyed_rows(node.input, [*names, ORDER], node.keys, operator, fields, buckets)
