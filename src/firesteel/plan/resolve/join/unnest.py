"""Resolves CROSS JOIN UNNEST and LEFT JOIN UNNEST … ON TRUE: a row for each element of a collection."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.expression import ColumnRef
from firesteel.plan.node.relation import Unnest
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.join.join import is_true
from firesteel.plan.resolve.mistake import Mistake, count
from firesteel.plan.resolve.named_relation import Names, Relation
from firesteel.plan.resolve.scope import Scope, Visible
from firesteel.sql.node import span_of
from firesteel.types import Array, DataType, Field, Int, Map, Multiset, Row


def resolve_unnest(left: Relation, unnest: exp.Unnest, join: exp.Join) -> Relation:
    side = join.args.get("side")
    if side not in (None, "", "LEFT") or (join.args.get("kind") != "CROSS" and not is_true(join.args.get("on"))):
        raise Mistake(
            "UNNEST can stand behind CROSS JOIN, or behind LEFT JOIN with ON TRUE.", span_of(join), "Write CROSS JOIN."
        )
    if len(unnest.expressions) != 1:
        raise Mistake(f"UNNEST takes one collection and has {len(unnest.expressions)}.", span_of(unnest))
    collection = ExpressionResolver(left.scope, "UNNEST").resolve(unnest.expressions[0])
    outer = side == "LEFT"
    found = _elements(collection.type)
    if found is None:
        raise Mistake(
            f"'{collection}' is of type {collection.type.sql} and UNNEST takes an ARRAY, a MAP or a MULTISET.",
            span_of(unnest),
        )
    given = list(found)
    ordinality = bool(unnest.args.get("offset"))
    if ordinality:
        given.append(("ORDINALITY", Int(nullable=False)))
    alias = unnest.args.get("alias")
    names = [column.name for column in alias.columns] if alias is not None else []
    if names and len(names) != len(given):
        raise Mistake(
            f"UNNEST gives {count(len(given), 'column')} here and its name has {len(names)}.", span_of(unnest)
        )
    shown = names or [name for name, _ in given]
    held = Names()
    for field in left.node.fields:
        held.unique(field.name)
    elements = tuple(
        Field(held.unique(name), data_type.with_nullable(True) if outer else data_type)
        for name, (_, data_type) in zip(shown, given, strict=True)
    )
    node = Unnest(left.node, collection, elements, ordinality, outer, span_of(unnest))
    relation = alias.name if alias is not None else ""
    visible = tuple(
        Visible(relation, name, ColumnRef(field.name, field.type)) for name, field in zip(shown, elements, strict=True)
    )
    return Relation(node, Scope((*left.scope.columns, *visible), left.scope.hidden))


def _elements(data_type: DataType) -> list[tuple[str, DataType]] | None:
    """Returns the columns of an element: the fields of a row, key and value of a map, or the element itself."""
    match data_type:
        case Array(element=Row(fields=fields)) | Multiset(element=Row(fields=fields)):
            return [(field.name, field.type) for field in fields]
        case Array(element=element) | Multiset(element=element):
            return [("EXPR$0", element)]
        case Map(key=key, value=value):
            return [("KEY", key), ("VALUE", value)]
        case _:
            return None
