"""Renders a plan as text: one node per line, each ending in its changelog mode. The plan tests compare these texts.

`render_explanation` adds the sections of `firesteel explain`; `explanation_document` is the same for programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from firesteel.catalog.connector import guarantee
from firesteel.catalog.table import Computed
from firesteel.changelog.kind import RowKind, render_changelog
from firesteel.errors import one_line
from firesteel.plan.fact.delivery import render_delivery
from firesteel.plan.fact.lineage import Derivation, Lineage, column_lineage, condition_origins
from firesteel.plan.fact.state import State, plan_state
from firesteel.plan.fact.time_to_live import render_milliseconds
from firesteel.plan.node.relation import Node, Scan, Sink, scans


def render_plan(node: Node) -> str:
    return "\n".join(_lines(node, 0))


def _lines(node: Node, depth: int) -> list[str]:
    lead = "" if depth == 0 else "   " * (depth - 1) + "+- "
    lines = [f"{lead}{one_line(node.label)}, changelog={render_changelog(node.changelog)}"]
    for child in node.inputs:
        lines.extend(_lines(child, depth + 1))
    return lines


def render_explanation(sink: Sink) -> str:
    """Renders the plan, its unique key, its state, the columns it reads, its delivery guarantee and its lineage."""
    sections = (
        ("Unique key", _unique_key(sink)),
        ("State", _state(sink)),
        ("Columns read", _reads(sink)),
        ("Delivery", [render_delivery(sink)]),
        ("Lineage", _lineage(sink)),
    )
    parts = [render_plan(sink)]
    for title, lines in sections:
        parts.append("\n".join([title, *(f"  {one_line(line)}" for line in lines)]))
    return "\n\n".join(parts)


def _unique_key(sink: Sink) -> list[str]:
    if sink.unique_key is None:
        return ["none: two rows can be the same"]
    if not sink.unique_key:
        return ["none needed: there is one row"]
    return [", ".join(_ordered(sink.unique_key, sink))]


def _ordered(names: Iterable[str], node: Node) -> list[str]:
    """Sorts the names in the order of the node's columns."""
    wanted = set(names)
    return [field.name for field in node.fields if field.name in wanted]


def _state(sink: Sink) -> list[str]:
    states = plan_state(sink)
    if not states:
        return ["none: each row is worked on by itself"]
    lines = []
    for state in states:
        owner = f"for each {', '.join(state.key)}" if state.key else "once"
        lines.append(f"{state.name} keeps, {owner}:")
        lines += [f"  {kept}" for kept in state.kept]
        where = "on the state engine" if state.on_engine else "by Spark's own operators"
        lines.append(f"kept {_duration(state)}, {where}")
    return lines


def _duration(state: State) -> str:
    """Says how long state is kept."""
    if state.until:
        return state.until
    spans = [f"for {render_milliseconds(ttl)} after its last change" if ttl else "for ever" for ttl in state.kept_for]
    if len(set(spans)) == 1:
        return spans[0] if any(state.kept_for) or state.grows else "until the job ends"
    left, right = spans
    return f"{left} on the left side and {right} on the right side"


def _reads(sink: Sink) -> list[str]:
    lines = []
    for scan in scans(sink):
        names = ", ".join(field.name for field in scan.fields) or "none, only that there is a record"
        lines.append(f"{scan.table.name}: {names} ({len(scan.fields)} of {_stored(scan)})")
    return list(dict.fromkeys(lines))


def _stored(scan: Scan) -> int:
    """Counts the columns that records hold: all but the computed ones."""
    return sum(not isinstance(column, Computed) for column in scan.table.columns)


def _lineage(sink: Sink) -> list[str]:
    found = column_lineage(sink)
    width = min(max((len(column.column) for column in found), default=0), 40)
    lines = [f"{column.column:<{width}}  <-  {_origin(column)}" for column in found]
    conditions = condition_origins(sink)
    if conditions:
        lines.append(f"rows chosen and grouped by {', '.join(map(str, conditions))}")
    return lines


def _origin(column: Lineage) -> str:
    origins = ", ".join(map(str, column.origins))
    match column.derivation:
        case Derivation.COPY:
            return origins
        case Derivation.CONSTANT:
            return f"{column.text}  (constant)"
        case kind:
            return f"{origins or 'the rows themselves'}  ({kind.value}: {column.text})"


def explanation_document(sink: Sink) -> dict[str, Any]:
    """Returns the explanation as a document for JSON."""
    return {
        "sink": sink.table.name,
        "plan": _node(sink),
        "unique_key": None if sink.unique_key is None else _ordered(sink.unique_key, sink),
        "delivery": guarantee(sink.table).value,
        "state": [_state_document(state) for state in plan_state(sink)],
        "sources": [
            {
                "table": scan.table.name,
                "columns_read": [field.name for field in scan.fields],
                "columns": _stored(scan),
            }
            for scan in scans(sink)
        ],
        "lineage": [
            {
                "column": column.column,
                "derivation": column.derivation.value,
                "expression": column.text,
                "from": [{"table": origin.table, "column": origin.column} for origin in column.origins],
            }
            for column in column_lineage(sink)
        ],
        "conditions": [{"table": origin.table, "column": origin.column} for origin in condition_origins(sink)],
    }


def _node(node: Node) -> dict[str, Any]:
    return {
        "node": type(node).__name__,
        "label": node.label,
        "changelog": [kind.value for kind in RowKind if kind in node.changelog],
        "unique_key": None if node.unique_key is None else _ordered(node.unique_key, node),
        "columns": [{"name": field.name, "type": str(field.type)} for field in node.fields],
        "inputs": [_node(child) for child in node.inputs],
    }


def _state_document(state: State) -> dict[str, Any]:
    return {
        "node": state.name,
        "key": list(state.key),
        "kept": list(state.kept),
        "distinct": list(state.distinct),
        "grows": state.grows,
        "until": state.until or None,
        "ttl_seconds": max(state.kept_for) / 1000 if state.kept_for and all(state.kept_for) else None,
        "engine": "firesteel" if state.on_engine else "spark",
    }
