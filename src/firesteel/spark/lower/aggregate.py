"""Lowers GROUP BY to Spark's own operators.

Spark refuses COUNT(DISTINCT x) on a stream. So each row takes two branches: one unchanged, and one through
`dropDuplicates` on the group and x, which passes the first row of each distinct value. Both branches start at one
`repartition`, whose exchange Spark reuses, so the source is read once. All branches keep all columns: if one of them
were pruned, there would be two exchanges.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import ORDER, WEIGHT
from firesteel.plan.expression import AggregateCall
from firesteel.plan.function.aggregate import IN_ORDER
from firesteel.plan.node.relation import Aggregate
from firesteel.spark.column import column
from firesteel.spark.type import spark_type
from firesteel.types import INTEGER, BigInt, DataType, Decimal, TinyInt

#: The branch of a row: 0 is the unchanged one, the others pass each distinct value once.
_BRANCH = "__way"


def lower_aggregate(node: Aggregate, rows: DataFrame, partitions: int) -> DataFrame:
    keys = [column(key) for key in node.keys]
    outputs = [field.name for field in node.fields[len(node.keys) :]]
    branches = _distinct_columns(node)
    if branches:
        rows = _split(node, rows, branches, partitions)
    ordered = ORDER in rows.columns
    has_row_counts = WEIGHT in rows.columns
    aggregates = [
        _aggregate(call, branches, ordered, has_row_counts).alias(name)
        for call, name in zip(node.calls, outputs, strict=True)
    ]
    # Spark needs an aggregate, and SELECT DISTINCT has none. Without keys, Spark makes one group of no rows; Flink
    # makes none.
    if not aggregates or not keys:
        aggregates.append(F.count(F.lit(1)).alias("__rows"))
    grouped = rows.groupBy(*keys).agg(*aggregates)
    if not keys:
        grouped = grouped.where(column("__rows") > 0)
    return grouped.select(*(column(field.name) for field in node.fields))


def _distinct_columns(node: Aggregate) -> dict[tuple[str, str | None], str]:
    """Names the column that each distinct call counts, by its argument and its filter."""
    branches: dict[tuple[str, str | None], str] = {}
    for call in node.calls:
        if call.distinct:
            argument, condition = identity = _identity(call)
            branches.setdefault(identity, f"__distinct{len(branches) + 1}" if condition else argument)
    return branches


def _identity(call: AggregateCall) -> tuple[str, str | None]:
    assert call.argument is not None
    return call.argument.name, call.filter.name if call.filter else None


def _split(node: Aggregate, rows: DataFrame, branches: dict[tuple[str, str | None], str], partitions: int) -> DataFrame:
    for (argument, condition), name in branches.items():
        if condition:
            # A filter becomes a NULL, which no aggregate counts. A WHERE would be pushed below the exchange, which
            # could then not be shared.
            rows = rows.withColumn(name, F.when(column(condition), column(argument)))
    by = [*node.keys, *(branches.values() if len(branches) == 1 else ())]
    shared = rows.repartition(partitions, *(column(name) for name in by)) if by else rows.repartition(1)
    plain = shared.withColumn(_BRANCH, F.lit(0))
    distinct = [
        shared.dropDuplicates([*node.keys, name]).withColumn(_BRANCH, F.lit(number))
        for number, name in enumerate(branches.values(), start=1)
    ]
    return reduce(DataFrame.union, distinct, plain)


def lower_call(call: AggregateCall, ordered: bool) -> Column:
    """Lowers a call in a group whose rows take only one branch. Of the distinct calls only COUNT is possible there."""
    if not call.distinct:
        return _aggregate(call, {}, ordered, has_row_counts=False)
    assert call.argument is not None
    value = column(call.argument.name)
    return F.size(F.collect_set(F.when(column(call.filter.name), value) if call.filter else value)).cast("long")


def _aggregate(
    call: AggregateCall, branches: dict[tuple[str, str | None], str], ordered: bool, has_row_counts: bool
) -> Column:
    value = F.lit(1) if call.argument is None else column(call.argument.name)
    row_count = column(WEIGHT) if has_row_counts and not call.distinct else None
    if call.distinct:
        names = list(branches.values())
        held = branches[_identity(call)]
        value = F.when(column(_BRANCH) == names.index(held) + 1, column(held))
    else:
        if call.filter is not None:
            value = F.when(column(call.filter.name), value)
        if branches:
            value = F.when(column(_BRANCH) == 0, value)
    argument = call.argument.type if call.argument is not None else TinyInt()
    if call.function in IN_ORDER:
        return _in_order(call, value, column(ORDER) if ordered else F.lit(0))
    return _native(call.function, value, argument, call.type, row_count)


def _in_order(call: AggregateCall, value: Column, order: Column) -> Column:
    """Lowers an aggregate that depends on which value came first. NULLs do not count."""
    position = F.when(value.isNotNull(), order)
    match call.function:
        case "FIRST_VALUE":
            return F.min_by(value, position)
        case "LAST_VALUE":
            return F.max_by(value, position)
    # An empty list gives NULL, not an empty text.
    kept = F.collect_list(F.when(value.isNotNull(), F.struct(position.alias("o"), value.alias("v"))))
    texts = F.transform(F.array_sort(kept), lambda one: one.getField("v"))
    return F.when(F.size(kept) > 0, F.array_join(texts, call.separator or ""))


_SPREADS = {"STDDEV_POP": F.stddev_pop, "STDDEV_SAMP": F.stddev_samp, "VAR_POP": F.var_pop, "VAR_SAMP": F.var_samp}


def _native(
    function: str, value: Column, argument: DataType, result: DataType, row_count: Column | None = None
) -> Column:
    """Lowers an aggregate function. COUNT and integer SUM multiply by the row count; MIN and MAX ignore it."""
    wanted = spark_type(result)
    count = F.count(value) if row_count is None else F.coalesce(F.sum(F.when(value.isNotNull(), row_count)), F.lit(0))
    match function:
        case "COUNT":
            return count
        case "MIN":
            return F.min(value)
        case "MAX":
            return F.max(value)
        case "SUM":
            return F.sum(_wide(value, argument, row_count)).cast(wanted)
        case "AVG":
            if isinstance(argument, INTEGER):
                return F.call_function("div", F.sum(_wide(value, argument, row_count)), count).cast(wanted)
            if isinstance(argument, Decimal):
                return (F.sum(_wide(value, argument)) / F.count(value)).cast(wanted)
            return F.avg(value).cast(wanted)
        case _ if function in _SPREADS:
            return _SPREADS[function](value.cast("double")).cast(wanted)
    raise TypeError(f"{function} has no translation to Spark")


def _wide(value: Column, argument: DataType, row_count: Column | None = None) -> Column:
    """Casts to the widest type of the argument's kind, in which sums are kept. A sum that does not fit the result's
    type is an error.
    """
    if row_count is not None:
        return value.cast(spark_type(BigInt())) * row_count
    if isinstance(argument, Decimal):
        return value.cast(spark_type(Decimal(38, argument.scale)))
    return value.cast(spark_type(BigInt())) if isinstance(argument, INTEGER) else value
