"""Keeps the position of each node of a syntax tree, and values that sqlglot has no argument for.

They are in the node's `meta`, which survives `copy()` and is not compared when two trees are.
"""

from __future__ import annotations

from typing import TypeVar

from sqlglot import exp

from firesteel.errors import Span
from firesteel.sql.statement import OptionEntry
from firesteel.types import DataType

N = TypeVar("N", bound=exp.Expression)

_SPAN = "span"
_TYPE = "flink_type"
_HINTS = "table_hints"
_WRITTEN = "written"


def stamp(node: N, start: int, end: int) -> N:
    """Give the node its position, as offsets in the script."""
    node.meta[_SPAN] = (start, end)
    return node


def span_of(node: exp.Expr) -> Span | None:
    """Return the node's span in the script, from its first to its last token; None for a node that is in no script.

    A node that was built later takes the span over those of its children that have one.
    """
    mark = node.meta.get(_SPAN)
    if mark is not None:
        return Span(*mark)
    span: Span | None = None
    for child in node.iter_expressions():
        inner = span_of(child)
        if inner is not None:
            span = inner if span is None else span.to(inner)
    return span


def data_type(type_: DataType) -> exp.DataType:
    """Make a sqlglot type node that carries ours; its `kind` is our type as text, so that different types differ."""
    node = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=str(type_))
    node.meta[_TYPE] = type_
    return node


def cast_type(node: exp.DataType) -> DataType:
    """Return the Flink type of the `to` of a CAST, of a temporal literal, or of a RETURNING clause."""
    type_ = node.meta[_TYPE]
    assert isinstance(type_, DataType)
    return type_


def set_table_hints(node: exp.Table, hints: tuple[OptionEntry, ...]) -> None:
    if hints:
        node.meta[_HINTS] = hints


def table_hints(node: exp.Table) -> tuple[OptionEntry, ...]:
    """Return the entries of the `/*+ OPTIONS('k' = 'v') */` behind a table's name."""
    hints: tuple[OptionEntry, ...] = node.meta.get(_HINTS, ())
    return hints


def set_written_name(node: exp.Anonymous, name: str) -> None:
    node.meta[_WRITTEN] = name


def written_name(node: exp.Anonymous) -> str:
    """Return a function's name as the script spells it, for messages; `node.name` is the same in capitals."""
    return str(node.meta.get(_WRITTEN, node.name))
