"""Answers questions about event time over a whole plan: which nodes wait for it, which tables advance it."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.plan.expression import Call, calls_in
from firesteel.plan.fact.keyed import is_keyed
from firesteel.plan.node.plan_node import CURRENT_WATERMARK
from firesteel.plan.node.relation import Node, Project, Scan
from firesteel.plan.node.window import Session, Watermark, Window


def open_session(node: Node) -> Window | None:
    """Finds the SESSION below projections only, whose bounds are not known until its rows are grouped."""
    while isinstance(node, Project):
        node = node.input
    return node if isinstance(node, Window) and isinstance(node.assigner, Session) else None


def current_watermarks(node: Node) -> Iterator[Call]:
    """Finds the calls of CURRENT_WATERMARK in a node's expressions."""
    for expression in node.expressions:
        yield from calls_in(expression, CURRENT_WATERMARK)


def closing_node(node: Node) -> Node | None:
    """Finds an operator of Spark's that emits rows only when their time has passed; a plan with one runs in Spark's append mode."""
    if node.closes and not is_keyed(node):
        return node
    return next((found for child in node.inputs if (found := closing_node(child)) is not None), None)


def watermarked_scans(node: Node) -> Iterator[tuple[Scan, int]]:
    """Finds the tables whose rows advance event time, each with the milliseconds by which its watermark is behind."""
    if isinstance(node, Watermark):
        inner: Node = node.input
        while not isinstance(inner, Scan):
            inner = inner.inputs[0]
        yield inner, node.delay or 0
        return
    for child in node.inputs:
        yield from watermarked_scans(child)
