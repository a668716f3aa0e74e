"""Top-N on the state engine: the rows at the first places of an order, over rows that come and go."""

from __future__ import annotations

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.node.relation import Rank
from firesteel.spark.lower.keyed.keep import keyed_keep
from firesteel.spark.lower.keyed.lower import Keyed, keyed_rows
from firesteel.state.operator.top import Sort, TopN


def keyed_rank(node: Rank, buckets: int) -> Keyed:
    assert node.last is not None
    if node.keeps_first or node.keeps_last:
        return keyed_keep(node, buckets)
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
    return keyed_rows(node.input, names, node.partition, operator, node.fields, buckets)
