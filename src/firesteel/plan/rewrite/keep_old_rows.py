"""Pass: emit UPDATE_BEFORE where an operator above needs it.

An upsert sink whose key is the query's key needs only the new row. A changelog sink, an aggregate and a join need the
old one too, to retract its contribution.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from firesteel.catalog.changelog import sink_changelog
from firesteel.catalog.connector import has_key
from firesteel.changelog.kind import ALL, INSERT_ONLY, UPSERT, RowKind
from firesteel.plan.expression import column_refs
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
    map_inputs,
)


def keep_old_rows(node: Node) -> Node:
    """Rewrites the plan of an INSERT: its sink decides whether UPDATE_BEFORE is needed."""
    return _into(node) if isinstance(node, Sink) else node


def _into(sink: Sink) -> Sink:
    takes = sink_changelog(sink.table)
    if sink.changelog == INSERT_ONLY or takes == INSERT_ONLY:
        return replace(sink, input=_keep(sink.input, False))
    told_apart = sink.unique_key == frozenset(sink.table.primary_key) or (not sink.unique_key and _constant_key(sink))
    needed = takes == ALL or (takes == UPSERT and has_key(sink.table) and not told_apart)
    kept = replace(sink, input=_keep(sink.input, needed))
    return kept


def _keep(node: Node, needed: bool) -> Node:
    if node.changelog == INSERT_ONLY:
        # Nothing is retracted here; the nodes below only insert too, or windows make inserts of what changes.
        return map_inputs(node, lambda child: _keep(child, isinstance(node, WindowAggregate)))
    match node:
        case Scan():
            upserts = RowKind.UPDATE_BEFORE not in node.changelog
            return Normalize(replace(node, ordered=True), span=node.span) if needed and upserts else node
        case Aggregate() | Rank():
            return replace(node, input=_keep(node.input, True), old_rows=needed)
        case Materialize():
            # A row that changes may leave its key.
            return replace(node, input=_keep(node.input, True))
        case Join() | TimeJoin() | Unnest():
            # The old elements of a changed collection have to be retracted, and the pairs of an old row.
            return map_inputs(node, lambda child: _keep(child, True))
        case Sink():
            return _into(node)
        case Project() | Filter() | Union() | Watermark() | Window() | WindowAggregate():
            return map_inputs(node, lambda child: _keep(child, needed))
        case Values() | Normalize():
            return node
        case _:
            assert_never(node)


def _constant_key(sink: Sink) -> bool:
    """Says whether the one row that there is keeps its key: every column of the primary key is a constant."""
    node = sink.input
    if sink.unique_key is None or not isinstance(node, Project):
        return False
    by_name = dict(zip((field.name for field in node.fields), node.expressions, strict=True))
    return all(not any(column_refs(by_name[name])) for name in sink.table.primary_key)
