"""Lowers joins to Spark's own stream-stream join, for rows that are inserted and retracted.

A pair's sign is the product of its rows' signs, so the sum of all pairs of changes is the join of the rows that are
left: both sides keep their changes as they came. In an outer join, a row without a partner is padded with NULLs. The
padded row is retracted when its key gets the first partner and inserted again when it loses the last: `existence` tells
when, and its rows join like partners of the opposite sign.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import KIND, ORDER, SIGN
from firesteel.plan.expression import Expression
from firesteel.plan.node.join_kind import JoinKind
from firesteel.plan.node.relation import Aggregate, Join, Node, Normalize, Rank, Scan, Values
from firesteel.plan.node.time_join import TimeJoin
from firesteel.plan.node.window import WindowAggregate
from firesteel.spark.column import column
from firesteel.spark.hidden_column import kind_of, sign
from firesteel.spark.lower.existence import existence
from firesteel.spark.lower.expression import lower_expression
from firesteel.spark.lower.keep_columns import keep_columns
from firesteel.spark.type import spark_type


class _Side:
    """One input: its columns, its sign, its order column, and its keys under names of their own."""

    def __init__(
        self, rows: DataFrame, node: Node, keys: list[Expression], prefix: str, partitions: int, *, twice: bool
    ) -> None:
        """Prepares the rows. `twice`: the side is used more than once."""
        self.fields = fields = node.fields
        self.prefix = prefix
        self.keys = [f"__{prefix}_key{number}" for number in range(len(keys))]
        self.updates = KIND in rows.columns
        self.ordered = ORDER in rows.columns
        order = column(ORDER) if self.ordered else F.lit(None).cast("bigint")
        self.rows = rows.select(
            *(column(field.name) for field in fields),
            *(lower_expression(key).alias(name) for key, name in zip(keys, self.keys, strict=True)),
            sign(rows).alias(f"__{prefix}{SIGN}"),
            order.alias(f"__{prefix}{ORDER}"),
        )
        if twice:
            # An operator with state needs an exchange below it.
            if not _has_exchange(node):
                self.rows = self.rows.repartition(partitions, *map(column, self.keys))
            self.rows = keep_columns(self.rows)

    @property
    def sign(self) -> Column:
        return column(f"__{self.prefix}{SIGN}")

    @property
    def order(self) -> Column:
        return column(f"__{self.prefix}{ORDER}")

    def exists(self, partitions: int) -> DataFrame:
        """Returns the keys of this side that appear and disappear."""
        kind = [kind_of(self.sign).alias(KIND)] if self.updates else []
        keys = self.rows.select(*map(column, self.keys), *kind)
        filled = reduce(Column.__and__, [column(name).isNotNull() for name in self.keys])
        return existence(keys.where(filled), self.keys, partitions).withColumnRenamed(SIGN, f"__{self.prefix}{SIGN}")

    def absent(self) -> list[Column]:
        return [F.lit(None).cast(spark_type(field.type)).alias(field.name) for field in self.fields]


def _has_exchange(node: Node) -> bool:
    """Checks whether all of the node's rows come through an exchange."""
    if isinstance(node, Scan | Values):
        return False
    if isinstance(node, Normalize | Aggregate | Join | Rank | WindowAggregate | TimeJoin):
        return True
    return all(map(_has_exchange, node.inputs))


def lower_join(node: Join, left_rows: DataFrame, right_rows: DataFrame, partitions: int) -> DataFrame:
    outer = node.kind in (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
    anti = node.kind is JoinKind.ANTI
    left = _Side(left_rows, node.left, [one for one, _ in node.keys], "l", partitions, twice=outer or anti)
    right = _Side(right_rows, node.right, [other for _, other in node.keys], "r", partitions, twice=outer)
    if anti:
        # Insert all rows, and retract those that get a partner.
        found = left.rows.join(right.exists(partitions), _equal(left.keys, right.keys))
        kept = _kept(left.rows, left, left.sign)
        return kept.union(_kept(found, left, -left.sign * column(f"__r{SIGN}")))
    if node.kind is JoinKind.SEMI:
        found = right.exists(partitions)
        pairs = left.rows.join(found, _equal(left.keys, right.keys))
        updates = left.updates or right.updates
        return pairs.select(
            *(column(field.name) for field in left.fields),
            *_hidden(left.sign * column(f"__r{SIGN}"), left.order, updates, left.ordered),
        )
    ordered = left.ordered and right.ordered
    if node.kind is JoinKind.INNER:
        pairs = left.rows.join(right.rows, _equal(left.keys, right.keys))
        order = F.greatest(left.order, right.order)
        return pairs.select(
            *_both(left, right), *_hidden(left.sign * right.sign, order, left.updates or right.updates, ordered)
        )
    branches = []
    partners = right.rows
    if node.kind in (JoinKind.LEFT, JoinKind.FULL):
        partners = partners.union(_substitutes(right, partitions))
        branches.append(_padded(left, right, node))
    if node.kind is JoinKind.RIGHT:
        whole = left.rows.union(_substitutes(left, partitions)).join(right.rows, _equal(left.keys, right.keys))
        branches.append(_padded(right, left, node))
    else:
        whole = left.rows.join(partners, _equal(left.keys, right.keys))
    if node.kind is JoinKind.FULL:
        branches.append(_padded(right, left, node))
        gone = _substitutes(left, partitions).join(right.rows, _equal(left.keys, right.keys))
        branches.append(_output(gone, left, right, left.sign * right.sign, right.order))
    pairs = _output(
        whole, left, right, left.sign * right.sign, F.coalesce(F.greatest(left.order, right.order), left.order)
    )
    return reduce(DataFrame.union, branches, pairs)


def _substitutes(side: _Side, partitions: int) -> DataFrame:
    """Makes a partner of only NULLs, with the opposite sign, for each key of this side."""
    found = side.exists(partitions)
    return found.select(
        *side.absent(),
        *(column(name) for name in side.keys),
        (-side.sign).alias(f"__{side.prefix}{SIGN}"),
        F.lit(None).cast("bigint").alias(f"__{side.prefix}{ORDER}"),
    )


def _padded(kept: _Side, absent: _Side, node: Join) -> DataFrame:
    """Pads every row of one side with NULLs for the other."""
    empty = {field.name: one for field, one in zip(absent.fields, absent.absent(), strict=True)}
    columns = [empty.get(field.name, column(field.name)) for field in node.fields]
    return kept.rows.select(*columns, kind_of(kept.sign).alias(KIND), kept.order.alias(ORDER))


def _output(pairs: DataFrame, left: _Side, right: _Side, signed: Column, order: Column) -> DataFrame:
    return pairs.select(*_both(left, right), kind_of(signed).alias(KIND), order.alias(ORDER))


def _kept(rows: DataFrame, side: _Side, signed: Column) -> DataFrame:
    return rows.select(
        *(column(field.name) for field in side.fields), kind_of(signed).alias(KIND), side.order.alias(ORDER)
    )


def _both(left: _Side, right: _Side) -> list[Column]:
    return [column(field.name) for field in (*left.fields, *right.fields)]


def _equal(left: list[str], right: list[str]) -> Column:
    return reduce(Column.__and__, [column(one) == column(other) for one, other in zip(left, right, strict=True)])


def _hidden(signed: Column, order: Column, updates: bool, ordered: bool) -> list[Column]:
    hidden = [kind_of(signed).alias(KIND)] if updates else []
    return [*hidden, order.alias(ORDER)] if ordered else hidden
