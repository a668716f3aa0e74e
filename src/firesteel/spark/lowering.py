"""A plan to a streaming DataFrame, node by node."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog import INSERT_ONLY, RowKind
from firesteel.plan.expression import ColumnRef, Expression
from firesteel.plan.node import Aggregate, Filter, Node, Project, Scan, Sink, Union
from firesteel.spark.aggregate import lower_aggregate
from firesteel.spark.expression import column, lower_expression
from firesteel.spark.kind import CODES, KIND

#: How a Scan becomes a DataFrame: the job knows the session and the checkpoint.
ReadTable = Callable[[Scan], DataFrame]


def lower_plan(node: Node, read_table: ReadTable, partitions: int) -> DataFrame:
    match node:
        case Scan():
            return read_table(node)
        case Sink():
            return lower_plan(node.input, read_table, partitions)
        case Project():
            rows = lower_plan(node.input, read_table, partitions)
            outputs = [
                _named(field.name, expression) for field, expression in zip(node.fields, node.expressions, strict=True)
            ]
            return rows.select(*outputs, *_carried(rows))
        case Filter():
            rows = lower_plan(node.input, read_table, partitions)
            condition = lower_expression(node.condition)
            changes = node.input.changelog
            # Where the old row comes before the new one, each is judged by itself: what no longer passes loses its new row.
            if changes == INSERT_ONLY or RowKind.UPDATE_BEFORE in changes:
                return rows.where(condition)
            # Else a row that does not pass (any more) is taken back.
            kept = F.coalesce(condition, F.lit(False))
            if KIND in rows.columns:
                kept = kept & (column(KIND) != CODES[RowKind.DELETE])
            return rows.withColumn(KIND, F.when(kept, _code(RowKind.UPDATE_AFTER)).otherwise(_code(RowKind.DELETE)))
        case Aggregate():
            return lower_aggregate(node, lower_plan(node.input, read_table, partitions), partitions)
        case Union():
            branches = [lower_plan(child, read_table, partitions) for child in node.inputs]
            if any(KIND in rows.columns for rows in branches):
                # An upsert where a branch cannot say more: a sink that needs to know has refused it.
                branches = [
                    rows if KIND in rows.columns else rows.withColumn(KIND, _code(RowKind.UPDATE_AFTER))
                    for rows in branches
                ]
            return reduce(DataFrame.union, branches)


def _named(name: str, expression: Expression) -> Column:
    # An alias that changes nothing would still be a new column to Spark, and keep it from reusing an exchange.
    if isinstance(expression, ColumnRef) and expression.name == name:
        return column(name)
    return lower_expression(expression).alias(name)


def _carried(rows: DataFrame) -> list[Column]:
    return [column(KIND)] if KIND in rows.columns else []


def _code(kind: RowKind) -> Column:
    return F.lit(CODES[kind]).cast("tinyint")
