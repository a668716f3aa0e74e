"""Lowers EXTRACT, lengths of time, and the conversion of points in time to numbers.

A TIMESTAMP has no time zone and must not be converted through the session's: Spark would change a time that falls into
the hour that is skipped in spring. So its fields are read and put together one by one.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.expression import Call
from firesteel.spark.lower.function.form import literal
from firesteel.types import DataType, Date, Timestamp, TimestampLtz

MICROS = {"MILLISECOND": 1_000, "SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3_600_000_000} | {
    "DAY": 86_400_000_000,
    "WEEK": 7 * 86_400_000_000,
}
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


def div(number: Column, by: int) -> Column:
    """Divides whole numbers, rounding towards zero."""
    return F.call_function("div", number, F.lit(by))


def second_micros(moment: Column) -> Column:
    """Returns the microseconds since the minute began."""
    return (F.extract(F.lit("SECOND"), moment) * 1_000_000).cast("bigint")


def epoch_micros(moment: Column, data_type: DataType) -> Column:
    """Converts to microseconds since 1970. A TIMESTAMP is taken as if it were in UTC."""
    match data_type:
        case TimestampLtz():
            return F.unix_micros(moment)
        case Date():
            return F.unix_date(moment).cast("bigint") * MICROS["DAY"]
    days, hour, minute = (
        part.cast("bigint") for part in (F.unix_date(moment.cast("date")), F.hour(moment), F.minute(moment))
    )
    return days * MICROS["DAY"] + hour * MICROS["HOUR"] + minute * MICROS["MINUTE"] + second_micros(moment)


_PARTS: dict[str, Callable[[Column], Column]] = {
    "YEAR": F.year,
    "QUARTER": F.quarter,
    "MONTH": F.month,
    "WEEK": F.weekofyear,
    "DAY": F.dayofmonth,
    "DOY": F.dayofyear,
    "DOW": F.dayofweek,
    "ISODOW": lambda day: F.weekday(day) + 1,
    "ISOYEAR": lambda day: F.extract(F.lit("YEAROFWEEK"), day),
    "DECADE": lambda day: div(F.year(day), 10),
    "CENTURY": lambda day: div(F.year(day) + 99, 100),
    "MILLENNIUM": lambda day: div(F.year(day) + 999, 1000),
    "HOUR": F.hour,
    "MINUTE": F.minute,
    "SECOND": F.second,
    "MILLISECOND": lambda moment: div(second_micros(moment) % 1_000_000, 1_000),
    "MICROSECOND": lambda moment: second_micros(moment) % 1_000_000,
    "NANOSECOND": lambda moment: second_micros(moment) % 1_000_000 * 1_000,
}


def extract(call: Call, args: list[Column]) -> Column:
    unit, moment = str(literal(call, 0)), args[1]
    data_type = call.args[1].type
    if unit == "EPOCH":
        # Flink counts from 1970 in the local time zone here.
        local = moment.cast("timestamp_ntz") if isinstance(data_type, TimestampLtz) else moment
        read_as = Timestamp() if isinstance(data_type, TimestampLtz) else data_type
        return div(epoch_micros(local, read_as), 1_000_000)
    return _PARTS[unit](moment).cast("bigint")


def interval(amount: Column, unit: str) -> Column:
    if unit in MONTHS:
        return F.make_ym_interval(F.lit(0), (amount * MONTHS[unit]).cast("int"))
    whole = amount.cast("int")
    match unit:
        case "WEEK":
            return F.make_dt_interval(days=whole * 7)
        case "DAY":
            return F.make_dt_interval(days=whole)
        case "HOUR":
            return F.make_dt_interval(hours=whole)
        case "MINUTE":
            return F.make_dt_interval(mins=whole)
        case "SECOND":
            return F.make_dt_interval(secs=whole.cast("decimal(18,6)"))
    return F.make_dt_interval(secs=(whole / F.lit(1000).cast("decimal(4,0)")).cast("decimal(18,6)"))
