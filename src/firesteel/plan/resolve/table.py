"""Resolves a table of the catalog: a Scan, a Project for computed columns, and a Watermark."""

from __future__ import annotations

from sqlglot import exp

from firesteel.catalog.changelog import source_changelog
from firesteel.catalog.table import Computed, Metadata, Physical, Table
from firesteel.errors import Span
from firesteel.plan.expression import Call, ColumnRef, Expression, Literal
from firesteel.plan.node.relation import Node, Project, Scan
from firesteel.plan.node.window import Watermark
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.named_relation import Relation
from firesteel.plan.resolve.scope import Scope, scope_of
from firesteel.types import Field, Interval, Timestamp, TimestampLtz


def resolve_table(table: Table, alias: str, span: Span | None) -> Relation:
    relation = _columns(table, alias, span)
    if table.watermark is None:
        return relation
    delay = _delay(resolve_watermark(table, relation), table.watermark.column)
    node = Watermark(relation.node, table.watermark.column, delay, span=table.watermark.span)
    return Relation(node, relation.scope)


def _delay(expression: Expression | None, column: str) -> int | None:
    """Returns by how many milliseconds the watermark is behind the column; None if the expression has another form."""
    match expression:
        case ColumnRef(name=name) if name == column:
            return 0
        case Call("-", (ColumnRef(name=name), Literal(value=int(micros), type=Interval(months=False)))):
            return -(-micros // 1000) if name == column and micros >= 0 else None
        case _:
            return None


def _columns(table: Table, alias: str, span: Span | None) -> Relation:
    stored = [column for column in table.columns if isinstance(column, Physical | Metadata)]
    scan = Scan(table, tuple(Field(column.name, column.type) for column in stored), source_changelog(table), span=span)
    if len(stored) == len(table.columns):
        return _visible(scan, alias)
    scope = Scope(scope_of(table.name, [(field.name, field.name, field.type) for field in scan.fields]).columns)
    fields: list[Field] = []
    expressions: list[Expression] = []
    for column in table.columns:
        expression: Expression
        if isinstance(column, Computed):
            expression = resolve_computed(column.expression, scope)
        else:
            expression = ColumnRef(column.name, column.type)
        fields.append(Field(column.name, expression.type))
        expressions.append(expression)
    return _visible(Project(scan, tuple(fields), tuple(expressions), span), alias)


def resolve_computed(expression: exp.Expression, scope: Scope) -> Expression:
    return ExpressionResolver(scope, "a computed column").resolve(expression)


def _visible(node: Node, alias: str) -> Relation:
    return Relation(node, scope_of(alias, [(field.name, field.name, field.type) for field in node.fields]))


def resolve_watermark(table: Table, relation: Relation) -> Expression | None:
    """Resolves the expression of the table's watermark; None if it has none."""
    if table.watermark is None:
        return None
    expression = ExpressionResolver(relation.scope, "WATERMARK").resolve(table.watermark.expression)
    if not isinstance(expression.type, Timestamp | TimestampLtz):
        raise Mistake(
            f"The watermark of '{table.watermark.column}' is of type {expression.type.sql}.",
            table.watermark.span,
            "It has to be a TIMESTAMP or a TIMESTAMP_LTZ, such as ts - INTERVAL '5' SECOND.",
        )
    return expression
