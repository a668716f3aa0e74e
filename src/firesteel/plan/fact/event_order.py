"""Finds columns of time in whose order rows arrive, a table's event time and processing time, and sources that number their rows."""

from __future__ import annotations

from typing import assert_never

from firesteel.plan.expression import Call, ColumnRef
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


def is_time(node: Node, name: str) -> bool:
    """Says whether the column is event time or processing time."""
    return name in node.event_times or is_processing_time(node, name)


def has_order(node: Node) -> bool:
    """Says whether a source below numbers its rows by their order of arrival."""
    return (isinstance(node, Scan | Values) and node.ordered) or any(map(has_order, node.inputs))


def is_processing_time(node: Node, name: str) -> bool:
    """Says whether the column is PROCTIME() of rows that have just arrived."""
    match node:
        case Project():
            held = dict(zip((field.name for field in node.fields), node.expressions, strict=True))
            expression = held.get(name)
            if isinstance(expression, ColumnRef):
                return is_processing_time(node.input, expression.name)
            return isinstance(expression, Call) and expression.function == "PROCTIME"
        case Filter() | Watermark() | Materialize() | Sink():
            return is_processing_time(node.input, name)
        case Scan() | Values():
            # A table's computed columns are a Project above it.
            return False
        case (
            Normalize() | Aggregate() | WindowAggregate() | Window() | Join() | TimeJoin() | Rank() | Union() | Unnest()
        ):
            # An output row of these is not a row that has just arrived, or is one of several made from it.
            return False
        case _:
            assert_never(node)
