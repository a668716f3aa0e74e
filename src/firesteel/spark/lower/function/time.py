"""How Spark computes the functions over dates and times.

A TIMESTAMP has no time zone, and must not meet the session's on its way: Spark would move what falls into the hour that is
skipped in spring. So its fields are taken apart and put together one by one.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.changelog.hidden import WATERMARK
from firesteel.plan.expression import Call
from firesteel.plan.function.java_pattern import PatternField, PatternPart, parse_pattern
from firesteel.spark.lower.function.form import Spelling, literal, nothing, once, when_all
from firesteel.spark.lower.function.operator import shift_time
from firesteel.spark.lower.function.time_parse import PLAIN, make_reader, read_exactly, read_tolerantly
from firesteel.spark.lower.watermark import local_of
from firesteel.spark.type import spark_type
from firesteel.types import APPROXIMATE, CHARACTER, NUMERIC, DataType, Date, Decimal, Time, Timestamp, TimestampLtz

_DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"
_MICROS = {"MILLISECOND": 1_000, "SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3_600_000_000} | {
    "DAY": 86_400_000_000,
    "WEEK": 7 * 86_400_000_000,
}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_LONG_MIN = -(2**63)


def _div(number: Column, by: int) -> Column:
    """Whole numbers, towards zero."""
    return F.call_function("div", number, F.lit(by))


# -- fields --------------------------------------------------------------------------------------------------------------


def _second_micros(moment: Column) -> Column:
    """The microseconds of the minute."""
    return (F.extract(F.lit("SECOND"), moment) * 1_000_000).cast("bigint")


def _epoch_micros(moment: Column, data_type: DataType) -> Column:
    """Since 1970; of a TIMESTAMP as if it were one of UTC."""
    match data_type:
        case TimestampLtz():
            return F.unix_micros(moment)
        case Date():
            return F.unix_date(moment).cast("bigint") * _MICROS["DAY"]
    days, hour, minute = (
        part.cast("bigint") for part in (F.unix_date(moment.cast("date")), F.hour(moment), F.minute(moment))
    )
    return days * _MICROS["DAY"] + hour * _MICROS["HOUR"] + minute * _MICROS["MINUTE"] + _second_micros(moment)


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
    "DECADE": lambda day: _div(F.year(day), 10),
    "CENTURY": lambda day: _div(F.year(day) + 99, 100),
    "MILLENNIUM": lambda day: _div(F.year(day) + 999, 1000),
    "HOUR": F.hour,
    "MINUTE": F.minute,
    "SECOND": F.second,
    "MILLISECOND": lambda moment: _div(_second_micros(moment) % 1_000_000, 1_000),
    "MICROSECOND": lambda moment: _second_micros(moment) % 1_000_000,
    "NANOSECOND": lambda moment: _second_micros(moment) % 1_000_000 * 1_000,
}


def _extract(call: Call, args: list[Column]) -> Column:
    unit, moment = str(literal(call, 0)), args[1]
    data_type = call.args[1].type
    if unit == "EPOCH":
        # Flink counts from 1970 in the local time zone here.
        local = moment.cast("timestamp_ntz") if isinstance(data_type, TimestampLtz) else moment
        read_as = Timestamp() if isinstance(data_type, TimestampLtz) else data_type
        return _div(_epoch_micros(local, read_as), 1_000_000)
    return _PARTS[unit](moment).cast("bigint")


# -- rounding --------------------------------------------------------------------------------------------------------------


def _first_of(year: Column) -> Column:
    return F.make_date(year.cast("int"), F.lit(1), F.lit(1))


def _floor_day(day: Column, unit: str) -> Column:
    match unit:
        case "YEAR" | "QUARTER" | "MONTH":
            return F.trunc(day, unit.lower())
        case "WEEK":
            return F.date_sub(day, F.dayofweek(day) - 1)
        case "DECADE":
            return _first_of(_div(F.year(day), 10) * 10)
        case "CENTURY":
            return _first_of(_div(F.year(day) + 99, 100) * 100 - 99)
        case "MILLENNIUM":
            return _first_of(_div(F.year(day) + 999, 1000) * 1000 - 999)
    return day


def _ceil_day(day: Column, unit: str) -> Column:
    """What Flink makes of it: CEIL to QUARTER goes to the next one unless it is the first of January, to DAY always on."""
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


def _floor_within_day(moment: Column, unit: str, data_type: DataType) -> Column:
    if isinstance(data_type, TimestampLtz):
        return F.date_trunc(unit, moment)
    midnight = moment.cast("date").cast("timestamp_ntz")
    if unit == "DAY":
        return midnight
    micros = F.lit(0) if unit in ("HOUR", "MINUTE") else _second_micros(moment)
    if unit in ("SECOND", "MILLISECOND"):
        micros = micros - micros % _MICROS[unit]
    minute = F.lit(0) if unit == "HOUR" else F.minute(moment)
    seconds = (micros / F.lit(1_000_000).cast("decimal(7,0)")).cast("decimal(18,6)")
    return midnight + F.make_dt_interval(F.lit(0), F.hour(moment), minute, seconds)


def _floor_to(call: Call, args: list[Column]) -> Column:
    unit, moment, data_type = str(literal(call, 0)), args[1], call.args[1].type
    match data_type:
        case Date():
            return _floor_day(moment, unit) if unit not in ("HOUR", "MINUTE", "SECOND", "MILLISECOND") else moment
        case Time():
            micros = F.time_to_micros(moment)
            return F.time_from_micros(micros - micros % _MICROS[unit])
    if unit in ("DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND"):
        return _floor_within_day(moment, unit, data_type)
    return _floor_day(moment.cast("date"), unit).cast(spark_type(data_type))


def _ceil_to(call: Call, args: list[Column]) -> Column:
    unit, moment, data_type = str(literal(call, 0)), args[1], call.args[1].type
    match data_type:
        case Date():
            return _ceil_day(moment, unit) if unit not in ("HOUR", "MINUTE", "SECOND", "MILLISECOND") else moment
        case Time():
            up = F.pmod(-F.time_to_micros(moment), F.lit(_MICROS[unit]))
            return shift_time(moment, up)
    if unit not in ("DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND"):
        return _ceil_day(moment.cast("date"), unit).cast(spark_type(data_type))
    floor = _floor_within_day(moment, unit, data_type)
    return F.when(floor == moment, moment).otherwise(floor + _interval(F.lit(1), unit)).cast(spark_type(data_type))


# -- sums and differences ----------------------------------------------------------------------------------------------------


def _interval(amount: Column, unit: str) -> Column:
    if unit in _MONTHS:
        return F.make_ym_interval(F.lit(0), (amount * _MONTHS[unit]).cast("int"))
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


def _timestamp_add(call: Call, args: list[Column]) -> Column:
    unit, amount, moment = str(literal(call, 0)), args[1], args[2]
    data_type = call.args[2].type
    if isinstance(data_type, Time):
        if unit in ("MONTH", "QUARTER", "YEAR"):
            return F.when(amount.isNotNull(), moment)
        return shift_time(moment, amount.cast("bigint") * _MICROS[unit])
    if isinstance(data_type, Date) and isinstance(call.type, Timestamp):
        moment = moment.cast("timestamp_ntz")
    return (moment + _interval(amount, unit)).cast(spark_type(call.type))


def _timestamp_diff(call: Call, args: list[Column]) -> Column:
    unit = str(literal(call, 0))
    start, end = (
        _div(_epoch_micros(moment, argument.type), 1_000)
        for moment, argument in zip(args[1:], call.args[1:], strict=True)
    )
    if unit in _MONTHS:
        moments = F.struct(end.alias("end"), start.alias("start"))
        months = once(moments, lambda pair: _months_between(pair["end"], pair["start"]))
        return _div(months, _MONTHS[unit]).cast("int")
    return _div(end - start, _MICROS[unit] // 1_000).cast("int")


def _months_between(later: Column, earlier: Column) -> Column:
    """Whole months between two moments in milliseconds, counted as Flink counts them: days first, the time of day last."""
    day = 86_400_000
    to_day, from_day = (F.date_from_unix_date(_floor_div(moment, day).cast("int")) for moment in (later, earlier))
    forwards = to_day >= from_day
    high = F.when(forwards, to_day).otherwise(from_day)
    low = F.when(forwards, from_day).otherwise(to_day)
    months = (F.year(high) - F.year(low)) * 12 + F.month(high) - F.month(low)
    months = F.when(F.add_months(low, months) > high, months - 1).otherwise(months)
    signed = F.when(forwards, months).otherwise(-months)
    same_day = F.add_months(from_day, signed) == to_day
    before = F.pmod(later, F.lit(day)) < F.pmod(earlier, F.lit(day))
    return F.when(same_day & before, signed - 1).otherwise(signed)


# -- texts ---------------------------------------------------------------------------------------------------------------


def _pattern(call: Call, position: int, default: str = _DEFAULT_PATTERN) -> str | None:
    """None: it is NULL."""
    if position >= len(call.args):
        return default
    given = literal(call, position)
    return given if isinstance(given, str) else None


def _formatted(moment: Column, pattern: str) -> Column:
    return F.date_format(moment, "".join(map(_spark_part, parse_pattern(pattern))))


def _spark_part(part: PatternPart) -> str:
    """Spark knows the year as `y` only."""
    if isinstance(part, PatternField):
        return part.letter.replace("u", "y") * part.count
    doubled = part.text.replace("'", "''")
    return (
        f"'{doubled}'"
        if part.text.isascii() and any(sign.isalpha() or sign in "'[]{}#" for sign in part.text)
        else part.text
    )


def _date_format(call: Call, args: list[Column]) -> Column:
    pattern = _pattern(call, 1)
    if pattern is None:
        return nothing(call.type)
    moment = args[0]
    if isinstance(call.args[0].type, CHARACTER):
        moment = read_tolerantly(moment, make_reader(_DEFAULT_PATTERN, tolerant=True))
    return _formatted(moment, pattern)


def _from_unixtime(call: Call, args: list[Column]) -> Column:
    pattern = _pattern(call, 1)
    return nothing(call.type) if pattern is None else _formatted(F.timestamp_seconds(args[0]), pattern)


#: How far clocks are put back.
_SET_BACK = (2 * 60, 60, 30)


def _in_utc(moment: Column, zone: Column) -> Column:
    """The hour that comes twice when clocks are put back is the second one, as in Java's older classes; Spark takes the first."""
    utc = F.convert_timezone(zone, F.lit("UTC"), moment)
    later = [utc + F.make_dt_interval(mins=F.lit(minutes)) for minutes in _SET_BACK]
    same = [F.when(F.convert_timezone(F.lit("UTC"), zone, one) == moment, one) for one in later]
    return F.coalesce(*same, utc)


