"""Lowers the functions over dates and times.

A TIMESTAMP is never converted through the session's time zone: `time_field.py` says why.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.changelog.hidden import WATERMARK
from firesteel.plan.expression import Call
from firesteel.plan.function.java_pattern import PatternField, PatternPart, parse_pattern
from firesteel.spark.lower.function.form import Translation, literal, nothing, once, when_all
from firesteel.spark.lower.function.operator import shift_time
from firesteel.spark.lower.function.time_field import MICROS, MONTHS, div, epoch_micros, extract, interval
from firesteel.spark.lower.function.time_parse import PLAIN, make_reader, read_exactly, read_tolerantly
from firesteel.spark.lower.function.time_round import ceil_to, floor_to, floor_within_day
from firesteel.spark.lower.watermark import local_of
from firesteel.spark.type import spark_type
from firesteel.types import APPROXIMATE, CHARACTER, NUMERIC, DataType, Date, Decimal, Time, Timestamp, TimestampLtz

_DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"
_LONG_MIN = -(2**63)


# -- sums and differences ----------------------------------------------------------------------------------------------------


def _timestamp_add(call: Call, args: list[Column]) -> Column:
    unit, amount, moment = str(literal(call, 0)), args[1], args[2]
    data_type = call.args[2].type
    if isinstance(data_type, Time):
        if unit in ("MONTH", "QUARTER", "YEAR"):
            return F.when(amount.isNotNull(), moment)
        return shift_time(moment, amount.cast("bigint") * MICROS[unit])
    if isinstance(data_type, Date) and isinstance(call.type, Timestamp):
        moment = moment.cast("timestamp_ntz")
    return (moment + interval(amount, unit)).cast(spark_type(call.type))


def _timestamp_diff(call: Call, args: list[Column]) -> Column:
    unit = str(literal(call, 0))
    start, end = (
        div(epoch_micros(moment, argument.type), 1_000)
        for moment, argument in zip(args[1:], call.args[1:], strict=True)
    )
    if unit in MONTHS:
        moments = F.struct(end.alias("end"), start.alias("start"))
        months = once(moments, lambda pair: _months_between(pair["end"], pair["start"]))
        return div(months, MONTHS[unit]).cast("int")
    return div(end - start, MICROS[unit] // 1_000).cast("int")


def _months_between(later: Column, earlier: Column) -> Column:
    """Counts whole months between two moments in milliseconds as Flink does: first by days, then by the time of day."""
    day = 86_400_000
    to_day, from_day = (F.date_from_unix_date(_floordiv(moment, day).cast("int")) for moment in (later, earlier))
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
    """Returns the pattern that an argument gives, or None for NULL."""
    if position >= len(call.args):
        return default
    given = literal(call, position)
    return given if isinstance(given, str) else None


def _formatted(moment: Column, pattern: str) -> Column:
    return F.date_format(moment, "".join(map(_spark_part, parse_pattern(pattern))))


def _spark_part(part: PatternPart) -> str:
    """Translates a part of a pattern. Spark has only `y` for the year."""
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


#: The minutes by which clocks are set back in autumn.
_SET_BACK = (2 * 60, 60, 30)


def _in_utc(moment: Column, zone: Column) -> Column:
    """Converts a local time to UTC. The hour that occurs twice in autumn is taken as the second one, as in Java's older
    classes; Spark takes the first.
    """
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
    seconds = div(epoch_micros(_in_utc(moment, F.current_timezone()), Timestamp()), 1_000_000)
    if offset is not None:
        seconds = div(epoch_micros(moment, Timestamp()), 1_000_000) - offset
    return when_all([args[0]], F.coalesce(seconds, F.lit(_LONG_MIN)))


def _to_date(call: Call, args: list[Column]) -> Column:
    if len(args) == 1:
        return F.regexp_replace(args[0], F.lit(r"(?<=\S) .*\z"), F.lit("")).try_cast("date")
    pattern = _pattern(call, 1)
    if pattern is None:
        return nothing(call.type)
    return read_tolerantly(args[0], make_reader(pattern, tolerant=True)).cast("date")


def _read(text: Column, pattern: str | None, data_type: DataType, digits: int) -> Column:
    """Parses a text with a pattern, or in the default form if it does not match the pattern."""
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
    return F.timestamp_micros(epoch_micros(moment, Timestamp()))


#: The seconds of 0000-01-01 and of the end of 9999-12-31.
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
    micros = number * 10 ** (6 - precision) if precision <= 6 else _floordiv(number, 10 ** (precision - 6))
    return F.when((number >= first) & (number <= last), F.timestamp_micros(micros))


def _floordiv(number: Column, by: int) -> Column:
    return div(number - F.pmod(number, F.lit(by)), by)


def _convert_tz(call: Call, args: list[Column]) -> Column:
    moment = read_tolerantly(args[0], make_reader(_DEFAULT_PATTERN, tolerant=True))
    converted = F.convert_timezone(F.lit("UTC"), args[2], _in_utc(moment, args[1]))
    return F.substring(converted.cast("string"), 1, 19)


# -- now -----------------------------------------------------------------------------------------------------------------


def _now(call: Call, args: list[Column]) -> Column:
    return F.date_trunc("MILLISECOND", F.current_timestamp())


def _current_watermark(call: Call, args: list[Column]) -> Column:
    """Lowers CURRENT_WATERMARK. `plan/check/window.py` allows the function only where the hidden column exists."""
    micros = F.col(WATERMARK) * 1000
    return F.timestamp_micros(micros) if isinstance(call.type, TimestampLtz) else local_of(micros)


def _local_now(call: Call, args: list[Column]) -> Column:
    return floor_within_day(F.localtimestamp(), "MILLISECOND", Timestamp())


def _time_now(call: Call, args: list[Column]) -> Column:
    now = F.localtimestamp()
    return F.make_time(F.hour(now), F.minute(now), F.second(now).cast("decimal(16,6)"))


TIME_TRANSLATIONS: dict[str, Translation] = {
    "EXTRACT": extract,
    "FLOOR TO": floor_to,
    "CEIL TO": ceil_to,
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
