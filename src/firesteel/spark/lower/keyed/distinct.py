"""GROUP BY with DISTINCT over rows that never go: the state engine finds new values and adds up, Spark keeps the few totals."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as spark
from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type

from firesteel.changelog.hidden import WEIGHT
from firesteel.plan.expression import AggregateCall
from firesteel.plan.fact.keyed import needs_distinct
from firesteel.plan.node.relation import Aggregate, Filter, Node, Project, Scan
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.lower import Keyed, KeyedInput, Lowering, lower_keyed
from firesteel.spark.lower.measure import EXTREMES, Measure
from firesteel.spark.type import spark_schema
from firesteel.state.block import Packing
from firesteel.state.operator.distinct import DistinctParts, Part, input_name


def lower_distinct_aggregate(node: Aggregate, lowering: Lowering) -> DataFrame:
    measures = [Measure(call, place) for place, call in enumerate(node.calls)]
    parts = lower_keyed(_parts(node, measures, lowering.buckets), lowering)
    totals = [F.count(F.lit(1)).alias("__rows")]
    for measure in measures:
        totals += [F.sum(column(name)).alias(name) for name in (measure.total, measure.number) if name]
        if measure.extreme:
            totals.append(getattr(F, EXTREMES[measure.call.function])(column(measure.extreme)).alias(measure.extreme))
    grouped = parts.groupBy(*map(column, node.keys)).agg(*totals)
    if not node.keys:
        # Spark makes one group even of no rows; Flink does not.
        grouped = grouped.where(column("__rows") > 0)
    results = [
        measure.result(*(column(name) if name else None for name in (measure.total, measure.number, measure.extreme)))
        for measure in measures
    ]
    names = [field.name for field in node.fields[len(node.keys) :]]
    return grouped.select(*map(column, node.keys), *(one.alias(name) for one, name in zip(results, names, strict=True)))


def _parts(node: Aggregate, measures: list[Measure], buckets: int) -> Keyed:
    """Describes the operator that finds what a batch adds to each group."""
    weight = WEIGHT if _is_combined(node.input) else None
    arguments = tuple(
        dict.fromkeys(call.argument.name for call in node.calls if needs_distinct(call) and call.argument is not None)
    )
    plain = [call for call in node.calls if not needs_distinct(call)]
    packings = []
    for place, argument in enumerate(arguments):
        calls = [call for call in node.calls if needs_distinct(call) and _argument(call) == argument]
        read = [name for call in (*calls, *(plain if place == 0 else ())) for name in _read(call)]
        hidden = [weight] if weight is not None and place == 0 else []
        columns = tuple(dict.fromkeys([*node.keys, argument, *read, *hidden]))
        schema = to_arrow_schema(spark.StructType([_field(node.input, name) for name in columns]), timezone="UTC")
        packings.append(Packing(input_name(place), schema, columns, (*node.keys, argument), buckets))
    parts = tuple(part for measure in measures for part in _parts_of(measure))
    operator = DistinctParts(node.keys, arguments, parts, weight)
    types = {name: kind for measure in measures for name, kind in measure.types.items()}
    fields = [_field(node.input, key) for key in node.keys]
    schema = spark.StructType([*fields, *(spark.StructField(name, kind) for name, kind in types.items())])
    return Keyed((KeyedInput(node.input, tuple(packings)),), operator, schema)


def _parts_of(measure: Measure) -> list[Part]:
    call = measure.call
    condition = call.filter.name if call.filter is not None else None
    distinct = needs_distinct(call)

    def part(name: str, how: str, counts: bool = False) -> Part:
        kind = to_arrow_type(measure.types[name], timezone="UTC")
        return Part(name, kind, how, _argument(call), counts, condition, distinct)

    made = [(measure.total, "sum", False), (measure.number, "sum", True)]
    made.append((measure.extreme, EXTREMES.get(call.function, ""), False))
    return [part(name, how, counts) for name, how, counts in made if name is not None]


def _argument(call: AggregateCall) -> str | None:
    return call.argument.name if call.argument is not None else None


def _read(call: AggregateCall) -> list[str]:
    return [one.name for one in (call.argument, call.filter) if one is not None]


def _field(node: Node, name: str) -> spark.StructField:
    if name == WEIGHT:
        return spark.StructField(WEIGHT, spark.LongType())
    (found,) = (field for field in node.fields if field.name == name)
    return spark_schema((found,)).fields[0]


def _is_combined(node: Node) -> bool:
    """Says whether rows come with the number of rows that they stand for."""
    if isinstance(node, Project | Filter):
        return _is_combined(node.input)
    return isinstance(node, Scan) and node.combined
