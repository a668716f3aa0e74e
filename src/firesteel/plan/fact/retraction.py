"""Answers questions about the rows that a plan retracts."""

from __future__ import annotations

from typing import assert_never

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.expression import ColumnRef
from firesteel.plan.node.join_kind import JoinKind
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
    Union,
    Unnest,
    Values,
)
from firesteel.plan.node.time_join import TimeJoin
from firesteel.plan.node.window import Watermark, Window, WindowAggregate


def null_when_retracted(node: Node) -> frozenset[str]:
    """Returns the columns that are NULL in every retracted row: MAX over such a column never loses its value.

    An outer join of rows that are only inserted retracts only rows that were padded with NULLs.
    """
    if node.changelog == INSERT_ONLY:
        return frozenset(field.name for field in node.fields)
    match node:
        case Join(kind=JoinKind.LEFT) if _inserts(node):
            return frozenset(field.name for field in node.right.fields)
        case Join(kind=JoinKind.RIGHT) if _inserts(node):
            return frozenset(field.name for field in node.left.fields)
        case Filter():
            return null_when_retracted(node.input)
        case Project():
            below = null_when_retracted(node.input)
            return frozenset(
                field.name
                for field, expression in zip(node.fields, node.expressions, strict=True)
                if isinstance(expression, ColumnRef) and expression.name in below
            )
        case Scan() | Values() | Normalize() | Aggregate() | WindowAggregate() | Join() | TimeJoin() | Rank() | Union():
            return frozenset()
        case Unnest() | Sink() | Watermark() | Window() | Materialize():
            return frozenset()
        case _:
            assert_never(node)


def _inserts(node: Join) -> bool:
    return all(side.changelog == INSERT_ONLY for side in node.inputs)


def is_in_order(node: Node) -> bool:
    """Says whether the changes of a row arrive in the order in which they happened.

    Where they do not, the net changes count: a row retracted as often as it was inserted has not changed. A join deals rows to tasks by
    its own key: where a row changes that key, one task gives the old row of its pairs and another one the new row, in no order. What is
    retracted was there before the batch, though, since each task gives the net of it: an operator that counts never waits for a row.
    """
    if node.changelog == INSERT_ONLY:
        return True
    match node:
        case Scan() | Values() | Normalize() | Materialize():
            return True
        case Aggregate() | Rank():
            # One change for each key and batch.
            return not node.old_rows
        case Join() | TimeJoin():
            return False
        case Project() | Filter() | Unnest() | Union() | Sink() | Watermark() | Window() | WindowAggregate():
            return all(is_in_order(child) for child in node.inputs)
        case _:
            assert_never(node)
