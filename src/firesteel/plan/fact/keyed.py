"""Which operators run on the state engine: those whose answers Spark's own cannot give, that are faster there, or whose state ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.fact.retraction import null_when_retracted
from firesteel.plan.fact.time_to_live import times_to_live
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
from firesteel.plan.node.window import Session
from firesteel.types import NUMERIC, Array, Date, Map, Multiset, Row, Timestamp, TimestampLtz


def is_keyed(node: Node) -> bool:
    """Says whether the state engine runs a node."""
    match node:
        case Aggregate():
            return _is_keyed_aggregate(node)
        case Rank():
            changes = node.input.changelog != INSERT_ONLY
            return node.window_end is None and (bool(node.ttl) or node.on_engine or changes or _has_mixed_order(node))
        case Normalize() | Materialize() | Join():
            return True
        case Scan() | Values() | Project() | Filter() | Union() | Unnest() | Sink():
            return False
        case WindowAggregate():
            return _is_keyed_window(node)
        case TimeJoin() | Watermark() | Window():
            return False
        case _:
            assert_never(node)


def uses_engine(node: Node) -> bool:
    """Says whether anything of a plan runs on the state engine."""
    return is_keyed(node) or any(map(uses_engine, node.inputs))


def clocked_scans(node: Node, clocked: bool = False) -> Iterator[Scan]:
    """Finds the tables below operators of the state engine that the clock alone makes do something. `clocked`: there is one above."""
    if isinstance(node, Scan) and clocked:
        yield node
    by_clock = isinstance(node, WindowAggregate) and node.by_clock
    wakes = by_clock or (is_keyed(node) and any(times_to_live(node)))
    for child in node.inputs:
        yield from clocked_scans(child, clocked or wakes)


def _is_keyed_aggregate(node: Aggregate) -> bool:
    if node.ttl or node.on_engine or any(call.function in BY_ENGINE_ONLY for call in node.calls):
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


def _is_keyed_window(node: WindowAggregate) -> bool:
    if isinstance(node.assigner, Session):
        return False
    if node.by_clock or node.input.changelog != INSERT_ONLY:
        return True
    return any(call.function in BY_ENGINE_ONLY for call in node.calls) or _gives_windows(node.input)


def _gives_windows(node: Node) -> bool:
    """Says whether the state engine answers windows below: Spark's watermark would be no measure of their rows."""
    return (isinstance(node, WindowAggregate) and is_keyed(node)) or any(map(_gives_windows, node.inputs))


def _has_mixed_order(node: Rank) -> bool:
    """Says whether an order goes up and down, with values going up that have no negative."""
    types = {field.name: field.type for field in node.input.fields}
    if len({by.descending for by in node.order}) < 2:
        return False
    numbers = (*NUMERIC, Date, Timestamp, TimestampLtz)
    return any(not by.descending and not isinstance(types[by.column], numbers) for by in node.order)