def _unix_timestamp(call: Call, args: list[Column]) -> Column:
    if not args:
        return F.unix_seconds(F.current_timestamp())
    pattern = _pattern(call, 1)
    if pattern is None:
        return nothing(call.type)
    reader = make_reader(pattern, tolerant=True)
    moment = read_tolerantly(args[0], reader)
    offset = reader.offset(args[0])
    seconds = _div(_epoch_micros(_in_utc(moment, F.current_timezone()), Timestamp()), 1_000_000)
    if offset is not None:
        seconds = _div(_epoch_micros(moment, Timestamp()), 1_000_000) - offset
    return when_all([args[0]], F.coalesce(seconds, F.lit(_LONG_MIN)))


def _to_date(call: Call, args: list[Column]) -> Column:
    if len(args) == 1:
        return F.regexp_replace(args[0], F.lit(r"(?<=\S) .*\z"), F.lit("")).try_cast("date")
    pattern = _pattern(call, 1)
    if pattern is None:
        return nothing(call.type)
    return read_tolerantly(args[0], make_reader(pattern, tolerant=True)).cast("date")


def _read(text: Column, pattern: str | None, data_type: DataType, digits: int) -> Column:
    """With a pattern, a text that does not fit it may still be a plain one."""
    if pattern is None:
        return nothing(data_type)
    if pattern == "":
        return read_exactly(text, PLAIN, digits)
    read = read_exactly(text, make_reader(pattern, tolerant=False), digits)
    return F.coalesce(read, read_exactly(F.trim(text), PLAIN, digits))


