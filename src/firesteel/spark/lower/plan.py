"""Lowers a plan to a streaming DataFrame, node by node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Protocol, assert_never

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import CODES, KIND, ORDER, WEIGHT
from firesteel.changelog.kind import INSERT_ONLY, RowKind
from firesteel.plan.expression import ColumnRef, Expression, substitute
from firesteel.plan.fact.keyed import is_keyed, splits_distinct
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
from firesteel.spark.lower.keyed.aggregate import keyed_aggregate
from firesteel.spark.lower.keyed.distinct import lower_distinct_aggregate
from firesteel.spark.lower.keyed.join import keyed_join
from firesteel.spark.lower.keyed.lower import Keyed, hand_on, lower_keyed, pack_columns
from firesteel.spark.lower.keyed.materialize import keyed_materialize
from firesteel.spark.lower.keyed.normalize import keyed_normalize
from firesteel.spark.lower.keyed.processor import WatermarkOf
from firesteel.spark.lower.keyed.rank import keyed_rank
from firesteel.spark.lower.keyed.window import keyed_window
from firesteel.spark.lower.rank import lower_rank
from firesteel.spark.lower.time_join import lower_time_join
from firesteel.spark.lower.unnest import lower_unnest
from firesteel.spark.lower.watermark import lower_watermark
from firesteel.spark.lower.window import lower_window, lower_window_aggregate
from firesteel.state.block import Packing


class ReadTable(Protocol):
    """Makes the DataFrame of a leaf node."""

    def can_pack(self, scan: Scan) -> bool:
        """Says whether whoever reads a table can pack its rows."""
        ...

    def read(self, scan: Scan | Values, packings: tuple[Packing, ...] = ()) -> DataFrame:
        """Gives the rows; packed, where that is asked for."""
        ...

    def watermark(self, node: Node) -> WatermarkOf:
        """Gives what tells the watermark of a node's rows, when the tables below it have been read."""
        ...


def lower_plan(node: Node, tables: ReadTable, layout: Layout) -> DataFrame:
    return _Lowering(tables, layout.tasks, layout.buckets).rows(node)


@dataclass(frozen=True)
class _Lowering:
    """Lowers the nodes of one query."""

    tables: ReadTable
    partitions: int
    buckets: int
    #: What is done with the rows of tables whose event time an operator above waits for, by the table's `id`.
    timed: dict[int, Callable[[DataFrame], DataFrame]] = field(default_factory=dict)

    def packed(self, node: Node, packings: tuple[Packing, ...]) -> DataFrame:
        """Gives a node's rows as blobs for an operator: handed on where nothing but columns stands between."""
        if isinstance(node, Project):
            names = _plain_columns(node)
            if names is not None:
                return self.packed(node.input, tuple(one.renamed(names) for one in packings))
        if isinstance(node, Scan) and self.tables.can_pack(node):
            return self.tables.read(node, packings)
        if is_keyed(node):
            keyed = self._keyed(node)
            if all(one.needed <= keyed.names.keys() for one in packings):
                return hand_on(keyed, self, tuple(one.renamed(keyed.names) for one in packings))
        return pack_columns(self.rows(node), packings)

    def _keyed(self, node: Node) -> Keyed:
        match node:
            case Aggregate():
                return keyed_aggregate(node, self.buckets)
            case Rank():
                return keyed_rank(node, self.buckets)
            case Normalize():
                return keyed_normalize(node, self.buckets)
            case Materialize():
                return keyed_materialize(node, self.buckets)
            case Join():
                return keyed_join(node, self)
            case WindowAggregate():
                return keyed_window(node, self.buckets)
        raise TypeError(f"{type(node).__name__} does not run on the state engine")

    def watermark(self, node: Node) -> WatermarkOf:
        """Gives what tells the watermark of a node's rows."""
        return self.tables.watermark(node)

    def _with_watermark(self, node: Watermark) -> DataFrame:
        below = _scan_below(node)
        if below is None:
            return lower_watermark(node, self.rows(node.input))
        # Messages advance event time as they come, before it is known which rows they replace.
        scan, time = below
        self.timed[id(scan)] = lambda rows: lower_watermark(node, rows, lower_expression(time))
        return self.rows(node.input)

    def rows(self, node: Node) -> DataFrame:
        """Gives a node's rows."""
        if is_keyed(node):
            return lower_keyed(self._keyed(node), self)
        match node:
            case Scan() | Values():
                rows = self.tables.read(node)
                return self.timed[id(node)](rows) if id(node) in self.timed else rows
            case Sink():
                return self.rows(node.input)
            case Project():
                rows = self.rows(node.input)
                pairs = zip(node.fields, node.expressions, strict=True)
                return rows.select(*(_named(field.name, one) for field, one in pairs), *carried(rows))
            case Filter():
                return _filtered(node, self.rows(node.input))
            case Aggregate() if splits_distinct(node):
                return lower_distinct_aggregate(node, self)
            case Aggregate():
                lower = lower_change_aggregate if node.retracts or node.old_rows else lower_aggregate
                return lower(node, self.rows(node.input), self.partitions)
            case Watermark():
                return self._with_watermark(node)
            case Window():
                return lower_window(node, self.rows(node.input))
            case WindowAggregate():
                return lower_window_aggregate(node, self.rows(node.input), self.partitions)
            case Union():
                return _union([self.rows(child) for child in node.inputs], node)
            case TimeJoin():
                return lower_time_join(node, self.rows(node.left), self.rows(node.right))
            case Rank():
                return lower_rank(node, self.rows(node.input), self.partitions)
            case Unnest():
                return lower_unnest(node, self.rows(node.input))
            case Join() | Normalize() | Materialize():
                raise TypeError("These run on the state engine")
            case _:
                assert_never(node)


def _scan_below(node: Watermark) -> tuple[Scan, Expression] | None:
    """Finds the table whose rows are normalised below a watermark, and its event time there."""
    below = node.input
    expression: Expression = next(ColumnRef(one.name, one.type) for one in node.fields if one.name == node.column)
    while isinstance(below, Project):
        expression = _inlined(expression, below)
        below = below.input
    return (below.input, expression) if isinstance(below, Normalize) else None


def _inlined(expression: Expression, project: Project) -> Expression:
    """Computes an expression of a projection's columns from those of its input."""
    held = {one.name: value for one, value in zip(project.fields, project.expressions, strict=True)}
    return substitute(expression, lambda part: held[part.name] if isinstance(part, ColumnRef) else None)


def _plain_columns(node: Project) -> dict[str, str] | None:
    """Gives the column of the input that each column of a projection is; None if any is computed."""
    # Hidden columns go through every projection.
    names = {WEIGHT: WEIGHT, ORDER: ORDER}
    for one, expression in zip(node.fields, node.expressions, strict=True):
        if not isinstance(expression, ColumnRef) or expression.type.with_nullable(True) != one.type.with_nullable(True):
            return None
        names[one.name] = expression.name
    return names


def _filtered(node: Filter, rows: DataFrame) -> DataFrame:
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
