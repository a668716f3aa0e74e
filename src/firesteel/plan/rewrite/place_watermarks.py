"""The pass that keeps a watermark only below a node that waits for it, so that else event time is not even decoded."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

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
    TimeJoin,
    Union,
    Unnest,
    Values,
    Watermark,
    Window,
    WindowAggregate,
    map_inputs,
)


def place_watermarks(node: Node) -> Node:
    return _place(node, awaited=False, strict=False)


def _place(node: Node, *, awaited: bool, strict: bool) -> Node:
    """`awaited`: someone above waits for event time. `strict`: the next node above that is one is an aggregate."""
    awaited = awaited or node.waits_for_time
    match node:
        case Watermark():
            kept = _place(node.input, awaited=awaited, strict=False)
            return replace(node, input=kept) if awaited else kept
        case Window():
            # A window of its own leaves rows without event time out; one that is part of an aggregate fails on them.
            return replace(node, input=_place(node.input, awaited=awaited, strict=False), strict=strict)
        case Project() | Filter():
            return replace(node, input=_place(node.input, awaited=awaited, strict=strict))
        case WindowAggregate():
            return replace(node, input=_place(node.input, awaited=awaited, strict=True))
        case Scan() | Values() | Normalize() | Aggregate() | Join() | TimeJoin() | Rank() | Union() | Unnest() | Sink():
            return map_inputs(node, lambda child: _place(child, awaited=awaited, strict=False))
        case _:
            assert_never(node)
