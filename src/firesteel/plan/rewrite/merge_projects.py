"""Pass: merge a Project with the Project below it, and remove one that changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.plan.expression import ColumnRef, Expression, children, column_refs, substitute
from firesteel.plan.node.relation import Node, Project, map_inputs


def merge_projects(node: Node) -> Node:
    node = map_inputs(node, merge_projects)
    return _merge(node) if isinstance(node, Project) else node


def _merge(outer: Project) -> Node:
    if _changes_nothing(outer):
        return outer.input
    inner = outer.input
    if not isinstance(inner, Project):
        return outer
    held = dict(zip((field.name for field in inner.fields), inner.expressions, strict=True))
    if _grows(outer, held):
        return outer

    def swap(expression: Expression) -> Expression | None:
        return held[expression.name] if isinstance(expression, ColumnRef) else None

    merged = tuple(substitute(expression, swap) for expression in outer.expressions)
    return _merge(replace(outer, input=inner.input, expressions=merged))


#: The greatest size of a merged expression. A query that uses a column of its subquery twice doubles it at each level.
_MOST_PARTS = 2000


def _grows(outer: Project, held: Mapping[str, Expression]) -> bool:
    sizes = {name: _size(expression) for name, expression in held.items()}
    return any(
        sum(sizes[ref.name] for ref in column_refs(expression) if sizes[ref.name] > 1) > _MOST_PARTS
        for expression in outer.expressions
    )


def _size(expression: Expression) -> int:
    return 1 + sum(_size(child) for child in children(expression))


def _changes_nothing(project: Project) -> bool:
    return project.fields == project.input.fields and all(
        isinstance(expression, ColumnRef) and expression.name == field.name
        for field, expression in zip(project.fields, project.expressions, strict=True)
    )
