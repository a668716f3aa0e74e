"""Refuses uses of windows and event time that only the whole plan shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from firesteel.errors import Problem
from firesteel.plan.expression import ColumnRef, column_refs
from firesteel.plan.fact.event_time import closing_node, current_watermarks, open_session
from firesteel.plan.node.join_kind import JoinKind
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


def check_windows(node: Node) -> Iterator[Problem]:
    yield from _watermarks(node)
    yield from _one_mode(node)
    yield from _sessions(node)


def _one_mode(node: Node) -> Iterator[Problem]:
    """Refuses a plan that needs both of Spark's output modes: append (final rows) and update (every change)."""
    updating, closing = _updating(node), closing_node(node)
    if updating is not None and closing is not None:
        yield Problem(
            f"One INSERT cannot contain both {_name(updating)}, which updates, and {_name(closing)}, which waits for event"
            " time: this is not supported yet.",
            updating.span,
            "Write one result to a topic and read it in a second INSERT, or group by window_start and window_end too.",
        )


def _name(node: Node) -> str:
    match node:
        case Rank():
            return "ROW_NUMBER()"
        case Join() | TimeJoin():
            return "a join"
        case Normalize():
            return "a table"
        case Materialize():
            return "rows that can share a PRIMARY KEY"
        case Aggregate() | WindowAggregate():
            return "an aggregate"
        case Scan() | Values() | Project() | Filter() | Union() | Unnest() | Watermark() | Window() | Sink():
            # None of these makes updates or waits for event time.
            return "a query"
        case _:
            assert_never(node)


def _updating(node: Node) -> Node | None:
    if _updates(node):
        return node
    return next((found for child in node.inputs if (found := _updating(child)) is not None), None)


def _updates(node: Node) -> bool:
    """Says whether the node needs Spark's update mode."""
    match node:
        case Aggregate() | Normalize() | Materialize():
            return True
        case Rank():
            return not node.keeps_first and not node.closes
        case Join():
            return node.kind is not JoinKind.INNER
        case Scan() | Values() | Project() | Filter() | Union() | Unnest() | Sink():
            return False
        case TimeJoin() | Watermark() | Window() | WindowAggregate():
            return False
        case _:
            assert_never(node)


def _watermarks(node: Node) -> Iterator[Problem]:
    for child in node.inputs:
        yield from _watermarks(child)
    for call in current_watermarks(node):
        # Below a join there are two watermarks, and neither is the one of its output.
        below = node.input if isinstance(node, Project | Filter) else None
        times, declared = (below.event_times, _watermark(below)) if below is not None else (frozenset[str](), None)
        if not isinstance(call.args[0], ColumnRef) or call.args[0].name not in times or declared is None:
            yield Problem(
                "'CURRENT_WATERMARK' takes a column with a WATERMARK, of a table that stands directly in FROM.",
                node.span,
                "Ask for it in a view of that table.",
            )
        elif declared.delay is None:
            yield Problem(
                f"The watermark of '{declared.column}' is neither the column nor the column minus an INTERVAL, which"
                " 'CURRENT_WATERMARK' needs.",
                declared.span,
            )


def _watermark(node: Node) -> Watermark | None:
    """Finds the Watermark below projections and filters only."""
    while isinstance(node, Project | Filter):
        node = node.input
    return node if isinstance(node, Watermark) else None


def _sessions(node: Node) -> Iterator[Problem]:
    """Refuses uses of a SESSION before GROUP BY: its bounds are known only when its rows are grouped."""
    for child in node.inputs:
        yield from _sessions(child)
        session = open_session(child)
        if session is None:
            continue
        if isinstance(node, WindowAggregate):
            distinct = next((call for call in node.calls if call.distinct and call.function != "COUNT"), None)
            if distinct is not None:
                yield Problem(f"{distinct} in a SESSION is not supported yet.", node.span, "COUNT(DISTINCT …) is.")
        elif not isinstance(node, Project) or _computes_with(node, session):
            yield Problem(
                "SESSION is only supported directly below GROUP BY window_start, window_end.",
                session.span,
                "Filter its table instead: SESSION(TABLE (SELECT … WHERE …) …)." if isinstance(node, Filter) else None,
            )


def _computes_with(project: Project, session: Window) -> bool:
    own = {session.start, session.end, session.rowtime}
    return any(
        not isinstance(expression, ColumnRef) and any(ref.name in own for ref in column_refs(expression))
        for expression in project.expressions
    )
