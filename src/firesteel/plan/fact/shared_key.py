"""Proves, from declared keys, that two rows that exist at the same time can share the values of some columns.

A table without a PRIMARY KEY proves nothing: any of its columns may be its key. So there are three answers: `upsert_keys`
proves that no two rows share the columns, `can_share` that two can; otherwise it is not known.
"""

from __future__ import annotations

from typing import assert_never

from firesteel.plan.expression import ColumnRef, Literal, column_refs, distinguishing_column
from firesteel.plan.fact.upsert_key import upsert_keys
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

#: Results by node and columns: each join asks about each of its sides twice.
Memo = dict[tuple[int, frozenset[str]], bool]


def can_share(node: Node, columns: frozenset[str]) -> bool:
    """Says whether two rows of the node are proven able to share the values of the columns."""
    return _can_share(node, columns, {})


def _can_share(node: Node, columns: frozenset[str], memo: Memo) -> bool:
    question = (id(node), columns)
    if question not in memo:
        memo[question] = _answer(node, columns, memo)
    return memo[question]


def _answer(node: Node, columns: frozenset[str], memo: Memo) -> bool:
    match node:
        case Sink() | Filter() | Watermark():
            return _can_share(node.input, columns, memo)
        case Project():
            return _can_share(node.input, _below(node, columns), memo)
        case Scan() | Normalize() | Materialize():
            return node.unique_key is not None and not node.unique_key <= columns
        case Aggregate():
            return not frozenset(node.keys) <= columns
        case Rank():
            if any(key <= columns for key in upsert_keys(node)):
                return False
            number = frozenset() if node.number is None else frozenset({node.number.name})
            partition = frozenset(node.partition) | number
            return columns <= partition or _can_share(node.input, columns - number, memo)
        case Join():
            return _pairs_share(node, columns, memo)
        case Union():
            return not _sides_differ(node, columns, memo)
        case Unnest():
            return columns.isdisjoint(field.name for field in node.elements)
        case Values() | TimeJoin() | Window() | WindowAggregate():
            # These never retract a row.
            return False
        case _:
            assert_never(node)


def _below(node: Project, columns: frozenset[str]) -> frozenset[str]:
    """Returns the input's columns that these are made of. A computed value may identify all columns it is computed from."""
    found: set[str] = set()
    for field, expression in zip(node.fields, node.expressions, strict=True):
        if field.name in columns:
            source = distinguishing_column(expression)
            found |= {source.name} if source is not None else {ref.name for ref in column_refs(expression)}
    return frozenset(found)


def _pairs_share(node: Join, columns: frozenset[str], memo: Memo) -> bool:
    left, right = (frozenset(field.name for field in side.fields) for side in (node.left, node.right))
    if node.kind.keeps_left:
        return _can_share(node.left, columns, memo)
    known_left, known_right = columns & left, columns & right
    joined_left: set[str] = set()
    joined_right: set[str] = set()
    for one, other in node.keys:
        joined_left |= {ref.name for ref in column_refs(one)}
        joined_right |= {ref.name for ref in column_refs(other)}
        if isinstance(one, ColumnRef) and isinstance(other, ColumnRef):
            known_left |= {one.name} if other.name in known_right else frozenset()
            known_right |= {other.name} if one.name in known_left else frozenset()
    if _can_share(node.left, known_left, memo) and _can_share(node.right, known_right, memo):
        return True
    # One row of a side is paired with all partners of its key.
    return _can_share(node.left, known_left | joined_left, memo) or _can_share(
        node.right, known_right | joined_right, memo
    )


def _sides_differ(node: Union, columns: frozenset[str], memo: Memo) -> bool:
    """Says whether one of the columns is a different constant in each side, and no side can share the columns itself."""
    for index, field in enumerate(node.fields):
        if field.name not in columns:
            continue
        constants = {_constant(side, index) for side in node.inputs}
        if None not in constants and len(constants) == len(node.inputs):
            return not any(_can_share(side, columns, memo) for side in node.inputs)
    return False


def _constant(side: Node, index: int) -> str | None:
    """Renders the constant that a column is computed from; None if it is not one."""
    if not isinstance(side, Project):
        return None
    expression = side.expressions[index]
    while not isinstance(expression, Literal) and hasattr(expression, "operand"):
        expression = expression.operand
    if isinstance(expression, ColumnRef):
        inner = side.input
        if isinstance(inner, Project):
            names = [field.name for field in inner.fields]
            return _constant(inner, names.index(expression.name))
    return repr(expression.value) if isinstance(expression, Literal) else None
