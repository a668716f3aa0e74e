"""Refuses uses of windows and event time that only the whole plan shows."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.changelog.kind import INSERT_ONLY, render_changelog
from firesteel.errors import Problem
from firesteel.plan.expression import ColumnRef, column_refs
from firesteel.plan.fact.event_time import current_watermarks, open_session
from firesteel.plan.node.relation import (
    Filter,
    Node,
    Project,
    Watermark,
    Window,
    WindowAggregate,
)
from firesteel.plan.node.window import Session


def check_windows(node: Node) -> Iterator[Problem]:
    yield from _watermarks(node)
    yield from _changing(node)
    yield from _sessions(node)


def _changing(node: Node, grouped: bool = False) -> Iterator[Problem]:
    """Refuses windows over changing rows, but for those whose rows are grouped by window. `grouped`: the node above groups them."""
    match node:
        case Window() if node.input.changelog != INSERT_ONLY:
            function = str(node.assigner).partition("(")[0]
            if not grouped or isinstance(node.assigner, Session):
                yield Problem(
                    f"'{function}' takes only inserts{' here' * (not grouped)}, and its input also changes rows:"
                    f" {render_changelog(node.input.changelog)}.",
                    node.span,
                    "Use it on a table that is only appended to."
                    if grouped
                    else "Group its rows by window_start and window_end.",
                )
        case Project() | Filter():
            yield from _changing(node.input, grouped)
            return
    for child in node.inputs:
        yield from _changing(child, isinstance(node, WindowAggregate))


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
