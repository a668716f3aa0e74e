"""Event time in Spark: how a column becomes one that Spark's watermark works on, and where the watermark is put."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import MARK, SLOT, WATERMARK
from firesteel.plan.node.window import Watermark
from firesteel.spark.column import column
from firesteel.spark.hidden_column import SHIFT
from firesteel.spark.internals import convert_time
from firesteel.types import DataType, TimestampLtz

#: The column that Spark's watermark works on. It is a TIMESTAMP, whatever event time is: Spark takes no other.
EVENT_TIME = "__event_time"


def micros_of(local: Column) -> Column:
    """A TIMESTAMP_NTZ as microseconds since 1970, whatever the session's time zone is."""
    return convert_time(local, "TimestampNTZType", "LongType")


def local_of(micros: Column) -> Column:
    return convert_time(micros, "LongType", "TimestampNTZType")


def instant_of(value: Column, data_type: DataType) -> Column:
    """Event time as microseconds since 1970: a TIMESTAMP without zone as if it were UTC."""
    return F.unix_micros(value) if isinstance(data_type, TimestampLtz) else micros_of(value)


def end_of_window(end: Column, is_local: bool) -> Column:
    """The last millisecond of a window, as microseconds since 1970; windows of points in time have local bounds."""
    return (F.unix_micros(end.cast("timestamp")) if is_local else micros_of(end)) - 1000


def event_time(micros: Column, name: str = EVENT_TIME) -> Column:
    """A column for Spark's watermark; what marks it as one is its metadata, so it can be made anywhere."""
    shifted = F.timestamp_micros(micros + SHIFT * 1000)
    return shifted.alias(name, metadata={"spark.watermarkDelayMs": 0})


def times_name(source: int) -> str:
    """The name under which a batch tells the greatest time of each slot."""
    return f"firesteel-times-{source}"


def lower_watermark(node: Watermark, rows: DataFrame) -> DataFrame:
    assert node.delay is not None
    about = rows.schema[SLOT].metadata
    data_type = next(field.type for field in node.fields if field.name == node.column)
    times = [
        F.floor(instant_of(F.max(F.when(column(SLOT) == slot, column(node.column))), data_type) / 1000)
        .cast("long")
        .alias(str(slot))
        for slot in range(about["slots"])
    ]
    rows = rows.observe(times_name(about["source"]), *times)
    marked = rows.withColumn(EVENT_TIME, F.timestamp_micros((column(MARK) + SHIFT) * 1000))
    marked = marked.withWatermark(EVENT_TIME, f"{node.delay} milliseconds")
    # Marks end here. The condition reads the watermark's column and is not deterministic: else Spark would move it, or
    # a filter of the query's, below the watermark, which would then miss the rows that do not pass.
    here = column(EVENT_TIME).isNull() & (F.spark_partition_id() >= 0)
    kept = marked.where(here).drop(EVENT_TIME, MARK, SLOT)
    return kept.withColumn(WATERMARK, column(WATERMARK) - node.delay)
