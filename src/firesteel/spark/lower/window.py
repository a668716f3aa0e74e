"""Lowers windows to Spark's own operators, in append mode.

The windows of a row are computed by arithmetic. An aggregate groups by the window's last millisecond too, as a column
that Spark's watermark uses: Spark then drops late rows, and gives a group once, when the watermark has reached that
time. That is Flink's rule. Sessions are Spark's `session_window`.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import ORDER
from firesteel.errors import JobError
from firesteel.plan.fact.event_time import open_session
from firesteel.plan.node.relation import Aggregate
from firesteel.plan.node.window import Cumulate, Hop, Session, Tumble, Window, WindowAggregate
from firesteel.spark.column import column
from firesteel.spark.failure import carry
from firesteel.spark.hidden_column import SHIFT
from firesteel.spark.lower.aggregate import lower_aggregate, lower_call
from firesteel.spark.lower.watermark import (
    EVENT_TIME,
    end_of_window,
    event_time,
    instant_of,
    kept_back,
    local_of,
    micros_of,
)
from firesteel.types import Field, TimestampLtz

_MILLISECOND = 1000

_TIME, _START, _END = "__time", "__start", "__end"
_SESSION = "__session"
_ALL = "__all"

#: Flink puts two rows that are exactly the gap apart into one session, Spark only if they are nearer.
_TOUCHING = 1
#: Flink closes a session when the watermark reaches its last millisecond. Spark does at its end, which is two
#: milliseconds later with the microsecond above. So Spark's sessions are moved earlier by that much.
_EARLIER = 2 * _MILLISECOND


def lower_window(node: Window, rows: DataFrame) -> DataFrame:
    time = column(node.time)
    if node.strict:
        missing = JobError(
            f"A row has NULL in '{node.time}', which is its event time: it belongs to no window.",
            hint=f"Leave such rows out: WHERE {node.time} IS NOT NULL below the window.",
        )
        # An error can have any type, since it never gives a value.
        time = F.coalesce(time, F.raise_error(F.lit(str(carry(missing)))).cast(rows.schema[node.time].dataType))
    else:
        rows = rows.where(time.isNotNull())
    if isinstance(node.assigner, Session):
        return _session(node, rows, time)
    local = time.cast("timestamp_ntz") if node.is_local else time
    rows = rows.withColumn(_TIME, micros_of(local))
    rows = _assigned(node.assigner, rows)
    last = local_of(column(_END) - _MILLISECOND)
    return rows.withColumns(
        {
            node.start: local_of(column(_START)),
            node.end: local_of(column(_END)),
            node.rowtime: last.cast("timestamp") if node.is_local else last,
        }
    ).drop(_TIME, _START, _END)


def _assigned(assigner: Tumble | Hop | Cumulate, rows: DataFrame) -> DataFrame:
    """Adds the bounds of windows, in microseconds. A row in several windows is repeated for each."""
    time, offset, size = column(_TIME), assigner.offset * 1000, assigner.size * 1000
    match assigner:
        case Tumble():
            return rows.withColumn(_START, _floor(time, offset, size)).withColumn(_END, column(_START) + size)
        case Hop():
            slide = assigner.slide * 1000
            # The greatest number of windows of a row. Every row has as many if the size is a multiple of the slide.
            most = -(-size // slide)
            starts = F.transform(
                F.sequence(F.lit(0), F.lit(most - 1)),
                lambda number: _floor(time, offset, slide) - number * F.lit(slide),
            )
            rows = rows.withColumn(_START, F.explode(starts)).withColumn(_END, column(_START) + size)
            return rows if size % slide == 0 else rows.where(column(_END) > time)
        case Cumulate():
            step = assigner.step * 1000
            rows = rows.withColumn(_START, _floor(time, offset, size))
            first = _floor(time, offset, step) + step
            return rows.withColumn(_END, F.explode(F.sequence(first, column(_START) + size, F.lit(step))))


def _floor(time: Column, offset: int, size: int) -> Column:
    return time - F.pmod(time - offset, F.lit(size))


def lower_window_aggregate(node: WindowAggregate, rows: DataFrame, partitions: int) -> DataFrame:
    if open_session(node.input) is not None:
        return _session_aggregate(node, rows)
    last = end_of_window(column(min(node.ends)), node.is_local) + kept_back(node.input)
    grouped = Aggregate(
        node.input,
        (EVENT_TIME, *node.keys),
        (Field(EVENT_TIME, TimestampLtz(3)), *node.fields),
        node.calls,
    )
    return lower_aggregate(grouped, rows.withColumn(EVENT_TIME, event_time(last)), partitions).drop(EVENT_TIME)


# -- sessions ------------------------------------------------------------------------------------------------------


def _session(node: Window, rows: DataFrame, time: Column) -> DataFrame:
    """Adds the columns of the session, which hold the row's own time until the aggregate has found the session."""
    micros = instant_of(time, node.time_type)
    own = F.timestamp_micros(_floor(micros, 0, _MILLISECOND) - _EARLIER + SHIFT * 1000 + kept_back(node.input))
    return rows.withColumns({node.start: own, node.end: own, node.rowtime: own})


def _session_aggregate(node: WindowAggregate, rows: DataFrame) -> DataFrame:
    assert isinstance(node.assigner, Session)
    gap = f"{node.assigner.gap} milliseconds {_TOUCHING} microseconds"
    own = column(min(node.starts)).alias(EVENT_TIME, metadata={"spark.watermarkDelayMs": 0})
    rows = rows.withColumn(EVENT_TIME, own)
    keys = node.other_keys
    if not keys:
        # Spark needs a key beside the session, one that it does not recognise as constant.
        rows, keys = rows.withColumn(_ALL, F.spark_partition_id() < 0), (_ALL,)
    outputs = [field.name for field in node.fields[len(node.keys) :]]
    calls = [
        lower_call(call, ORDER in rows.columns).alias(name) for call, name in zip(node.calls, outputs, strict=True)
    ]
    window = F.session_window(column(EVENT_TIME), gap).alias(_SESSION)
    found = rows.groupBy(window, *(column(key) for key in keys)).agg(*(calls or [F.count(F.lit(1)).alias("__rows")]))
    back = _EARLIER - SHIFT * 1000 - kept_back(node.input)
    start = F.unix_micros(column(_SESSION)["start"]) + back
    end = F.unix_micros(column(_SESSION)["end"]) + back - _TOUCHING
    bounds = {
        **dict.fromkeys(node.starts, _local(start, node.is_local)),
        **dict.fromkeys(node.ends, _local(end, node.is_local)),
        **dict.fromkeys(
            node.rowtimes,
            F.timestamp_micros(end - _MILLISECOND) if node.is_local else local_of(end - _MILLISECOND),
        ),
    }
    return found.select(
        *(bounds[field.name].alias(field.name) if field.name in bounds else column(field.name) for field in node.fields)
    )


def _local(micros: Column, is_local: bool) -> Column:
    return F.timestamp_micros(micros).cast("timestamp_ntz") if is_local else local_of(micros)
