"""Lowers CAST with Flink's results where Spark's differ."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.formats.column.null_key import NULL_KEY
from firesteel.spark.lower.function import java_double
from firesteel.spark.lower.function.form import once
from firesteel.spark.lower.watermark import local_of, micros_of
from firesteel.spark.type import spark_type
from firesteel.types import (
    APPROXIMATE,
    BINARY,
    CHARACTER,
    INTEGER,
    MAX_LENGTH,
    NUMERIC,
    Array,
    Boolean,
    Char,
    DataType,
    Date,
    Decimal,
    Map,
    Row,
    Time,
    Timestamp,
    TimestampLtz,
    Varchar,
)


def lower_cast(value: Column, source: DataType, target: DataType, safe: bool) -> Column:
    """Lowers a cast. In Spark's ANSI mode, which is on, a text that is not a number fails the job, as in Flink."""
    if isinstance(target, CHARACTER):
        return fit_length(to_text(value, source), target)
    if isinstance(source, CHARACTER):
        value = F.trim(value)
    if isinstance(source, CHARACTER) and isinstance(target, BINARY):
        return F.encode(value, "UTF-8")
    if isinstance(source, APPROXIMATE) and isinstance(target, INTEGER):
        return java_double.to_whole(value, target)
    if isinstance(source, NUMERIC) and isinstance(target, Boolean):
        return java_double.is_different(value, F.lit(0)) if isinstance(source, APPROXIMATE) else value != 0
    if isinstance(source, APPROXIMATE) and isinstance(target, Decimal):
        return java_double.to_decimal(value, target, safe)
    if isinstance(source, NUMERIC) and isinstance(target, Decimal):
        # A value that does not fit is NULL, for CAST as for TRY_CAST.
        return value.try_cast(spark_type(target))
    if isinstance(source, Decimal) and isinstance(target, INTEGER) and not safe:
        # Round towards zero, as Java casts.
        value = F.when(value < 0, F.ceil(value)).otherwise(F.floor(value))
    if isinstance(source, CHARACTER) and isinstance(target, INTEGER):
        # Drop a fraction of digits.
        value = F.regexp_replace(value, r"\A([+-]?[0-9]+)\.[0-9]*\z", "$1")
    if isinstance(source, CHARACTER):
        value = _moment_text(value, target)
    wanted = spark_type(target)
    made = value.try_cast(wanted) if safe else value.cast(wanted)
    return _cut(made, source, target)


#: The usual forms of dates and timestamps, which Spark reads as Flink does.
_PLAIN_DATE = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\z"
_PLAIN_MOMENT = r"\A[0-9]{4}-[0-9]{2}-(?:[01][0-9]|2[0-8])(?:[ T][0-9].*)?\z"


def _moment_text(text: Column, target: DataType) -> Column:
    """Converts a text that Flink reads as a date or a time to one that Spark reads."""
    match target:
        case Date():
            return F.when(F.rlike(text, F.lit(_PLAIN_DATE)), text).otherwise(once(text, _whole_date))
        case Time():
            return F.when(
                F.rlike(text, F.lit(r"\A[0-9]{1,2}\z")), F.concat(F.lpad(text, 2, "0"), F.lit(":00"))
            ).otherwise(text)
        case Timestamp() | TimestampLtz():
            return F.when(F.rlike(text, F.lit(_PLAIN_MOMENT)), text).otherwise(once(text, _whole_moment))
    return text


def _whole_date(text: Column) -> Column:
    """Completes a date: month and day may be missing, and the year may be short."""
    short = r"\A([0-9]{1,4})(?:-([0-9]{1,2}))?(?:-([0-9]{1,2}))?(?: .*)?\z"
    year, month, day = (F.regexp_extract(text, short, group) for group in (1, 2, 3))
    first = F.lit("01")
    parts = [
        F.lpad(year, 4, "0"),
        *(F.lpad(F.coalesce(F.nullif(one, F.lit("")), first), 2, "0") for one in (month, day)),
    ]
    return F.when(F.rlike(text, F.lit(short)), F.concat_ws("-", *parts)).otherwise(text)


