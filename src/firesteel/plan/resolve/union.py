"""Resolves UNION and UNION ALL: the columns have the names of the left side and types that hold both."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.function.signature import to_type
from firesteel.plan.node.relation import Aggregate, Node, Project, Union
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.named_relation import Names, Relation
from firesteel.plan.resolve.scope import scope_of
from firesteel.plan.type_rule import common_type
from firesteel.sql.node import span_of
from firesteel.types import DataType, Field


def resolve_union(left: Relation, right: Relation, union: exp.Union) -> Relation:
    """Returns the rows of both relations, or with UNION DISTINCT each distinct row once."""
    given, other = len(left.columns), len(right.columns)
    if given != other:
        raise Mistake(f"The two sides of UNION ALL have {given} and {other} columns.", span_of(union.expression))
    types: list[DataType] = []
    for mine, theirs in zip(left.scope.columns, right.scope.columns, strict=True):
        shared = common_type(mine.ref.type, theirs.ref.type)
        if shared is None:
            raise Mistake(
                f"'{mine.name}' is of type {mine.ref.type.sql} on one side of UNION ALL and of type"
                f" {theirs.ref.type.sql} on the other.",
                span_of(union.expression),
                "CAST one of them.",
            )
        types.append(shared)
    names = Names()
    columns = [names.unique(name) for name in left.columns]
    fields = tuple(Field(name, data_type) for name, data_type in zip(columns, types, strict=True))
    nodes = tuple(
        Project(
            side.node,
            fields,
            tuple(to_type(column.ref, field.type) for column, field in zip(side.scope.columns, fields, strict=True)),
        )
        for side in (left, right)
    )
    visible = [(name, field.name, field.type) for name, field in zip(left.columns, fields, strict=True)]
    node: Node = Union(nodes, fields, span_of(union))
    if union.args.get("distinct"):
        node = Aggregate(node, tuple(columns), fields, (), span=span_of(union))
    return Relation(node, scope_of("", visible))
