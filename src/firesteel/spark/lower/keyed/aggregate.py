"""GROUP BY on the state engine: any aggregate over rows that come and go, with the old row of each group."""

from __future__ import annotations

from pyspark.sql.pandas.types import to_arrow_type

from firesteel.plan.expression import AggregateCall
from firesteel.plan.node.aggregate import Grouped
from firesteel.plan.node.relation import Aggregate
from firesteel.spark.lower.keyed.lower import Keyed, keyed_rows
from firesteel.spark.type import spark_type
from firesteel.state.aggregate.function import Aggregate as EngineAggregate
from firesteel.state.aggregate.function import Function
from firesteel.state.operator.aggregate import GroupAggregate

#: Other names of the same functions.
_SYNONYMS = {"STDDEV": "STDDEV_SAMP", "VARIANCE": "VAR_SAMP"}


def keyed_aggregate(node: Aggregate, buckets: int) -> Keyed:
    operator = GroupAggregate(
        node.keys,
        engine_aggregates(node),
        ttl=node.ttl or None,
        old_rows=node.old_rows,
        append_only=not node.retracts,
    )
    return keyed_rows(node.input, read_columns(node), node.keys, operator, node.fields, buckets)


def engine_aggregates(node: Grouped) -> tuple[EngineAggregate, ...]:
    """Gives a node's aggregates as the engine is told of them."""
    outputs = [field.name for field in node.fields[len(node.keys) :]]
    return tuple(_aggregate(call, name) for call, name in zip(node.calls, outputs, strict=True))


def read_columns(node: Grouped) -> tuple[str, ...]:
    """Names the columns of the input that a node needs, its keys first."""
    read = [part.name for call in node.calls for part in (call.argument, call.filter) if part is not None]
    return tuple(dict.fromkeys([*node.keys, *read]))


def _aggregate(call: AggregateCall, name: str) -> EngineAggregate:
    return EngineAggregate(
        name,
        Function(_SYNONYMS.get(call.function, call.function)),
        to_arrow_type(spark_type(call.type), timezone="UTC"),
        call.argument.name if call.argument is not None else None,
        call.filter.name if call.filter is not None else None,
        call.distinct,
        call.separator if call.separator is not None else ",",
    )
