"""Checks the arguments of window functions: their time and their lengths."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from firesteel.plan.expression import ColumnRef, Expression, Literal
from firesteel.plan.fact.event_order import is_processing_time
from firesteel.plan.fact.event_time_loss import explain_loss
from firesteel.plan.node.relation import (
    Node,
)
from firesteel.plan.node.window import Watermark
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.scope import Scope
from firesteel.sql.node import span_of
from firesteel.types import Interval


def check_time(column: Expression, node: Node, written: exp.Expression, function: str) -> tuple[ColumnRef, bool]:
    """Returns the column, and whether it is processing time, if it is that or event time of the node."""
    span = span_of(written)
    if isinstance(column, ColumnRef) and is_processing_time(node, column.name):
        if function == "SESSION":
            raise Mistake(
                "'SESSION' over PROCTIME() is not supported yet: it needs event time.",
                span,
                "Use a time that the records hold, with a WATERMARK for it in CREATE TABLE.",
            )
        return column, True
    if not isinstance(column, ColumnRef) or column.name not in node.event_times:
        message, hint = explain_loss(column, node, function)
        raise Mistake(message, span, hint)
    unusable = next((mark for mark in _watermarks(node) if mark.delay is None), None)
    if unusable is not None:
        raise Mistake(
            f"The watermark of '{unusable.column}' is neither the column nor the column minus an INTERVAL, which"
            f" '{function}' needs.",
            unusable.span,
            f"Write WATERMARK FOR {unusable.column} AS {unusable.column} - INTERVAL '5' SECOND.",
        )
    return column, False


def _watermarks(node: Node) -> Iterator[Watermark]:
    if isinstance(node, Watermark):
        yield node
    for child in node.inputs:
        yield from _watermarks(child)


def window_length(node: exp.Expression, scope: Scope, function: str) -> int:
    """Resolves a constant INTERVAL to milliseconds."""
    value = ExpressionResolver(scope, function).resolve(node)
    if not isinstance(value, Literal) or not isinstance(value.type, Interval) or not isinstance(value.value, int):
        raise Mistake(f"'{function}' takes a constant INTERVAL here.", span_of(node), "Write INTERVAL '10' SECOND.")
    if value.type.months:
        raise Mistake(
            f"'{function}' takes no INTERVAL of months: they are not all of one length.",
            span_of(node),
            "Write it in days.",
        )
    if value.value % 1000:
        raise Mistake(f"'{function}' takes whole milliseconds.", span_of(node))
    return value.value // 1000
