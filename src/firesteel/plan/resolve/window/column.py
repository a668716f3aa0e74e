"""Names the columns that a window adds to its input."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.plan.expression import ColumnRef
from firesteel.plan.node.relation import (
    Node,
)
from firesteel.plan.node.window import Window
from firesteel.plan.resolve.named_relation import Names
from firesteel.plan.resolve.scope import Visible

#: The columns that a window function adds.
ADDED = ("window_start", "window_end", "window_time")


def visible_columns(window: Window, names: tuple[str, ...]) -> Iterator[Visible]:
    """Gives the columns that the window adds, under the names that the query has for them."""
    relation = ""
    for name, column in zip(names, window.fields[-3:], strict=True):
        yield Visible(relation, name, ColumnRef(column.name, column.type))


def unique_names(node: Node) -> tuple[str, str, str]:
    """Returns names for the columns that a window adds to the node's columns."""
    names = Names()
    for column in node.fields:
        names.unique(column.name)
    start, end, rowtime = (names.unique(name) for name in ADDED)
    return start, end, rowtime
