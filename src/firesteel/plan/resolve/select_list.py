"""Resolves the select list: stars, names of columns, and the Project that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from firesteel.errors import Span
from firesteel.plan.expression import ColumnRef, Expression
from firesteel.plan.node.relation import Node, Project
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.known import Hidden
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.named_relation import Names, Relation
from firesteel.plan.resolve.scope import Scope, Visible
from firesteel.sql.node import span_of
from firesteel.types import Field


@dataclass(frozen=True)
class Item:
    """One item of a select list: its expression and its name, empty where it has none."""

    node: exp.Expression
    name: str


def select_items(select: exp.Select, scope: Scope) -> list[Item]:
    """Returns the items of the select list, each star replaced by the columns it stands for."""
    items: list[Item] = []
    for node in select.expressions:
        star = node.this if isinstance(node, exp.Column) and isinstance(node.this, exp.Star) else node
        if isinstance(star, exp.Star):
            table = node.table if isinstance(node, exp.Column) else None
            columns = scope.of_relation(table or None)
            if not columns:
                raise Mistake(f"'{table}' is not a table of this query.", span_of(node))
            for column in columns:
                reference = exp.column(column.name, table=column.relation or None, quoted=True)
                items.append(Item(reference, column.name))
        else:
            unaliased = node.unalias()
            name = node.alias_or_name if node.alias or isinstance(unaliased, exp.Column | exp.Dot) else ""
            items.append(Item(unaliased, name))
    return items


def project_items(
    relation: Relation,
    items: list[Item],
    resolver: ExpressionResolver,
    report: Callable[[Mistake], None],
    span: Span | None,
) -> Relation:
    """Puts a Project of the items above the relation.

    The mistakes of all items are reported; then `Hidden` is raised, because columns are missing.
    """
    names = Names()
    fields: list[Field] = []
    visible: list[Visible] = []
    expressions: list[Expression] = []
    for position, item in enumerate(items):
        try:
            expression = resolver.resolve(item.node)
        except Mistake as mistake:
            report(mistake)
            continue
        name = item.name or f"EXPR${position}"
        held = names.unique(name)
        fields.append(Field(held, expression.type))
        visible.append(Visible("", name, ColumnRef(held, expression.type), span_of(item.node)))
        expressions.append(expression)
    if len(fields) < len(items):
        raise Hidden()
    node: Node = Project(relation.node, tuple(fields), tuple(expressions), span)
    return Relation(node, Scope(tuple(visible)))
