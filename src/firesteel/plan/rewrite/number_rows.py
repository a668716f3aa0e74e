"""Pass: let sources number their rows where an operator above depends on the order of arrival."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from firesteel.plan.function.aggregate import IN_ORDER
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


def number_rows(node: Node) -> Node:
    return _number(node, False)


def _number(node: Node, asked: bool) -> Node:
    match node:
        case Scan() | Values():
            return replace(node, ordered=node.ordered or asked)
        case Aggregate() | WindowAggregate():
            return replace(node, input=_number(node.input, any(call.function in IN_ORDER for call in node.calls)))
        case Rank():
            return replace(node, input=_number(node.input, True))
        case (
            Project()
            | Filter()
            | Unnest()
            | Union()
            | Sink()
            | Watermark()
            | Window()
            | Normalize()
            | Materialize()
            | Join()
            | TimeJoin()
        ):
            return map_inputs(node, lambda child: _number(child, asked))
        case _:
            assert_never(node)
