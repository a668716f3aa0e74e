"""Joins on the state engine, of rows that come and go on both sides."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as spark
from pyspark.sql.pandas.types import to_arrow_type

from firesteel.changelog.hidden import KIND, ORDER
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.expression import ColumnRef, Expression, substitute
from firesteel.plan.fact.event_order import has_order
from firesteel.plan.fact.pair_condition import pair_condition_parts
from firesteel.plan.node.join_kind import JoinKind
from firesteel.plan.node.relation import Join, Node
from firesteel.spark.column import column
from firesteel.spark.lower.expression import lower_expression
from firesteel.spark.lower.keyed.lower import Keyed, KeyedInput, Lowering
from firesteel.spark.lower.keyed.pair_condition import PairCondition
from firesteel.spark.type import spark_type
from firesteel.state.block import Packing
from firesteel.state.operator.join import LEFT_INPUT, RIGHT_INPUT
from firesteel.state.operator.join import Join as EngineJoin
from firesteel.state.operator.join import JoinKind as EngineKind
from firesteel.state.operator.join import Side as EngineSide

#: The sides of which a row without a partner is given.
_SHOWS_ALONE = {
    JoinKind.LEFT: {LEFT_INPUT},
    JoinKind.RIGHT: {RIGHT_INPUT},
    JoinKind.FULL: {LEFT_INPUT, RIGHT_INPUT},
    JoinKind.ANTI: {LEFT_INPUT},
}


class _Side:
    """One input: its columns under names of their own, which clash with none of the engine's, and its keys."""

    def __init__(
        self, name: str, node: Node, keys: list[Expression], parts: list[Expression], carried: list[str]
    ) -> None:
        """Names what the join needs. `parts`: what a condition reads of them; `carried`: hidden columns that are data to the join."""
        self.name, self._node = name, node
        self.columns = {field.name: f"{name}{place}" for place, field in enumerate(node.fields)}
        self.columns |= {hidden: f"{name}{hidden}" for hidden in carried}
        types = {field.name: spark_type(field.type) for field in node.fields} | dict.fromkeys(carried, spark.LongType())
        self.types = {short: types[long] for long, short in self.columns.items()}
        # What is computed is a column of its own, which the join does not hand on.
        self.made: dict[str, Column] = {}
        self.keys = [self.column_of(key, f"key{place}") for place, key in enumerate(keys)]
        self.parts = {part: self.column_of(part, f"part{place}") for place, part in enumerate(dict.fromkeys(parts))}

    def column_of(self, expression: Expression, name: str) -> str:
        """Names the column that holds a value of this side, and adds it if there is none."""
        if isinstance(expression, ColumnRef):
            return self.columns[expression.name]
        short = f"{self.name}_{name}"
        self.types[short] = spark_type(expression.type)
        self.made[short] = lower_expression(expression).cast(self.types[short])
        return short

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(short, to_arrow_type(kind, timezone="UTC")) for short, kind in self.types.items()])

    def input(self, shows_alone: bool, rows: DataFrame | None, buckets: int, ticks: bool) -> KeyedInput:
        """Describes the input. A row with a NULL in its key has no partner ever: it is left out where it does not show alone."""
        long = {short: long for long, short in self.columns.items()} | {short: short for short in self.made}
        columns, hashed = (tuple(long[short] for short in some) for some in (self.types, self.keys))
        packing = Packing(self.name, self.schema, columns, hashed, buckets, whole_keys=not shows_alone, ticks=ticks)
        return KeyedInput(self._node, (packing,), self.made, rows)


def keyed_join(node: Join, lowering: Lowering) -> Keyed:
    # Only rows that are never retracted have an order of arrival that a node above asks for.
    inserts = node.changelog == INSERT_ONLY
    sides = [lowering.rows(side) if inserts and has_order(side) else None for side in node.inputs]
    needed = sides[:1] if node.kind.keeps_left else sides
    carried = [ORDER] if all(rows is not None and ORDER in rows.columns for rows in needed) else []
    parts = _parts(node)
    left = _Side(LEFT_INPUT, node.left, [one for one, _ in node.keys], parts[0], carried)
    others = [] if node.kind.keeps_left else carried
    right = _Side(RIGHT_INPUT, node.right, [other for _, other in node.keys], parts[1], others)
    shown = [left] if node.kind.keeps_left else [left, right]
    operator = EngineJoin(
        EngineKind[node.kind.name],
        EngineSide(left.schema, node.left_ttl or None),
        EngineSide(right.schema, node.right_ttl or None),
        tuple(zip(left.keys, right.keys, strict=True)),
        condition=_condition(node, left, right),
        dropped=(*left.made, *right.made),
    )
    alone = _SHOWS_ALONE.get(node.kind, set())
    inputs = tuple(
        side.input(side.name in alone, rows, lowering.buckets, operator.is_timed)
        for side, rows in zip((left, right), sides, strict=True)
    )
    short = {short: kind for side in shown for short, kind in side.types.items() if short not in side.made}
    schema = spark.StructType([spark.StructField(name, kind) for name, kind in short.items()])
    names = {long: short for side in shown for long, short in side.columns.items() if long != ORDER}

    def finish(pairs: DataFrame) -> DataFrame:
        outputs = [column(names[field.name]).alias(field.name) for field in node.fields]
        hidden = [] if inserts else [column(KIND)]
        if carried:
            # A pair arrives with the later one of its rows.
            orders = [column(side.columns[ORDER]) for side in shown]
            hidden.append((F.greatest(*orders) if len(orders) > 1 else orders[0]).alias(ORDER))
        return pairs.select(*outputs, *hidden)

    return Keyed(inputs, operator, schema, names, finish)


def _parts(node: Join) -> tuple[list[Expression], list[Expression]]:
    """Returns what each side computes for the condition about pairs."""
    parts: tuple[list[Expression], list[Expression]] = ([], [])
    if node.condition is not None:
        names = [frozenset(field.name for field in side.fields) for side in node.inputs]
        for part in pair_condition_parts(node.condition, names[0], names[1]):
            assert part is not None, "Resolving refuses other conditions."
            parts[part[0]].append(part[1])
    return parts


def _condition(node: Join, left: _Side, right: _Side) -> PairCondition | None:
    if node.condition is None:
        return None
    names = left.parts | right.parts

    def swap(part: Expression) -> Expression | None:
        return ColumnRef(names[part], part.type) if part in names else None

    return PairCondition(substitute(node.condition, swap))
