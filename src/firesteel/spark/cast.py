"""CAST with Flink's results where Spark's differ."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.spark.type import spark_type
from firesteel.types import (
    BINARY,
    CHARACTER,
    INTEGER,
    MAX_LENGTH,
    Boolean,
    Char,
    DataType,
    Decimal,
    Double,
    Float,
    Timestamp,
    TimestampLtz,
    Varchar,
)


def lower_cast(value: Column, source: DataType, target: DataType, safe: bool) -> Column:
    """With Spark's ANSI mode, which is on, a text that is no number fails the job, as it does in Flink."""
    if isinstance(target, CHARACTER):
        return _to_text(value, source, target)
    if isinstance(source, CHARACTER):
        value = F.trim(value)
    if isinstance(source, CHARACTER) and isinstance(target, BINARY):
        return F.encode(value, "UTF-8")
    if isinstance(source, Double | Float | Decimal) and isinstance(target, INTEGER) and not safe:
        # Towards zero, as Java casts.
        value = F.when(value < 0, F.ceil(value)).otherwise(F.floor(value))
    wanted = spark_type(target)
    return value.try_cast(wanted) if safe else value.cast(wanted)


def _to_text(value: Column, source: DataType, target: DataType) -> Column:
    assert isinstance(target, Char | Varchar)
    if isinstance(source, Boolean):
        text = F.upper(value.cast("string"))
    elif isinstance(source, BINARY):
        text = F.decode(value, "UTF-8")
    elif isinstance(source, Timestamp | TimestampLtz):
        # Flink prints as many digits as the type has.
        pattern = "yyyy-MM-dd HH:mm:ss" + ("." + "S" * min(source.precision, 6) if source.precision else "")
        text = F.date_format(value, pattern)
    else:
        text = value.cast("string")
    if target.length == MAX_LENGTH:
        return text
    text = F.substring(text, 1, target.length)
    return F.rpad(text, target.length, " ") if isinstance(target, Char) else text
