"""Pass: let an upsert topic give the net of each batch where the operator above needs no more.

Whoever counts, joins or ranks rows answers once for a batch. A sink gets every change, as Flink gives it.
"""

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


def leave_out_steps(node: Node) -> Node:
    return _mark(node, enough=False)


def _mark(node: Node, enough: bool) -> Node:
    match node:
        case Normalize() if enough and not node.net:
            return replace(node, net=True, input=replace(node.input, ordered=False))
        case Normalize() | Scan() | Values():
            return node
        case Aggregate() | WindowAggregate() | Join() | Rank() | Materialize():
            return map_inputs(node, lambda child: _mark(child, True))
        case Project() | Filter() | Union() | Unnest() | Watermark() | Window():
            return map_inputs(node, lambda child: _mark(child, enough))
        case TimeJoin() | Sink():
            return map_inputs(node, lambda child: _mark(child, False))
        case _:
            assert_never(node)
