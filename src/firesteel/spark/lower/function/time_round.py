"""Lowers FLOOR and CEIL of dates and times to a unit."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.expression import Call
from firesteel.spark.lower.function.form import literal
from firesteel.spark.lower.function.operator import shift_time
from firesteel.spark.lower.function.time_field import MICROS, div, interval, second_micros
from firesteel.spark.type import spark_type
from firesteel.types import DataType, Date, Time, TimestampLtz


def _first_of(year: Column) -> Column:
    return F.make_date(year.cast("int"), F.lit(1), F.lit(1))


def _floor_day(day: Column, unit: str) -> Column:
    match unit:
        case "YEAR" | "QUARTER" | "MONTH":
            return F.trunc(day, unit.lower())
        case "WEEK":
            return F.date_sub(day, F.dayofweek(day) - 1)
        case "DECADE":
            return _first_of(div(F.year(day), 10) * 10)
        case "CENTURY":
            return _first_of(div(F.year(day) + 99, 100) * 100 - 99)
        case "MILLENNIUM":
            return _first_of(div(F.year(day) + 999, 1000) * 1000 - 999)
    return day


def _ceil_day(day: Column, unit: str) -> Column:
    """Rounds up as Flink does: CEIL to QUARTER goes to the next quarter except on 1 January, CEIL to DAY always to the next day."""
    floor = _floor_day(day, unit)
    january_first = (F.month(day) == 1) & (F.dayofmonth(day) == 1)
    match unit:
        case "YEAR":
            return F.when(january_first, day).otherwise(F.add_months(floor, 12))
        case "QUARTER":
            return F.when(january_first, day).otherwise(F.add_months(floor, 3))
        case "MONTH":
            return F.when(F.dayofmonth(day) == 1, day).otherwise(F.add_months(floor, 1))
        case "WEEK":
            return F.when(F.dayofweek(day) == 1, day).otherwise(F.date_add(floor, 7))
        case "DECADE":
            return F.add_months(floor, 120)
        case "CENTURY":
            return F.add_months(floor, 1200)
        case "MILLENNIUM":
            return F.add_months(floor, 12000)
    return F.date_add(day, 1)


def floor_within_day(moment: Column, unit: str, data_type: DataType) -> Column:
    if isinstance(data_type, TimestampLtz):
        return F.date_trunc(unit, moment)
    midnight = moment.cast("date").cast("timestamp_ntz")
    if unit == "DAY":
        return midnight
    micros = F.lit(0) if unit in ("HOUR", "MINUTE") else second_micros(moment)
    if unit in ("SECOND", "MILLISECOND"):
        micros = micros - micros % MICROS[unit]
    minute = F.lit(0) if unit == "HOUR" else F.minute(moment)
    seconds = (micros / F.lit(1_000_000).cast("decimal(7,0)")).cast("decimal(18,6)")
    return midnight + F.make_dt_interval(F.lit(0), F.hour(moment), minute, seconds)


def floor_to(call: Call, args: list[Column]) -> Column:
    unit, moment, data_type = str(literal(call, 0)), args[1], call.args[1].type
    match data_type:
        case Date():
            return _floor_day(moment, unit) if unit not in ("HOUR", "MINUTE", "SECOND", "MILLISECOND") else moment
        case Time():
            micros = F.time_to_micros(moment)
            return F.time_from_micros(micros - micros % MICROS[unit])
    if unit in ("DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND"):
        return floor_within_day(moment, unit, data_type)
    return _floor_day(moment.cast("date"), unit).cast(spark_type(data_type))


def ceil_to(call: Call, args: list[Column]) -> Column:
    unit, moment, data_type = str(literal(call, 0)), args[1], call.args[1].type
    match data_type:
        case Date():
            return _ceil_day(moment, unit) if unit not in ("HOUR", "MINUTE", "SECOND", "MILLISECOND") else moment
        case Time():
            up = F.pmod(-F.time_to_micros(moment), F.lit(MICROS[unit]))
            return shift_time(moment, up)
    if unit not in ("DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND"):
        return _ceil_day(moment.cast("date"), unit).cast(spark_type(data_type))
    floor = floor_within_day(moment, unit, data_type)
    return F.when(floor == moment, moment).otherwise(floor + interval(F.lit(1), unit)).cast(spark_type(data_type))
