"""The pass that leaves out every column nobody reads, so that it is not even decoded."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.expression import column_refs
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
    Node,
    Normalize,
    Project,
    Rank,
    Scan,
    Sink,
    Union,
    Unnest,
    Values,
)
from firesteel.plan.node.time_join import TimeJoin
from firesteel.plan.node.window import Watermark, Window, WindowAggregate


def prune_columns(node: Node) -> Node:
    return _prune(node, frozenset(field.name for field in node.fields))


def _prune(node: Node, needed: frozenset[str]) -> Node:
    match node:
        case Scan():
            return replace(node, fields=tuple(field for field in node.fields if field.name in needed))
        case Values():
            # Rows of no columns would be no rows.
            kept_places = [n for n, field in enumerate(node.fields) if field.name in needed] or [0]
            return replace(
                node,
                fields=tuple(node.fields[n] for n in kept_places),
                rows=tuple(tuple(row[n] for n in kept_places) for row in node.rows),
            )
        case Normalize():
            scan = _prune(node.input, needed | set(node.keys))
            assert isinstance(scan, Scan)
            return replace(node, input=scan)
        case Project():
            kept = [pair for pair in zip(node.fields, node.expressions, strict=True) if pair[0].name in needed]
            read = frozenset(ref.name for _, expression in kept for ref in column_refs(expression))
            return replace(
                node,
                input=_prune(node.input, read),
                fields=tuple(field for field, _ in kept),
                expressions=tuple(expression for _, expression in kept),
            )
        case Filter():
            read = frozenset(ref.name for ref in column_refs(node.condition))
            return replace(node, input=_prune(node.input, needed | read))
        case Aggregate() | WindowAggregate():
            outputs = node.fields[len(node.keys) :]
            kept_calls = [pair for pair in zip(outputs, node.calls, strict=True) if pair[0].name in needed]
            refs = [ref for _, call in kept_calls for ref in (call.argument, call.filter) if ref is not None]
            return replace(
                node,
                input=_prune(node.input, frozenset(node.keys) | {ref.name for ref in refs}),
                fields=(*node.fields[: len(node.keys)], *(field for field, _ in kept_calls)),
                calls=tuple(call for _, call in kept_calls),
            )
        case Union():
            kept_names = [field.name for field in node.fields if field.name in needed]
            return replace(
                node,
                inputs=tuple(_prune(child, frozenset(kept_names)) for child in node.inputs),
                fields=tuple(field for field in node.fields if field.name in needed),
            )
        case Join():
            left = frozenset(ref.name for one, _ in node.keys for ref in column_refs(one))
            right = frozenset(ref.name for _, one in node.keys for ref in column_refs(one))
            return replace(node, left=_prune(node.left, needed | left), right=_prune(node.right, needed | right))
        case TimeJoin():
            read = frozenset(ref.name for pair in node.keys for one in pair for ref in column_refs(one))
            read |= frozenset(ref.name for ref in column_refs(node.condition)) if node.condition is not None else read
            wanted = needed | read | {node.left_time, node.right_time}
            return replace(node, left=_prune(node.left, wanted), right=_prune(node.right, wanted))
        case Rank():
            number = node.number if node.number is not None and node.number.name in needed else None
            read = frozenset((*node.partition, *(column.column for column in node.order)))
            return replace(node, input=_prune(node.input, needed | read), number=number)
        case Unnest():
            read = frozenset(ref.name for ref in column_refs(node.collection))
            return replace(node, input=_prune(node.input, needed | read))
        case Watermark():
            return replace(node, input=_prune(node.input, needed | {node.column}))
        case Window():
            return replace(node, input=_prune(node.input, needed | {node.time}))
        case Sink():
            return replace(node, input=_prune(node.input, needed))
