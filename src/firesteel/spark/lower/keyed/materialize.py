"""The rows of each key of a sink on the state engine, of which one is written."""

from __future__ import annotations

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.node.relation import Materialize
from firesteel.spark.lower.keyed.lower import Keyed, keyed_rows
from firesteel.state.operator.materialize import Conflict
from firesteel.state.operator.materialize import Materialize as KeepRows


def keyed_materialize(node: Materialize, buckets: int) -> Keyed:
    append_only = node.input.changelog == INSERT_ONLY
    operator = KeepRows(
        node.keys, node.query_key, Conflict(node.conflict.value), ttl=node.ttl or None, append_only=append_only
    )
    names = [field.name for field in node.fields]
    return keyed_rows(node.input, names, node.keys, operator, node.fields, buckets)
