"""Lowers GROUP BY over updating input, or with UPDATE_BEFORE in its output.

Every reversible aggregate is a sum of signed parts: COUNT adds the signs, SUM the signed values, AVG uses both. To find
the old row, the parts of a batch are first folded to one row for each group; the sum without this row is the value
before the batch.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import BATCH, KIND
from firesteel.changelog.kind import RowKind
from firesteel.plan.expression import AggregateCall
from firesteel.plan.node.relation import Aggregate
from firesteel.spark.column import column
from firesteel.spark.hidden_column import code, sign
from firesteel.spark.lower.batch_fold import fold_measures
from firesteel.spark.lower.measure import EXTREMES, Measure

#: The number of rows of a group.
_ROWS = "__rows"


def lower_change_aggregate(node: Aggregate, rows: DataFrame, partitions: int) -> DataFrame:
    measures = [Measure(call, position) for position, call in enumerate(node.calls)]
    parts = _parts(node, rows, measures)
    return _with_old(node, parts, measures, partitions) if node.old_rows else _new_only(node, parts, measures)


def _parts(node: Aggregate, rows: DataFrame, measures: list[Measure]) -> DataFrame:
    """Makes rows of the same columns, with what each input row adds to its group."""
    types = {name: data_type for measure in measures for name, data_type in measure.types.items()}
    signed = sign(rows)
    parts: dict[str, Column] = {}
    for measure in measures:
        parts |= measure.parts(_value(measure.call), signed)
    number = signed.cast("bigint").alias(_ROWS)
    rest = [parts.get(name, F.lit(None)).cast(data_type).alias(name) for name, data_type in types.items()]
    return rows.select(*map(column, node.keys), number, *rest)


def _value(call: AggregateCall) -> Column:
    value = F.lit(1) if call.argument is None else column(call.argument.name)
    return F.when(column(call.filter.name), value) if call.filter is not None else value


def _new_only(node: Aggregate, parts: DataFrame, measures: list[Measure]) -> DataFrame:
    totals = [F.sum(column(_ROWS)).alias(_ROWS)]
    for measure in measures:
        totals += [F.sum(column(name)).alias(name) for name in (measure.total, measure.number) if name]
        if measure.extreme:
            totals.append(getattr(F, EXTREMES[measure.call.function])(column(measure.extreme)).alias(measure.extreme))
    grouped = parts.groupBy(*map(column, node.keys)).agg(*totals)
    outputs = [
        measure.result(*(column(name) if name else None for name in (measure.total, measure.number, measure.extreme)))
        for measure in measures
    ]
    names = [field.name for field in node.fields[len(node.keys) :]]
    columns = [*map(column, node.keys), *(one.alias(name) for one, name in zip(outputs, names, strict=True))]
    # Flink deletes the row when its group is empty, even if there is only one group.
    kind = F.when(column(_ROWS) <= 0, code(RowKind.DELETE)).otherwise(code(RowKind.UPDATE_AFTER))
    # Without keys Spark makes one group even of no rows; Flink does not.
    return grouped.where(column(_ROWS).isNotNull()).select(*columns, kind.alias(KIND))


def _with_old(node: Aggregate, parts: DataFrame, measures: list[Measure], partitions: int) -> DataFrame:
    sums = [_ROWS, *(name for measure in measures for name in (measure.total, measure.number) if name)]
    extremes = [(measure.extreme, EXTREMES[measure.call.function]) for measure in measures if measure.extreme]
    folded = fold_measures(parts, node.keys, [*((name, "sum") for name in sums), *extremes], partitions)
    added = F.max_by(F.struct(*map(column, sums)), column(BATCH)).alias("__added")
    best = [
        # At most one of the two best is of this batch; the other is the best of all earlier ones.
        getattr(F, f"{how}_by")(F.struct(column(name).alias("v"), column(BATCH).alias("b")), column(name), 2).alias(
            name
        )
        for name, how in extremes
    ]
    grouped = folded.groupBy(*map(column, node.keys)).agg(
        *(F.sum(column(name)).alias(name) for name in sums),
        added,
        *best,
        F.max(column(BATCH)).alias(BATCH),
    )
    types = {name: data_type for measure in measures for name, data_type in measure.types.items()}
    now = {name: F.coalesce(column(name), F.lit(0)) for name in sums}
    before = {
        name: (now[name] - F.coalesce(column("__added").getField(name), F.lit(0))).cast(types.get(name, "bigint"))
        for name in sums
    }
    for name, _ in extremes:
        now[name] = F.get(column(name), F.lit(0)).getField("v")
        older = F.filter(column(name), lambda one: one.getField("b") < column(BATCH))
        before[name] = F.get(older, F.lit(0)).getField("v")
    lives, lived = now[_ROWS] > 0, before[_ROWS] > 0
    values = [f"c{position}" for position in range(len(measures))]

    def row(parts: dict[str, Column], kind: Column, there: Column) -> Column:
        outputs = [
            measure.result(
                *(parts[name] if name else None for name in (measure.total, measure.number, measure.extreme))
            )
            for measure in measures
        ]
        named = [one.alias(name) for one, name in zip(outputs, values, strict=True)]
        return F.struct(*named, kind.alias(KIND), there.alias("__there"))

    old = row(before, F.when(lives, code(RowKind.UPDATE_BEFORE)).otherwise(code(RowKind.DELETE)), lived)
    new = row(now, F.when(lived, code(RowKind.UPDATE_AFTER)).otherwise(code(RowKind.INSERT)), lives)
    keys = [column(key) for key in node.keys]
    pairs = grouped.select(*keys, old.alias("__old"), new.alias("__new"))
    same = [column("__old").getField(name).eqNullSafe(column("__new").getField(name)) for name in values]
    unchanged = reduce(
        Column.__and__, [*same, column("__old").getField("__there"), column("__new").getField("__there")]
    )
    changes = pairs.where(~unchanged).select(*keys, F.explode(F.array(column("__old"), column("__new"))).alias("__row"))
    names = [field.name for field in node.fields[len(node.keys) :]]
    outputs = [column("__row").getField(value).alias(name) for value, name in zip(values, names, strict=True)]
    return changes.where(column("__row").getField("__there")).select(
        *keys, *outputs, column("__row").getField(KIND).alias(KIND)
    )
