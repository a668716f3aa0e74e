"""What a plan knows about time beyond a single node: who waits for it, and which tables move it."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.plan.expression import Call, calls_in
from firesteel.plan.node.plan_node import CURRENT_WATERMARK
from firesteel.plan.node.relation import Node, Project, Scan
from firesteel.plan.node.window import Session, Watermark, Window


def open_session(node: Node) -> Window | None:
    """The SESSION whose windows are not known yet at this node: they are when its rows have been grouped."""
    while isinstance(node, Project):
        node = node.input
    return node if isinstance(node, Window) and isinstance(node.assigner, Session) else None


def current_watermarks(node: Node) -> Iterator[Call]:
    """The places where a node's expressions ask how far event time is."""
    for expression in node.expressions:
        yield from calls_in(expression, CURRENT_WATERMARK)


def closing_node(node: Node) -> Node | None:
    """A node that gives rows when their time has passed, and only then; a plan that has one runs in Spark's append mode."""
    if node.closes:
        return node
    return next((found for child in node.inputs if (found := closing_node(child)) is not None), None)


def watermarked_scans(node: Node) -> Iterator[Scan]:
    """The tables whose rows move event time."""
    if isinstance(node, Watermark):
        inner: Node = node.input
        while not isinstance(inner, Scan):
            inner = inner.inputs[0]
        yield inner
        return
    for child in node.inputs:
        yield from watermarked_scans(child)
