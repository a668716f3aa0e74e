"""Lowers keep-first, keep-last and Top-N over rows that are only inserted.

The state of a partition is one array of its best rows (`max_by` of several). A batch adds at most as many rows as there
are ranks, since it is folded first; so the state keeps twice as many rows, and the best ones of earlier batches are
those before this batch.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import BATCH, KIND, ORDER
from firesteel.changelog.kind import RowKind
from firesteel.plan.node.relation import Ordering, Rank
from firesteel.spark.column import column
from firesteel.spark.hidden_column import code
from firesteel.spark.lower.batch_fold import best_rows
from firesteel.spark.lower.watermark import EVENT_TIME, end_of_window, event_time, kept_back, micros_of
from firesteel.types import NUMERIC, DataType, Date, Decimal, Double, Field, Float, Timestamp, TimestampLtz

#: Types whose values have a negative.
_NEGATABLE = (*NUMERIC, Date, Timestamp, TimestampLtz)


def lower_rank(node: Rank, rows: DataFrame, partitions: int) -> DataFrame:
    assert node.last is not None
    order = _Order(node, rows)
    rows = rows.select("*", *order.columns)
    if node.window_end is not None:
        return _of_window(node, rows, order)
    if node.keeps_first:
        first = best_rows(rows, node.partition, order.names, order.descending, 1, partitions)
        kept = first.dropDuplicates(list(node.partition)) if node.partition else first.dropDuplicates([BATCH])
        return kept.select(*_fields(node, F.lit(1)), *_order(rows))
    if RowKind.UPDATE_BEFORE not in node.changelog and node.first == node.last == 1:
        best = order.best(F.struct(*(column(field.name) for field in node.input.fields)))
        grouped = rows.groupBy(*map(column, node.partition)).agg(best.alias("__best"))
        outputs = [column("__best").getField(field.name).alias(field.name) for field in node.input.fields]
        if node.number is not None:
            outputs.append(F.lit(1).cast("bigint").alias(node.number.name))
        return grouped.select(*outputs, code(RowKind.UPDATE_AFTER).alias(KIND))
    return _top_rows(node, rows, order, partitions)


def _of_window(node: Rank, rows: DataFrame, order: _Order) -> DataFrame:
    """Lowers append mode: gives the best rows of each partition once, when its window closes."""
    assert node.window_end is not None and node.last is not None
    held = {field.name: f"c{position}" for position, field in enumerate(node.input.fields)}
    row = F.struct(*(column(name).alias(short) for name, short in held.items()))
    last = end_of_window(column(node.window_end), node.window_is_local)
    rows = rows.withColumn(EVENT_TIME, event_time(last + kept_back(node.input)))
    grouped = rows.groupBy(column(EVENT_TIME), *map(column, node.partition)).agg(
        (order.sorted(row) if order.goes_both_ways else order.best(row, node.last)).alias("__top")
    )
    ranked = F.slice(column("__top"), F.lit(node.first), F.lit(node.last - node.first + 1))
    tops = grouped.select(F.posexplode(ranked).alias("__at", "__row"))
    outputs = [column("__row").getField(short).alias(name) for name, short in held.items()]
    if node.number is not None:
        outputs.append((column("__at") + node.first).cast("bigint").alias(node.number.name))
    return tops.select(*outputs)


def _top_rows(node: Rank, rows: DataFrame, order: _Order, partitions: int) -> DataFrame:
    assert node.last is not None
    folded = best_rows(rows, node.partition, order.names, order.descending, node.last, partitions)
    numbered = {field.name: f"c{position}" for position, field in enumerate(node.input.fields)}
    row = F.struct(
        *(column(name).alias(held) for name, held in numbered.items()),
        *([column(ORDER)] if ORDER in rows.columns else []),
        column(BATCH),
    )
    top = order.best(row, 2 * node.last).alias("__top")
    grouped = folded.groupBy(*map(column, node.partition)).agg(top, F.max(column(BATCH)).alias(BATCH))
    length = F.lit(node.last - node.first + 1)
    now = F.slice(column("__top"), F.lit(node.first), length)
    earlier = F.filter(column("__top"), lambda one: one.getField(BATCH) < column(BATCH))
    tops = grouped.select(now.alias("__now"), F.slice(earlier, F.lit(node.first), length).alias("__before"))
    changes = _changes_of_ranks(tops, node) if node.by_place else _changes_of_rows(tops)
    outputs = [column("__row").getField(held).alias(name) for name, held in numbered.items()]
    if node.number is not None:
        outputs.append(column("__place").cast("bigint").alias(node.number.name))
    return changes.select(*outputs, column(KIND))


def _changes_of_rows(tops: DataFrame) -> DataFrame:
    """Returns the rows that leave the Top-N, and those that enter it."""

    def without(rows: str, others: str) -> Column:
        return F.filter(column(rows), lambda one: ~F.exists(column(others), lambda other: other.eqNullSafe(one)))

    def with_kind(rows: Column, kind: RowKind) -> Column:
        return F.transform(rows, lambda one: F.struct(one.alias("__row"), code(kind).alias(KIND)))

    left = with_kind(without("__before", "__now"), RowKind.DELETE)
    came = with_kind(without("__now", "__before"), RowKind.INSERT)
    return tops.select(F.explode(F.concat(left, came)).alias("__change")).select("__change.*")


def _changes_of_ranks(tops: DataFrame, node: Rank) -> DataFrame:
    """Returns the old row and the new one of each rank whose row has changed."""
    longest = F.greatest(F.size("__now"), F.size("__before"))
    ranked = F.when(longest > 0, F.sequence(F.lit(1), longest)).otherwise(F.array().cast("array<int>"))
    compared = tops.select(F.explode(ranked).alias("__at"), column("__now"), column("__before")).select(
        (column("__at") + (node.first - 1)).alias("__place"),
        F.get(column("__before"), column("__at") - 1).alias("__old"),
        F.get(column("__now"), column("__at") - 1).alias("__new"),
    )
    changed = compared.where(~column("__old").eqNullSafe(column("__new")))
    old, new = column("__old"), column("__new")
    before = F.when(new.isNull(), code(RowKind.DELETE)).otherwise(code(RowKind.UPDATE_BEFORE))
    after = F.when(old.isNull(), code(RowKind.INSERT)).otherwise(code(RowKind.UPDATE_AFTER))
    rows = [F.struct(new.alias("__row"), after.alias(KIND))]
    if node.old_rows:
        rows.insert(0, F.struct(old.alias("__row"), before.alias(KIND)))
    exploded = changed.select(column("__place"), F.explode(F.array(*rows)).alias("__change"))
    return exploded.select(column("__place"), "__change.*").where(column("__row").isNotNull())


class _Order:
    """The order, as columns that are all compared in one direction, and the aggregate that finds the best.

    Of equal rows the first one to come is better; for the last rows by time, the last one.
    """

    def __init__(self, node: Rank, rows: DataFrame) -> None:
        self.descending = not node.order or any(one.descending for one in node.order)
        types = {field.name: field.type for field in node.input.fields}
        parts = [part for one in node.order for part in self._parts(one, types[one.column])]
        if ORDER in rows.columns:
            later = column(ORDER) if node.keeps_last or not self.descending else -column(ORDER)
            parts.append(later)
        #: Values cannot be negated, so the rows of a window are kept and sorted.
        self.goes_both_ways = any(self._turned(one, types[one.column]) for one in node.order)
        turned = [place for one in node.order for place in (False, self._turned(one, types[one.column]))]
        self._turns = [*turned, *[False] * (len(parts) - len(turned))]
        self.columns = [part.alias(f"__by{number}") for number, part in enumerate(parts or [F.lit(0)])]
        self.names = [f"__by{number}" for number in range(len(self.columns))]

    def _parts(self, one: Ordering, data_type: DataType) -> list[Column]:
        value = column(one.column)
        if one.descending != self.descending and not self._turned(one, data_type):
            value = -_number(value, data_type)
        least = -1 if one.nulls_first != self.descending else 1
        return [F.when(column(one.column).isNull(), F.lit(least)).otherwise(F.lit(0)), value]

    def _turned(self, one: Ordering, data_type: DataType) -> bool:
        """Says whether a column is compared in the other direction than the rest, because it has no negative."""
        return one.descending != self.descending and not isinstance(data_type, _NEGATABLE)

    def sorted(self, row: Column) -> Column:
        """Gives all rows of a group, the best first."""

        def compare(left: Column, right: Column) -> Column:
            found = F.lit(0)
            for name, turned in reversed(list(zip(self.names, self._turns, strict=True))):
                before = F.lit(1 if self.descending != turned else -1)
                a, b = left.getField(name), right.getField(name)
                found = F.when(a < b, before).when(a > b, -before).otherwise(found)
            return found

        rows = F.collect_list(F.struct(row.alias("row"), *map(column, self.names)))
        return F.transform(F.array_sort(rows, compare), lambda one: one.getField("row"))

    def best(self, row: Column, most: int | None = None) -> Column:
        by = F.struct(*map(column, self.names))
        find = F.max_by if self.descending else F.min_by
        return find(row, by) if most is None else find(row, by, most)


def _number(value: Column, data_type: DataType) -> Column:
    """Converts to a value that can be negated and keeps its order."""
    match data_type:
        case Timestamp():
            return micros_of(value)
        case TimestampLtz():
            return F.unix_micros(value)
        case Date():
            return F.unix_date(value)
        case Decimal():
            return value
        case Float() | Double():
            return value.cast("double")
        case _:
            return value.cast("decimal(38,0)")


def _fields(node: Rank, number: Column) -> list[Column]:
    columns = [column(field.name) for field in node.input.fields]
    return [*columns, number.cast("bigint").alias(node.number.name)] if isinstance(node.number, Field) else columns


def _order(rows: DataFrame) -> list[Column]:
    return [column(ORDER)] if ORDER in rows.columns else []
