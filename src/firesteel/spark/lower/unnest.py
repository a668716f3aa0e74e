"""Lowers UNNEST: a row for every element of a collection."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.plan.node.relation import Unnest
from firesteel.spark.column import column
from firesteel.spark.hidden_column import carried
from firesteel.spark.lower.expression import lower_expression
from firesteel.types import Array, Map, Multiset, Row

_ELEMENT, _PLACE = "__element", "__place"


def lower_unnest(node: Unnest, rows: DataFrame) -> DataFrame:
    kept = [column(field.name) for field in node.input.fields]
    explode = F.posexplode_outer if node.outer else F.posexplode
    elements = _entries(node, lower_expression(node.collection))
    spread = rows.select(*kept, *carried(rows), explode(elements).alias(_PLACE, _ELEMENT))
    fields = list(node.elements)
    outputs: list[Column] = []
    if node.ordinality:
        outputs.append((column(_PLACE) + 1).alias(fields.pop().name))
    element = column(_ELEMENT)
    match node.collection.type:
        case Array(element=Row(fields=inner)) | Multiset(element=Row(fields=inner)):
            parts = [element.getField(field.name) for field in inner]
        case Map():
            parts = [element.getField("key"), element.getField("value")]
        case _:
            parts = [element]
    named = [part.alias(field.name) for part, field in zip(parts, fields, strict=True)]
    return spread.select(*kept, *named, *outputs, *carried(rows))


def _entries(node: Unnest, collection: Column) -> Column:
    match node.collection.type:
        case Map():
            return F.map_entries(collection)
        case Multiset():
            # An element that occurs n times gives n rows.
            repeated = F.transform(
                F.map_entries(collection), lambda entry: F.array_repeat(entry.getField("key"), entry.getField("value"))
            )
            return F.flatten(repeated)
        case _:
            return collection
