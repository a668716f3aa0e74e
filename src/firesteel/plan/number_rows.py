"""The pass that lets sources number their rows where an operator above asks which of them came first."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.aggregate import IN_ORDER
from firesteel.plan.node import Aggregate, Join, Node, Normalize, Rank, Scan, Union
from firesteel.plan.time_join import TimeJoin
from firesteel.plan.window import WindowAggregate


def number_rows(node: Node) -> Node:
    return _number(node, False)


def _number(node: Node, asked: bool) -> Node:
    match node:
        case Scan():
            return replace(node, ordered=node.ordered or asked)
        case Normalize():
            return node
        case Union():
            return replace(node, inputs=tuple(_number(child, asked) for child in node.inputs))
        case Join() | TimeJoin():
            return replace(node, left=_number(node.left, asked), right=_number(node.right, asked))
        case Aggregate() | WindowAggregate():
            return replace(node, input=_number(node.input, any(call.function in IN_ORDER for call in node.calls)))
        case Rank():
            return replace(node, input=_number(node.input, True))
        case _:
            return replace(node, input=_number(node.input, asked))
