"""Explains why a column is not event time where a window needs it, and what to do about it."""

from __future__ import annotations

from typing import assert_never

from firesteel.plan.expression import Call, ColumnRef, Expression, children
from firesteel.plan.function.table import as_written
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
)
from firesteel.types import Timestamp, TimestampLtz

#: Functions that give processing time, not a time that the record holds.
_CLOCKS = frozenset(
    {"PROCTIME", "CURRENT_TIMESTAMP", "NOW", "LOCALTIMESTAMP", "CURRENT_ROW_TIMESTAMP", "UNIX_TIMESTAMP"}
)


def explain_loss(value: Expression, node: Node, function: str) -> tuple[str, str]:
    """Renders message and hint for an expression over the columns of `node` that is not event time."""
    return _of_value(value, node, value, function)


def _of_value(value: Expression, node: Node, asked: Expression, function: str) -> tuple[str, str]:
    if _has_clock(value):
        return (
            f"{_shown(asked)} is the time of processing, and '{function}' takes it only as a column that is PROCTIME(), of rows"
            " that have just arrived.",
            "Compute the column as PROCTIME() in CREATE TABLE, or use a time that the records hold, with a WATERMARK.",
        )
    if not isinstance(value, ColumnRef):
        return (
            f"{_shown(asked)} is no event time: it is computed, and '{function}' needs the column of a WATERMARK, unchanged.",
            "Select the column itself, or compute it in CREATE TABLE and declare the WATERMARK for it there.",
        )
    if not isinstance(value.type, Timestamp | TimestampLtz):
        return (
            f"{_shown(asked)} is of type {value.type.sql} and is no event time: '{function}' needs a column with a WATERMARK.",
            "Compute a TIMESTAMP of it in CREATE TABLE, and declare WATERMARK FOR it there.",
        )
    return _of_column(value, node, asked, function)


def _of_column(column: ColumnRef, node: Node, asked: Expression, function: str) -> tuple[str, str]:
    match node:
        case Project():
            value = next(
                value for field, value in zip(node.fields, node.expressions, strict=True) if field.name == column.name
            )
            return _of_value(value, node.input, asked, function)
        case Scan() | Normalize():
            return _undeclared(node, asked, function)
        case Watermark() if not _is_clock(column, node.input):
            return (
                f"{_shown(asked)} is not the event time of its table, which is '{node.column}': '{function}' needs that.",
                f"Write {node.column}, or declare the WATERMARK for another column.",
            )
        case Window() | WindowAggregate():
            return (
                f"{_shown(asked)} is no event time behind a window: '{function}' needs its window_time.",
                "Write window_time, and group by it where there is a GROUP BY.",
            )
        case (
            Values()
            | Watermark()
            | Filter()
            | Aggregate()
            | Union()
            | Join()
            | TimeJoin()
            | Rank()
            | Unnest()
            | Materialize()
            | Sink()
        ):
            return _of_inputs(column, node, asked, function)
        case _:
            assert_never(node)


def _of_inputs(column: ColumnRef, node: Node, asked: Expression, function: str) -> tuple[str, str]:
    """Explains the loss at a node that passes a column on: the node loses event time itself, or an input did before."""
    operator = _losing_operator(node)
    for child in node.inputs:
        names = {field.name for field in child.fields}
        if isinstance(node, Union):
            names = {column.name}
        if column.name not in names:
            continue
        if column.name in child.event_times and operator:
            return (
                f"{_shown(asked)} is no event time any more behind {operator}, and '{function}' needs one.",
                "Write those rows into a topic of their own, and read it in another job as a table with a WATERMARK.",
            )
        return _of_column(column, child, asked, function)
    return (
        f"{_shown(asked)} is no event time: '{function}' needs a column with a WATERMARK, unchanged.",
        "Declare WATERMARK FOR … AS … - INTERVAL '5' SECOND in the table that has it.",
    )


def _losing_operator(node: Node) -> str | None:
    """Names the operator, if it passes a column on and its output has no event time; None for any other node."""
    match node:
        case Aggregate():
            return "an aggregate"
        case Join() | TimeJoin():
            return "a join"
        case Rank():
            return "a deduplication or Top-N"
        case Union():
            return "UNION ALL with an input where it is not event time"
        case Scan() | Values() | Normalize() | Watermark() | Project() | Filter() | Unnest() | Sink():
            return None
        case Window() | WindowAggregate() | Materialize():
            return None
        case _:
            assert_never(node)


def _undeclared(node: Node, asked: Expression, function: str) -> tuple[str, str]:
    scan = node.input if isinstance(node, Normalize) else node
    table = scan.table.name if isinstance(scan, Scan) else ""
    of_type = f" is of type {asked.type.sql} and" if isinstance(asked, ColumnRef) else ""
    return (
        f"{_shown(asked)}{of_type} is no event time: '{function}' needs a column with a WATERMARK, and '{table}' has none.",
        f"Declare WATERMARK FOR … AS … - INTERVAL '5' SECOND in CREATE TABLE {table}.",
    )


def _is_clock(column: ColumnRef, node: Node) -> bool:
    if not isinstance(node, Project):
        return False
    value = dict(zip((field.name for field in node.fields), node.expressions, strict=True))[column.name]
    return _has_clock(value)


def _has_clock(value: Expression) -> bool:
    if isinstance(value, Call) and value.function in _CLOCKS:
        return True
    return any(_has_clock(child) for child in children(value))


def _shown(value: Expression) -> str:
    text = str(as_written(value))
    return f"'{text if len(text) <= 60 else text[:57] + '...'}'"
