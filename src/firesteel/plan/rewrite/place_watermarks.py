"""Pass: remove a watermark that no node above waits for, so that event time need not be decoded."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

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


def place_watermarks(node: Node) -> Node:
    return _place(node, awaited=False, strict=False)


def _place(node: Node, *, awaited: bool, strict: bool) -> Node:
    """Rewrites a node. `awaited`: a node above waits for event time. `strict`: a window here belongs to an aggregate."""
    awaited = awaited or node.waits_for_time
    match node:
        case Watermark():
            kept = _place(node.input, awaited=awaited, strict=False)
            return replace(node, input=kept) if awaited else kept
        case Window():
            # A window leaves out rows without event time; as part of an aggregate it fails on them.
            return replace(node, input=_place(node.input, awaited=awaited, strict=False), strict=strict)
        case Project() | Filter():
            return replace(node, input=_place(node.input, awaited=awaited, strict=strict))
        case WindowAggregate():
            return replace(node, input=_place(node.input, awaited=awaited, strict=True))
        case (
            Scan()
            | Values()
            | Normalize()
            | Aggregate()
            | Join()
            | TimeJoin()
            | Rank()
            | Union()
            | Unnest()
            | Materialize()
            | Sink()
        ):
            return map_inputs(node, lambda child: _place(child, awaited=awaited, strict=False))
        case _:
            assert_never(node)
