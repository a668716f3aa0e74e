"""Lowers inner joins of rows that are only inserted to Spark's own stream-stream join. The state engine runs all others."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import ORDER
from firesteel.plan.expression import Expression
from firesteel.plan.node.relation import Join, Node
from firesteel.spark.column import column
from firesteel.spark.lower.expression import lower_expression


class _Side:
    """One input: its columns, its order column, and its keys under names of their own."""

    def __init__(self, rows: DataFrame, node: Node, keys: list[Expression], prefix: str) -> None:
        self.fields = node.fields
        self.keys = [f"__{prefix}_key{number}" for number in range(len(keys))]
        self.order = f"__{prefix}{ORDER}"
        self.ordered = ORDER in rows.columns
        self.rows = rows.select(
            *(column(field.name) for field in node.fields),
            *(lower_expression(key).alias(name) for key, name in zip(keys, self.keys, strict=True)),
            *([column(ORDER).alias(self.order)] if self.ordered else []),
        )


def lower_join(node: Join, left_rows: DataFrame, right_rows: DataFrame) -> DataFrame:
    left = _Side(left_rows, node.left, [one for one, _ in node.keys], "l")
    right = _Side(right_rows, node.right, [other for _, other in node.keys], "r")
    equal = [column(one) == column(other) for one, other in zip(left.keys, right.keys, strict=True)]
    pairs = left.rows.join(right.rows, reduce(Column.__and__, equal))
    hidden = []
    if left.ordered and right.ordered:
        # A pair arrives with the later one of its rows.
        hidden.append(F.greatest(column(left.order), column(right.order)).alias(ORDER))
    return pairs.select(*(column(field.name) for field in (*left.fields, *right.fields)), *hidden)
