"""Resolves `VALUES (1, 'a'), (2, 'b')`: rows that the script itself holds."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.expression import ColumnRef, Expression, Literal
from firesteel.plan.function.signature import to_type
from firesteel.plan.node.relation import Values
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.named_relation import Relation
from firesteel.plan.resolve.scope import Scope, Visible
from firesteel.plan.type_rule import common_type
from firesteel.sql.node import span_of
from firesteel.types import DataType, Field, Int

#: More rows than this belong into a topic.
_MOST_ROWS = 1_000


def resolve_values(values: exp.Values) -> Relation:
    """Resolves VALUES. The type of a column is the common type of its values."""
    resolver = ExpressionResolver(Scope(()), "VALUES")
    rows = [[resolver.resolve(one) for one in row.expressions] for row in values.expressions]
    if len(rows) > _MOST_ROWS:
        raise Mistake(
            f"VALUES has {len(rows)} rows, and {_MOST_ROWS} are allowed.", span_of(values), "Write them to a topic."
        )
    types: list[DataType] = [one.type for one in rows[0]]
    for row, node in zip(rows[1:], values.expressions[1:], strict=True):
        if len(row) != len(types):
            raise Mistake(f"The rows of VALUES have {len(types)} and {len(row)} columns.", span_of(node))
        types = [_shared(one, value, item) for one, value, item in zip(types, row, node.expressions, strict=True)]
    fields = tuple(Field(f"EXPR${number}", data_type) for number, data_type in enumerate(types))
    held = tuple(tuple(to_type(one, field.type) for one, field in zip(row, fields, strict=True)) for row in rows)
    columns = tuple(Visible("", field.name, ColumnRef(field.name, field.type)) for field in fields)
    return Relation(Values(fields, held, span=span_of(values)), Scope(columns))


def one_row(select: exp.Select) -> Relation:
    """Makes the input of a SELECT without FROM: one row, without a column that can be named."""
    one: Expression = Literal(1, Int(nullable=False))
    return Relation(Values((Field("$one", one.type),), ((one,),), span=span_of(select)), Scope(()))


def _shared(before: DataType, value: Expression, node: exp.Expression) -> DataType:
    shared = common_type(before, value.type)
    if shared is None:
        raise Mistake(
            f"{value} is of type {value.type.sql}, and the values above it are of type {before.sql}.",
            span_of(node),
            "CAST one of them.",
        )
    return shared
