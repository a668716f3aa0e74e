"""Lowers event time: makes the column that Spark's watermark uses, and places the watermark."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import MARK, SLOT, WATERMARK
from firesteel.plan.node.relation import Node, TimeJoin
from firesteel.plan.node.window import Watermark
from firesteel.spark.column import column
from firesteel.spark.hidden_column import SHIFT
from firesteel.spark.internals import convert_time
from firesteel.types import DataType, TimestampLtz

#: The column that Spark's watermark uses. It is always a TIMESTAMP: Spark accepts no other type.
EVENT_TIME = "__event_time"


def micros_of(local: Column) -> Column:
    """Converts a TIMESTAMP_NTZ to microseconds since 1970, independent of the session's time zone."""
    return convert_time(local, "TimestampNTZType", "LongType")


def local_of(micros: Column) -> Column:
    return convert_time(micros, "LongType", "TimestampNTZType")


def instant_of(value: Column, data_type: DataType) -> Column:
    """Converts event time to microseconds since 1970. A TIMESTAMP without zone is taken as UTC."""
    return F.unix_micros(value) if isinstance(data_type, TimestampLtz) else micros_of(value)


def end_of_window(end: Column, is_local: bool) -> Column:
    """Returns the last millisecond of a window, as microseconds since 1970. Windows over TIMESTAMP_LTZ have local bounds."""
    return (F.unix_micros(end.cast("timestamp")) if is_local else micros_of(end)) - 1000


def kept_back(node: Node) -> int:
    """Returns how many microseconds a node's rows may be behind Spark's watermark. Operators above wait that much
    longer.

    An outer interval join pads a row when it drops it from its state, which is later than its pairs are found. The
    pairs are before the watermark that Spark passes on after the join, since Spark delays that one by itself.
    """
    below = max((kept_back(child) for child in node.inputs), default=0)
    if not isinstance(node, TimeJoin) or node.window or not node.closes:
        return below
    return below + (node.patience + max(map(_apart, node.inputs))) * 1000


def _apart(node: Node) -> int:
    """Returns how many milliseconds the event times of one row may differ."""
    if len(node.event_times) < 2:
        return 0
    below = max(map(_apart, node.inputs), default=0)
    return below + (max(abs(node.lower), abs(node.upper)) if isinstance(node, TimeJoin) else 0)


def event_time(micros: Column, name: str = EVENT_TIME) -> Column:
    """Makes a column for Spark's watermark. Only its metadata marks it as one, so it can be made anywhere."""
    shifted = F.timestamp_micros(micros + SHIFT * 1000)
    return shifted.alias(name, metadata={"spark.watermarkDelayMs": 0})


def times_name(source: int) -> str:
    """Returns the name under which a batch reports the greatest event time of each watermark channel."""
    return f"firesteel-times-{source}"


def lower_watermark(node: Watermark, rows: DataFrame, time: Column | None = None) -> DataFrame:
    """Lets the rows of a source advance event time. `time` is it, where the rows do not have the column yet."""
    assert node.delay is not None
    about = rows.schema[SLOT].metadata
    data_type = next(field.type for field in node.fields if field.name == node.column)
    times = [
        F.floor(
            instant_of(F.max(F.when(column(SLOT) == channel, column(node.column) if time is None else time)), data_type)
            / 1000
        )
        .cast("long")
        .alias(str(channel))
        for channel in range(about["slots"])
    ]
    rows = rows.observe(times_name(about["source"]), *times)
    kept = _watermarked(rows, node.delay) if node.by_spark else rows.where(column(MARK).isNull())
    return kept.drop(MARK, SLOT).withColumn(WATERMARK, column(WATERMARK) - node.delay)


def _watermarked(rows: DataFrame, delay: int) -> DataFrame:
    """Shows Spark's watermark the rows that only carry a time, and drops them."""
    timed = rows.withColumn(EVENT_TIME, F.timestamp_micros((column(MARK) + SHIFT) * 1000))
    timed = timed.withWatermark(EVENT_TIME, f"{delay} milliseconds")
    # Drop the watermark rows. The condition reads the watermark's column and is not deterministic, or Spark would move
    # it, or a filter of the query, below the watermark, which would then miss the rows that do not pass.
    here = column(EVENT_TIME).isNull() & (F.spark_partition_id() >= 0)
    return timed.where(here).drop(EVENT_TIME)
