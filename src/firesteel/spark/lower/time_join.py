"""Lowers interval joins and window joins to Spark's own stream-stream join, whose state the watermark limits."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import KIND, ORDER
from firesteel.plan.node.join_kind import JoinKind
from firesteel.plan.node.relation import Node
from firesteel.plan.node.time_join import TimeJoin
from firesteel.spark.column import column
from firesteel.spark.lower.expression import lower_expression
from firesteel.spark.lower.watermark import end_of_window, event_time, instant_of, kept_back

_LEFT, _RIGHT = "__left_time", "__right_time"

_KINDS = {
    JoinKind.INNER: "inner",
    JoinKind.LEFT: "left_outer",
    JoinKind.RIGHT: "right_outer",
    JoinKind.FULL: "full_outer",
}


def lower_time_join(node: TimeJoin, left: DataFrame, right: DataFrame) -> DataFrame:
    # Flink joins a late row with the rows it still keeps, Spark drops it. Event times are therefore shifted later by as
    # much as partners may be apart, which keeps rows and their partners as long as Flink does.
    later = max(map(kept_back, node.inputs)) + node.patience * 1000
    left = left.drop(KIND, ORDER).withColumn(_LEFT, _time(node, node.left, node.left_time, later, _LEFT))
    right = right.drop(KIND, ORDER).withColumn(_RIGHT, _time(node, node.right, node.right_time, later, _RIGHT))
    conditions = [lower_expression(one) == lower_expression(other) for one, other in node.keys]
    conditions += [
        column(_RIGHT) >= column(_LEFT) + _length(node.lower),
        column(_RIGHT) <= column(_LEFT) + _length(node.upper),
    ]
    if node.condition is not None:
        conditions.append(lower_expression(node.condition))
    pairs = left.join(right, reduce(Column.__and__, conditions), _KINDS[node.kind])
    return pairs.select(*(column(field.name) for field in node.fields))


def _time(node: TimeJoin, side: Node, name: str, later: int, alias: str) -> Column:
    if node.window:
        micros = end_of_window(column(name), node.is_local)
    else:
        data_type = next(field.type for field in side.fields if field.name == name)
        micros = instant_of(column(name), data_type)
    return event_time(micros + later, alias)


def _length(milliseconds: int) -> Column:
    # Use seconds only: the length of a day depends on the time zone.
    seconds = F.lit(f"{milliseconds / 1000:.3f}").cast("decimal(18, 6)")
    return F.make_interval(secs=seconds)
