"""The pass that makes one Project of two that stand on each other, and none of one that changes nothing."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.expression import ColumnRef, Expression, substitute
from firesteel.plan.node import Aggregate, Filter, Node, Project, Scan, Sink, Union


def merge_projects(node: Node) -> Node:
    match node:
        case Scan():
            return node
        case Project():
            return _merge(replace(node, input=merge_projects(node.input)))
        case Union():
            return replace(node, inputs=tuple(merge_projects(child) for child in node.inputs))
        case Filter() | Aggregate() | Sink():
            return replace(node, input=merge_projects(node.input))


def _merge(outer: Project) -> Node:
    if _changes_nothing(outer):
        return outer.input
    inner = outer.input
    if not isinstance(inner, Project):
        return outer
    held = dict(zip((field.name for field in inner.fields), inner.expressions, strict=True))

    def swap(expression: Expression) -> Expression | None:
        return held[expression.name] if isinstance(expression, ColumnRef) else None

    merged = tuple(substitute(expression, swap) for expression in outer.expressions)
    return _merge(replace(outer, input=inner.input, expressions=merged))


def _changes_nothing(project: Project) -> bool:
    return project.fields == project.input.fields and all(
        isinstance(expression, ColumnRef) and expression.name == field.name
        for field, expression in zip(project.fields, project.expressions, strict=True)
    )