def _to_timestamp(call: Call, args: list[Column]) -> Column:
    return _read(args[0], _pattern(call, 1, ""), call.type, 3)


def _to_timestamp_ltz(call: Call, args: list[Column]) -> Column:
    assert isinstance(call.type, TimestampLtz)
    if isinstance(call.args[0].type, NUMERIC):
        return _from_number(call, args)
    moment = _read(args[0], _pattern(call, 1, ""), Timestamp(), call.type.precision)
    if len(args) == 3:
        moment = F.convert_timezone(args[2], F.lit("UTC"), moment)
    return F.timestamp_micros(_epoch_micros(moment, Timestamp()))


#: Seconds of 0000-01-01 and of 9999-12-31.
_FIRST, _LAST = -62_167_219_200, 253_402_300_799


def _from_number(call: Call, args: list[Column]) -> Column:
    precision = literal(call, 1) if len(args) == 2 else 3
    if not isinstance(precision, int):
        return nothing(call.type)
    number, given = args[0], call.args[0].type
    if isinstance(given, APPROXIMATE):
        seconds = number / 10**precision
        micros = F.floor(number * 10.0 ** (6 - precision))
        return F.when((seconds >= _FIRST) & (seconds <= _LAST), F.timestamp_micros(micros))
    if isinstance(given, Decimal):
        number = F.when(number < 0, F.ceil(number)).otherwise(F.floor(number))
    number = number.cast("bigint")
    first, last = max(_FIRST * 10**precision, _LONG_MIN), min((_LAST + 1) * 10**precision - 1, -(_LONG_MIN + 1))
    micros = number * 10 ** (6 - precision) if precision <= 6 else _floor_div(number, 10 ** (precision - 6))
    return F.when((number >= first) & (number <= last), F.timestamp_micros(micros))


