"""Which operators run on the state engine: those whose answers Spark's own cannot give, that are faster there, or whose state ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.expression import AggregateCall
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
from firesteel.types import (
    NUMERIC,
    Array,
    Date,
    Double,
    Float,
    Int,
    Map,
    Multiset,
    Row,
    SmallInt,
    Timestamp,
    TimestampLtz,
    TinyInt,
)

#: Types whose values can be multiplied by the row count instead of being added again and again. A product of BIGINTs may
#: overflow where the sum does not, and a sum of DOUBLEs depends on the order of its additions.
_SUMMED = (TinyInt, SmallInt, Int)


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


def splits_distinct(node: Node) -> bool:
    """Says whether the state engine keeps the distinct values of a GROUP BY whose totals Spark keeps.

    Rows are dealt by group and value, so that few groups with many values keep all tasks busy; what they find adds up.
    """
    if not isinstance(node, Aggregate) or is_keyed(node):
        return False
    return any(map(needs_distinct, node.calls)) and _can_split(node)


def _can_split(node: Aggregate) -> bool:
    if node.retracts or node.old_rows:
        return False
    types = {field.name: field.type for field in node.input.fields}
    extremes = [call.argument.type for call in node.calls if call.function in ("MIN", "MAX") and call.argument]
    held = [types[name] for name in (*node.keys, *(call.argument.name for call in node.calls if call.argument))]
    return (
        all(map(adds_up, node.calls))
        and not any(isinstance(one, Array | Map | Multiset | Row) for one in held)
        and not any(isinstance(one, Float | Double) for one in extremes)
    )


def needs_distinct(call: AggregateCall) -> bool:
    """Says whether a call counts each value once: the least of distinct values is that of all."""
    return call.distinct and call.function not in ("MIN", "MAX")


def adds_up(call: AggregateCall) -> bool:
    """Says whether a result can be put together from parts, and whether equal rows can be one row with a count."""
    if call.function in ("COUNT", "MIN", "MAX"):
        return True
    return call.function in ("SUM", "AVG") and call.argument is not None and isinstance(call.argument.type, _SUMMED)


def on_engine(node: Node) -> bool:
    """Says whether a node keeps anything on the state engine."""
    return is_keyed(node) or splits_distinct(node)


def uses_engine(node: Node) -> bool:
    """Says whether anything of a plan is kept on the state engine."""
    return on_engine(node) or any(map(uses_engine, node.inputs))


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
    if any(map(needs_distinct, node.calls)):
        return not _can_split(node)
    if not node.retracts and not node.old_rows:
        return False
    fields = {field.name: field for field in node.input.fields}
    if any(isinstance(fields[name].type, Array | Map | Multiset | Row) for name in node.keys):
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
