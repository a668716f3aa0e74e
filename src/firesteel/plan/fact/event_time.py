"""What a plan knows about time: which columns of a node are event time, which are a window's, and who waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel.plan.expression import Call, ColumnRef, Expression, children
from firesteel.plan.node.join_kind import JoinKind
from firesteel.plan.node.relation import Filter, Node, Project, Rank, Scan, Sink, Union
from firesteel.plan.node.time_join import TimeJoin
from firesteel.plan.node.window import Assigner, Session, Watermark, Window, WindowAggregate


def rowtimes(node: Node) -> frozenset[str]:
    """The columns that are event time: unchanged since a WATERMARK declared them, or the time of a window."""
    match node:
        case Watermark():
            return rowtimes(node.input) | {node.column}
        case Project():
            inner = rowtimes(node.input)
            return frozenset(new for new, old in _copies(node) if old in inner)
        case Filter() | Sink():
            return rowtimes(node.input)
        case Window():
            return frozenset({node.rowtime})
        case WindowAggregate():
            return node.rowtimes
        case Rank() if node.window_end is not None:
            return rowtimes(node.input)
        case Union():
            sides = [(rowtimes(child), child.fields) for child in node.inputs]
            return frozenset(
                field.name
                for place, field in enumerate(node.fields)
                if all(fields[place].name in times for times, fields in sides)
            )
        case _:
            return frozenset()


@dataclass(frozen=True)
class WindowColumns:
    """The columns that hold a window's bounds: several where a query selects one of them twice, none where it does not."""

    assigner: Assigner
    starts: frozenset[str]
    ends: frozenset[str]
    rowtimes: frozenset[str]
    is_local: bool


def window_columns(node: Node) -> WindowColumns | None:
    """The window that the node's rows belong to, if they do."""
    match node:
        case Window():
            return WindowColumns(
                node.assigner,
                frozenset({node.start}),
                frozenset({node.end}),
                frozenset({node.rowtime}),
                node.is_local,
            )
        case WindowAggregate():
            return WindowColumns(node.assigner, node.starts, node.ends, node.rowtimes, node.is_local)
        case Project():
            inner = window_columns(node.input)
            if inner is None:
                return None
            copies = list(_copies(node))
            starts, ends, times = (
                frozenset(new for new, old in copies if old in names)
                for names in (inner.starts, inner.ends, inner.rowtimes)
            )
            return WindowColumns(inner.assigner, starts, ends, times, inner.is_local)
        case Filter() | Sink():
            return window_columns(node.input)
        case Rank() if node.window_end is not None:
            return window_columns(node.input)
        case _:
            return None


def open_session(node: Node) -> Window | None:
    """The SESSION whose windows are not known yet at this node: they are when its rows have been grouped."""
    match node:
        case Window(assigner=Session()):
            return node
        case Project():
            return open_session(node.input)
        case _:
            return None


def _copies(project: Project) -> Iterator[tuple[str, str]]:
    """(new name, old name) of each column that is passed on unchanged."""
    for field, expression in zip(project.fields, project.expressions, strict=True):
        if isinstance(expression, ColumnRef):
            yield field.name, expression.name


def waits_for_watermark(node: Node) -> bool:
    """Whether the node's state follows event time."""
    return isinstance(node, TimeJoin) or _closes(node) or any(current_watermarks(node))


def current_watermarks(node: Node) -> Iterator[Call]:
    """The places where a node's expressions ask how far event time is."""
    match node:
        case Project(expressions=expressions):
            asked = expressions
        case Filter(condition=condition):
            asked = (condition,)
        case _:
            return
    for expression in asked:
        yield from _watermark_calls(expression)


def _watermark_calls(expression: Expression) -> Iterator[Call]:
    if isinstance(expression, Call) and expression.function == "CURRENT_WATERMARK":
        yield expression
    for child in children(expression):
        yield from _watermark_calls(child)


def _closes(node: Node) -> bool:
    match node:
        case WindowAggregate():
            return True
        case Rank():
            return node.window_end is not None
        case TimeJoin():
            # A row is padded when its time has passed; pairs come at once.
            return node.kind is not JoinKind.INNER
        case _:
            return False


def closing_node(node: Node) -> Node | None:
    """A node that gives rows when their time has passed, and only then; a plan that has one runs in Spark's append mode."""
    if _closes(node):
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
