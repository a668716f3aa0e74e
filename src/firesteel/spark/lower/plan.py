"""Lowers a plan to a streaming DataFrame, node by node."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import CODES, KIND, ORDER
from firesteel.changelog.kind import INSERT_ONLY, RowKind
from firesteel.plan.expression import ColumnRef, Expression
from firesteel.plan.fact.keyed import is_keyed
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
    Materialize,
    Node,
    Normalize,
    Project,
    Rank,
    Scan,
    Sink,
    Union,
    Unnest,
    Values,
)
from firesteel.plan.node.time_join import TimeJoin
from firesteel.plan.node.window import Watermark, Window, WindowAggregate
from firesteel.spark.column import column
from firesteel.spark.hidden_column import carried, code
from firesteel.spark.layout import Layout
from firesteel.spark.lower.aggregate import lower_aggregate
from firesteel.spark.lower.change_aggregate import lower_change_aggregate
from firesteel.spark.lower.expression import lower_expression
from firesteel.spark.lower.keyed.aggregate import lower_keyed_aggregate
from firesteel.spark.lower.keyed.join import lower_keyed_join
from firesteel.spark.lower.keyed.materialize import lower_materialize
from firesteel.spark.lower.keyed.normalize import lower_keyed_normalize
from firesteel.spark.lower.keyed.rank import lower_keyed_rank
from firesteel.spark.lower.normalize import lower_normalize
from firesteel.spark.lower.rank import lower_rank
from firesteel.spark.lower.time_join import lower_time_join
from firesteel.spark.lower.unnest import lower_unnest
from firesteel.spark.lower.watermark import lower_watermark
from firesteel.spark.lower.window import lower_window, lower_window_aggregate

#: Creates the DataFrame of a leaf node (Scan, Values).
ReadTable = Callable[[Scan | Values], DataFrame]


def lower_plan(node: Node, read_table: ReadTable, partitions: Layout) -> DataFrame:
    match node:
        case Scan() | Values():
            return read_table(node)
        case Sink():
            return lower_plan(node.input, read_table, partitions)
        case Project():
            rows = lower_plan(node.input, read_table, partitions)
            outputs = [
                _named(field.name, expression) for field, expression in zip(node.fields, node.expressions, strict=True)
            ]
            return rows.select(*outputs, *carried(rows))
        case Filter():
            rows = lower_plan(node.input, read_table, partitions)
            condition = lower_expression(node.condition)
            changes = node.input.changelog
            # With UPDATE_BEFORE present, old and new rows can be filtered independently.
            if changes == INSERT_ONLY or RowKind.UPDATE_BEFORE in changes:
                return rows.where(condition)
            # Otherwise delete a row that does not pass, or no longer passes.
            kept = F.coalesce(condition, F.lit(False))
            if KIND in rows.columns:
                kept = kept & (column(KIND) != CODES[RowKind.DELETE])
            return rows.withColumn(KIND, F.when(kept, code(RowKind.UPDATE_AFTER)).otherwise(code(RowKind.DELETE)))
        case Normalize():
            rows = lower_plan(node.input, read_table, partitions)
            return (
                lower_keyed_normalize(node, rows, partitions.buckets) if is_keyed(node) else lower_normalize(node, rows)
            )
        case Materialize():
            return lower_materialize(node, lower_plan(node.input, read_table, partitions), partitions.buckets)
        case Aggregate():
            rows = lower_plan(node.input, read_table, partitions)
            if is_keyed(node):
                return lower_keyed_aggregate(node, rows, partitions.buckets)
            lower = lower_change_aggregate if node.retracts or node.old_rows else lower_aggregate
            return lower(node, rows, partitions.tasks)
        case Watermark():
            return lower_watermark(node, lower_plan(node.input, read_table, partitions))
        case Window():
            return lower_window(node, lower_plan(node.input, read_table, partitions))
        case WindowAggregate():
            return lower_window_aggregate(node, lower_plan(node.input, read_table, partitions), partitions.tasks)
        case Union():
            return _union([lower_plan(child, read_table, partitions) for child in node.inputs], node)
        case Join():
            left, right = (lower_plan(side, read_table, partitions) for side in node.inputs)
            return lower_keyed_join(node, left, right, partitions.buckets)
        case TimeJoin():
            left = lower_plan(node.left, read_table, partitions)
            return lower_time_join(node, left, lower_plan(node.right, read_table, partitions))
        case Rank():
            rows = lower_plan(node.input, read_table, partitions)
            if is_keyed(node):
                return lower_keyed_rank(node, rows, partitions.buckets)
            return lower_rank(node, rows, partitions.tasks)
        case Unnest():
            return lower_unnest(node, lower_plan(node.input, read_table, partitions))


def _union(branches: list[DataFrame], node: Union) -> DataFrame:
    """Unites branches. Adds hidden columns that some branches lack: kind = UPDATE_AFTER, order = 0."""
    hidden = []
    if any(KIND in rows.columns for rows in branches):
        hidden.append(KIND)
        branches = [
            # Rows without a kind are upserts: a branch whose rows need other kinds has the column.
            rows if KIND in rows.columns else rows.withColumn(KIND, code(RowKind.UPDATE_AFTER))
            for rows in branches
        ]
    if any(ORDER in rows.columns for rows in branches):
        hidden.append(ORDER)
        branches = [
            rows if ORDER in rows.columns else rows.withColumn(ORDER, F.lit(0).cast("bigint")) for rows in branches
        ]
    names = [*(field.name for field in node.fields), *hidden]
    return reduce(DataFrame.union, [rows.select(*map(column, names)) for rows in branches])


def _named(name: str, expression: Expression) -> Column:
    # An alias with the same name would still be a new column to Spark, which could then not reuse an exchange.
    if isinstance(expression, ColumnRef) and expression.name == name:
        return column(name)
    return lower_expression(expression).alias(name)