def _whole_moment(text: Column) -> Column:
    """Completes a timestamp: a day after the month's end becomes its last day. Spark would read a time of day as one of
    today.
    """
    date = r"\A([0-9]{4}-[0-9]{1,2})-(?:29|30|31)(?![0-9])"
    month = F.concat(F.regexp_extract(text, date, 1), F.lit("-01")).try_cast("date")
    late = (
        F.rlike(text, F.lit(date))
        & F.regexp_extract(text, r"\A([0-9]{4}-[0-9]{1,2}-[0-9]{2})", 1).try_cast("date").isNull()
    )
    last = F.concat(F.last_day(month).cast("string"), F.regexp_replace(text, date, ""))
    whole = F.when(late & month.isNotNull(), last).otherwise(text)
    return F.when(F.rlike(text, F.lit(r"\AT?[0-9]+:")), F.lit("no date")).otherwise(whole)


def _cut(value: Column, source: DataType, target: DataType) -> Column:
    """Truncates the fraction of a second to the type's precision."""
    if not isinstance(target, Timestamp | TimestampLtz | Time) or target.precision >= 6:
        return value
    if isinstance(source, Timestamp | TimestampLtz | Time) and source.precision <= target.precision:
        return value
    if isinstance(source, Date):
        return value
    step = F.lit(10 ** (6 - target.precision))
    match target:
        case Time():
            micros = F.time_to_micros(value)
            return F.time_from_micros(micros - micros % step)
        case Timestamp():
            micros = micros_of(value)
            return local_of(micros - F.pmod(micros, step))
    micros = F.unix_micros(value)
    return F.timestamp_micros(micros - F.pmod(micros, step))


def fit_length(text: Column, target: DataType) -> Column:
    """Cuts the text to the type's length, and for CHAR pads it with blanks."""
    assert isinstance(target, Char | Varchar)
    if target.length == MAX_LENGTH:
        return text
    text = F.substring(text, 1, target.length)
    return F.rpad(text, target.length, " ") if isinstance(target, Char) else text


def to_text(value: Column, source: DataType) -> Column:
    """Prints a value as Flink does: TRUE, (1, NULL), [1, NULL], {k=1}."""
    match source:
        case Boolean():
            return F.upper(value.cast("string"))
        case _ if isinstance(source, BINARY):
            return F.decode(value, "UTF-8")
        case Timestamp(precision=precision) | TimestampLtz(precision=precision):
            # Keep as many digits as the type has. Formatting would convert a TIMESTAMP through the session's time zone.
            text = value.cast("string")
            digits = F.rpad(F.substring(text, F.lit(21), F.lit(min(precision, 6))), min(precision, 6), "0")
            second = F.substring(text, 1, 19)
            return F.concat(second, F.lit("."), digits) if precision else second
        case Time():
            return F.substring(value.cast("string"), 1, 8 if source.precision == 0 else 9 + source.precision)
        case Array(element=element):
            return _enclosed("[", F.transform(value, lambda item: _inner(item, element)), "]")
        case Map(key=key, value=held):
            pairs = F.transform(
                F.map_entries(value),
                lambda entry: F.concat(
                    _inner(_known_key(entry["key"], key), key), F.lit("="), _inner(entry["value"], held)
                ),
            )
            return _enclosed("{", pairs, "}")
        case Row(fields=fields):
            parts = F.array(*(_inner(value.getField(field.name), field.type) for field in fields))
            return F.when(value.isNotNull(), _enclosed("(", parts, ")"))
    return value.cast("string")


def _known_key(key: Column, data_type: DataType) -> Column:
    return F.nullif(key, F.lit(NULL_KEY)) if isinstance(data_type, CHARACTER) and data_type.nullable else key


def _inner(value: Column, source: DataType) -> Column:
    return F.coalesce(to_text(value, source), F.lit("NULL"))


def _enclosed(opening: str, parts: Column, closing: str) -> Column:
    return F.concat(F.lit(opening), F.array_join(parts, ", "), F.lit(closing))
