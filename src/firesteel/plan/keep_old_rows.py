"""The pass that lets operators say the old row with every change, where somebody above needs it.

An upsert sink whose key is the query's key needs only the new row. A changelog sink, an aggregate and a join need the
old one too: what it contributed has to be taken back.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.catalog.changelog import sink_changelog
from firesteel.changelog import ALL, INSERT_ONLY, UPSERT, RowKind
from firesteel.plan.node import Aggregate, Filter, Join, Node, Normalize, Project, Rank, Scan, Sink, Union, Unnest
from firesteel.plan.time_join import TimeJoin
from firesteel.plan.window import Watermark, Window, WindowAggregate


def keep_old_rows(sink: Sink) -> Sink:
    takes = sink_changelog(sink.table)
    if sink.changelog == INSERT_ONLY or takes == INSERT_ONLY:
        return sink
    # One row in all needs no key.
    told_apart = sink.unique_key in (frozenset(), frozenset(sink.table.primary_key))
    needed = takes == ALL or (takes == UPSERT and not told_apart)
    return replace(sink, input=_keep(sink.input, needed))


def _keep(node: Node, needed: bool) -> Node:
    if node.changelog == INSERT_ONLY:
        # Nothing is ever taken back here; what stands below only inserts too, or is a first row that stays.
        return node
    match node:
        case Scan():
            upserts = RowKind.UPDATE_BEFORE not in node.changelog
            return Normalize(replace(node, ordered=True), node.span) if needed and upserts else node
        case Normalize():
            return node
        case Aggregate():
            return replace(node, input=_keep(node.input, True), old_rows=needed)
        case Rank():
            return replace(node, input=_keep(node.input, True), old_rows=needed)
        case Join() | TimeJoin():
            return replace(node, left=_keep(node.left, True), right=_keep(node.right, True))
        case Union():
            return replace(node, inputs=tuple(_keep(child, needed) for child in node.inputs))
        case Unnest():
            # Of a collection that changed, the old elements have to go.
            return replace(node, input=_keep(node.input, True))
        case Project() | Filter() | Watermark() | Window() | WindowAggregate():
            return replace(node, input=_keep(node.input, needed))
        case Sink():
            return keep_old_rows(node)
