"""A plan to a streaming DataFrame, node by node."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog import INSERT_ONLY
from firesteel.plan.expression import ColumnRef, Expression
from firesteel.plan.node import Aggregate, Filter, Node, Project, Scan, Sink, Union
from firesteel.spark.aggregate import lower_aggregate
from firesteel.spark.expression import column, lower_expression

#: The column that says that a row is to be taken back. It is there only where the changelog has deletes.
DELETE = "__delete"

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
            if node.input.changelog == INSERT_ONLY:
                return rows.where(condition)
            # A group that does not pass (any more) is taken back.
            gone = ~F.coalesce(condition, F.lit(False))
            return rows.withColumn(DELETE, gone | column(DELETE) if DELETE in rows.columns else gone)
        case Aggregate():
            return lower_aggregate(node, lower_plan(node.input, read_table, partitions), partitions)
        case Union():
            branches = [lower_plan(child, read_table, partitions) for child in node.inputs]
            if any(DELETE in rows.columns for rows in branches):
                branches = [
                    rows if DELETE in rows.columns else rows.withColumn(DELETE, F.lit(False)) for rows in branches
                ]
            return reduce(DataFrame.union, branches)


def _named(name: str, expression: Expression) -> Column:
    # An alias that changes nothing would still be a new column to Spark, and keep it from reusing an exchange.
    if isinstance(expression, ColumnRef) and expression.name == name:
        return column(name)
    return lower_expression(expression).alias(name)


def _carried(rows: DataFrame) -> list[Column]:
    return [column(DELETE)] if DELETE in rows.columns else []
