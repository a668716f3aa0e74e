"""Lowers an operator of the state engine to Spark: rows are packed, dealt to buckets, worked into the state, and unpacked.

Whoever has the rows packs them: the task that reads them, where nothing but columns stands between a table and the operator; the
operator below, where nothing but columns stands between two; else a task of its own behind Spark's expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Protocol
from uuid import uuid4

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as spark
from pyspark.sql.pandas.types import to_arrow_schema

from firesteel.changelog.hidden import KIND
from firesteel.plan.node.relation import Node
from firesteel.spark.blob import BLOBS
from firesteel.spark.column import column
from firesteel.spark.lower.keyed.processor import Processor, WatermarkOf
from firesteel.spark.lower.keyed.report import observe_reports, title_of
from firesteel.spark.lower.keyed.wire import pack, unpack
from firesteel.spark.memory import task_memory
from firesteel.spark.type import spark_schema
from firesteel.state.block import Packing
from firesteel.state.operator.operator import INPUT, Operator
from firesteel.types import Field, Map, Multiset

_REPORT = "report"
_OUTPUT = spark.StructType([*BLOBS.fields, spark.StructField(_REPORT, spark.StringType())])


class Lowering(Protocol):
    """Lowers what lies below an operator."""

    @property
    def buckets(self) -> int:
        """Tells into how many buckets the state of an operator is dealt."""
        ...

    def rows(self, node: Node) -> DataFrame:
        """Gives the rows of a node."""
        ...

    def packed(self, node: Node, packings: tuple[Packing, ...]) -> DataFrame:
        """Gives the rows of a node, packed in each of these ways."""
        ...

    def watermark(self, node: Node) -> WatermarkOf:
        """Gives what tells the watermark of a node's rows. It is asked for when the node has been lowered."""
        ...


@dataclass(frozen=True)
class KeyedInput:
    """Rows for an operator, as one of its inputs or as several. `made` are columns that Spark computes for it. `rows`: those of the node, where they are lowered."""

    node: Node
    packings: tuple[Packing, ...]
    made: Mapping[str, Column] = field(default_factory=dict)
    rows: DataFrame | None = None


@dataclass(frozen=True)
class Keyed:
    """A node of a plan as an operator. `schema` has the operator's columns, beside the kind of each row.

    `names` tells what a column of the node is called there. `finish` makes the node's rows of the operator's; None: they are the same.
    `waits_in`: the node whose event time the operator waits for.
    """

    inputs: tuple[KeyedInput, ...]
    operator: Operator
    schema: spark.StructType
    names: Mapping[str, str] = field(default_factory=dict)
    finish: Callable[[DataFrame], DataFrame] | None = None
    waits_in: Node | None = None


def keyed_rows(
    node: Node, columns: Sequence[str], key: Sequence[str], operator: Operator, fields: tuple[Field, ...], buckets: int
) -> Keyed:
    """Describes an operator of one input, whose rows are dealt by columns of their own. It gives `fields`."""
    found = {one.name: one for one in (*node.fields, *fields)}
    schema = to_arrow_schema(spark_schema(tuple(found[name] for name in columns)), timezone="UTC")
    made = {
        f"__hashed{place}": F.array_sort(F.map_entries(column(name)))
        for place, name in enumerate(key)
        # A map's entries have no order: equal maps are dealt alike by sorted ones.
        if isinstance(found[name].type, Map | Multiset)
    }
    hashed = tuple(f"__hashed{place}" if f"__hashed{place}" in made else name for place, name in enumerate(key))
    packing = Packing(INPUT, schema, tuple(columns), hashed, buckets, ticks=operator.is_timed)
    names = {one.name: one.name for one in fields}
    return Keyed((KeyedInput(node, (packing,), made),), operator, spark_schema(fields), names)


def lower_keyed(keyed: Keyed, lowering: Lowering) -> DataFrame:
    """Gives the rows of an operator's node."""
    blobs = _run(keyed, lowering, ())
    rows = unpack(blobs, spark.StructType([*keyed.schema.fields, spark.StructField(KIND, spark.ByteType())]))
    return keyed.finish(rows) if keyed.finish is not None else rows


def hand_on(keyed: Keyed, lowering: Lowering, then: tuple[Packing, ...]) -> DataFrame:
    """Gives what an operator gives, packed by it for the next one."""
    return _run(keyed, lowering, then).where(column(_REPORT).isNull()).drop(_REPORT)


def _run(keyed: Keyed, lowering: Lowering, then: tuple[Packing, ...]) -> DataFrame:
    # The operator's files are kept under a name of their own on each machine. No name is used twice, also not after a restart.
    name = f"operator-{uuid4().hex}"
    inputs = keyed.inputs
    if any(one.ticks for one in then):
        # Time goes on for the next operator whether or not this one has rows.
        inputs = tuple(
            replace(one, packings=tuple(replace(packing, ticks=True) for packing in one.packings)) for one in inputs
        )
    packed = reduce(DataFrame.unionAll, [_blobs(one, lowering) for one in inputs])
    watermark = None if keyed.waits_in is None else lowering.watermark(keyed.waits_in)
    # The batch's own time, which is the same in every attempt of it.
    clock = F.unix_millis(F.current_timestamp()).alias("clock")
    blobs = (
        packed.select("*", clock)
        .groupBy("bucket")
        .transformWithState(
            Processor(keyed.operator, name, task_memory(packed.sparkSession), then, watermark),
            _OUTPUT,
            "Update",
            "None",
        )
    )
    return observe_reports(blobs, title_of(keyed.operator), keyed.inputs[0].packings[0].buckets)


def _blobs(one: KeyedInput, lowering: Lowering) -> DataFrame:
    if not one.made and one.rows is None:
        return lowering.packed(one.node, one.packings)
    rows = one.rows if one.rows is not None else lowering.rows(one.node)
    return pack_columns(rows.withColumns(dict(one.made)) if one.made else rows, one.packings)


def pack_columns(rows: DataFrame, packings: tuple[Packing, ...]) -> DataFrame:
    """Packs rows, of which only what is asked for goes to Python."""
    wanted = [name for one in packings for name in one.needed]
    names = dict.fromkeys([*wanted, *([KIND] if KIND in rows.columns else [])])
    return pack(rows.select(*map(column, names)), packings)
