"""Which operators run on the state engine: those whose answers Spark's own cannot give, that are faster there, or whose state ends."""

from __future__ import annotations

from typing import assert_never

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.fact.retraction import null_when_retracted
from firesteel.plan.function.aggregate import BY_ENGINE_ONLY, REVERSIBLE
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
    Materialize,
    Node,
    Normalize,
    Project,
    Rank,
    Scan,
    Sink,
    TimeJoin,
    Union,
    Unnest,
    Values,
    Watermark,
    Window,
    WindowAggregate,
)
from firesteel.types import NUMERIC, Array, Date, Map, Multiset, Row, Timestamp, TimestampLtz


def is_keyed(node: Node) -> bool:
    """Says whether the state engine runs a node."""
    match node:
        case Aggregate():
            return _is_keyed_aggregate(node)
        case Rank():
            changes = node.input.changelog != INSERT_ONLY
            return node.window_end is None and (bool(node.ttl) or changes or _has_mixed_order(node))
        case Normalize() | Materialize() | Join():
            return True
        case Scan() | Values() | Project() | Filter() | Union() | Unnest() | Sink():
            return False
        case TimeJoin() | Watermark() | Window() | WindowAggregate():
            return False
        case _:
            assert_never(node)


def uses_engine(node: Node) -> bool:
    """Says whether anything of a plan runs on the state engine."""
    return is_keyed(node) or any(map(uses_engine, node.inputs))


def _is_keyed_aggregate(node: Aggregate) -> bool:
    if node.ttl or any(call.function in BY_ENGINE_ONLY for call in node.calls):
        return True
    if not node.retracts and not node.old_rows:
        return False
    fields = {field.name: field for field in node.input.fields}
    held = [*node.keys, *(call.argument.name for call in node.calls if call.distinct and call.argument)]
    if any(isinstance(fields[name].type, Array | Map | Multiset | Row) for name in held):
        return True
    safe = null_when_retracted(node.input)
    for call in node.calls:
        stays = call.argument is not None and (not node.retracts or call.argument.name in safe)
        if call.function not in REVERSIBLE and not (call.function in ("MIN", "MAX") and stays):
            return True
    return False


def _has_mixed_order(node: Rank) -> bool:
    """Says whether an order goes up and down, with values going up that have no negative."""
    types = {field.name: field.type for field in node.input.fields}
    if len({by.descending for by in node.order}) < 2:
        return False
    numbers = (*NUMERIC, Date, Timestamp, TimestampLtz)
    return any(not by.descending and not isinstance(types[by.column], numbers) for by in node.order)
