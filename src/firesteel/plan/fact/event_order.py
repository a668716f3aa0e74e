"""Which columns are times that rows come in the order of: a table's event time, and the time of processing."""

from __future__ import annotations

from firesteel.plan.expression import Call, ColumnRef
from firesteel.plan.fact.event_time import rowtimes
from firesteel.plan.node.relation import Filter, Node, Project
from firesteel.plan.node.window import Watermark


def is_time(node: Node, name: str) -> bool:
    return name in rowtimes(node) or _is_processing_time(node, name)


def _is_processing_time(node: Node, name: str) -> bool:
    match node:
        case Project():
            held = dict(zip((field.name for field in node.fields), node.expressions, strict=True))
            expression = held.get(name)
            if isinstance(expression, ColumnRef):
                return _is_processing_time(node.input, expression.name)
            return isinstance(expression, Call) and expression.function == "PROCTIME"
        case Filter() | Watermark():
            return _is_processing_time(node.input, name)
        case _:
            return False
