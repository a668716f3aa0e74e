"""GROUP BY on the state engine: any aggregate over rows that come and go, with the old row of each group."""

from __future__ import annotations

from pyspark.sql.pandas.types import to_arrow_type

from firesteel.plan.expression import AggregateCall
from firesteel.plan.node.relation import Aggregate
from firesteel.spark.lower.keyed.lower import Keyed, keyed_rows
from firesteel.spark.type import spark_type
from firesteel.state.aggregate.function import Aggregate as EngineAggregate
from firesteel.state.aggregate.function import Function
from firesteel.state.operator.aggregate import GroupAggregate

#: Other names of the same functions.
_SYNONYMS = {"STDDEV": "STDDEV_SAMP", "VARIANCE": "VAR_SAMP"}


def keyed_aggregate(node: Aggregate, buckets: int) -> Keyed:
    outputs = [field.name for field in node.fields[len(node.keys) :]]
    operator = GroupAggregate(
        node.keys,
        tuple(_aggregate(call, name) for call, name in zip(node.calls, outputs, strict=True)),
        ttl=node.ttl or None,
        old_rows=node.old_rows,
        append_only=not node.retracts,
    )
    read = [part.name for call in node.calls for part in (call.argument, call.filter) if part is not None]
    columns = tuple(dict.fromkeys([*node.keys, *read]))
    return keyed_rows(node.input, columns, node.keys, operator, node.fields, buckets)


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
