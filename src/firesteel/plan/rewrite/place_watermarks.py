"""The pass that keeps a watermark only below a node that waits for it, so that else event time is not even decoded."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.fact.event_time import waits_for_watermark
from firesteel.plan.node.relation import Filter, Node, Project, map_inputs
from firesteel.plan.node.window import Watermark, Window, WindowAggregate


def place_watermarks(node: Node) -> Node:
    return _place(node, awaited=False, strict=False)


def _place(node: Node, *, awaited: bool, strict: bool) -> Node:
    """`awaited`: someone above waits for event time. `strict`: the next node above that is one is an aggregate."""
    awaited = awaited or waits_for_watermark(node)
    match node:
        case Watermark() if not awaited:
            return _place(node.input, awaited=awaited, strict=strict)
        case Window():
            # A window of its own leaves rows without event time out; one that is part of an aggregate fails on them.
            return replace(node, input=_place(node.input, awaited=awaited, strict=False), strict=strict)
        case Project() | Filter():
            return replace(node, input=_place(node.input, awaited=awaited, strict=strict))
        case WindowAggregate():
            return replace(node, input=_place(node.input, awaited=awaited, strict=True))
        case _:
            return map_inputs(node, lambda child: _place(child, awaited=awaited, strict=False))