def _floor_div(number: Column, by: int) -> Column:
    return _div(number - F.pmod(number, F.lit(by)), by)


def _convert_tz(call: Call, args: list[Column]) -> Column:
    moment = read_tolerantly(args[0], make_reader(_DEFAULT_PATTERN, tolerant=True))
    converted = F.convert_timezone(F.lit("UTC"), args[2], _in_utc(moment, args[1]))
    return F.substring(converted.cast("string"), 1, 19)


# -- now -----------------------------------------------------------------------------------------------------------------


def _now(call: Call, args: list[Column]) -> Column:
    return F.date_trunc("MILLISECOND", F.current_timestamp())


def _current_watermark(call: Call, args: list[Column]) -> Column:
    """The column is there wherever `plan/check/window.py` lets the function stand."""
    micros = F.col(WATERMARK) * 1000
    return F.timestamp_micros(micros) if isinstance(call.type, TimestampLtz) else local_of(micros)


def _local_now(call: Call, args: list[Column]) -> Column:
    return _floor_within_day(F.localtimestamp(), "MILLISECOND", Timestamp())


def _time_now(call: Call, args: list[Column]) -> Column:
    now = F.localtimestamp()
    return F.make_time(F.hour(now), F.minute(now), F.second(now).cast("decimal(16,6)"))


TIME_SPELLINGS: dict[str, Spelling] = {
    "EXTRACT": _extract,
    "FLOOR TO": _floor_to,
    "CEIL TO": _ceil_to,
    "TIMESTAMPADD": _timestamp_add,
    "TIMESTAMPDIFF": _timestamp_diff,
    "CURRENT_DATE": lambda call, args: F.current_date(),
    "CURRENT_TIME": _time_now,
    "LOCALTIME": _time_now,
    "CURRENT_TIMESTAMP": _now,
    "CURRENT_ROW_TIMESTAMP": _now,
    "NOW": _now,
    "PROCTIME": _now,
    "CURRENT_WATERMARK": _current_watermark,
    "LOCALTIMESTAMP": _local_now,
    "CONVERT_TZ": _convert_tz,
    "DATE_FORMAT": _date_format,
    "FROM_UNIXTIME": _from_unixtime,
    "UNIX_TIMESTAMP": _unix_timestamp,
    "TO_DATE": _to_date,
    "TO_TIMESTAMP": _to_timestamp,
    "TO_TIMESTAMP_LTZ": _to_timestamp_ltz,
}
