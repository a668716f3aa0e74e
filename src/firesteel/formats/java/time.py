"""Reads and prints dates and times as Flink's formatters do, as plain numbers: days, microseconds.

Flink keeps nanoseconds, Spark microseconds: digits beyond the sixth are truncated, never rounded.

>>> parse_timestamp("2020-11-11 18:08:01.1234567", SQL) == parse_timestamp("2020-11-11 18:08:01.123456", SQL)
True
>>> timestamp_text(0, " "), timestamp_text(-500_000, "T")
('1970-01-01 00:00:00', '1969-12-31T23:59:59.5')
>>> date_text(parse_date("2020-02-29"))
'2020-02-29'
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from firesteel.formats.java.number import shorten

DAY_MICROS = 86_400_000_000
_MIN_MICROS, _MAX_MICROS = -(2**63), 2**63 - 1
_MIN_DAYS, _MAX_DAYS = -(2**31), 2**31 - 1

# A year has four digits, or more if it has a sign.
_DATE = r"(?P<year>-?[0-9]{4}|[+-][0-9]{5,9})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_CLOCK = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{0,9}))?"
_ISO_CLOCK = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{0,9}))?)?"


@dataclass(frozen=True)
class TimestampStyle:
    """The text form of a timestamp. `smart`: Java's smart resolver style, where 31 April is 30 April and 24:00:00 is
    midnight.
    """

    pattern: re.Pattern[str]
    smart: bool
    separator: str


SQL = TimestampStyle(re.compile(rf"{_DATE} {_CLOCK}\Z"), True, " ")
SQL_UTC = TimestampStyle(re.compile(rf"{_DATE} {_CLOCK}Z\Z"), True, " ")
ISO = TimestampStyle(re.compile(rf"{_DATE}[Tt]{_ISO_CLOCK}\Z"), False, "T")
ISO_UTC = TimestampStyle(re.compile(rf"{_DATE}T{_ISO_CLOCK}Z\Z"), True, "T")
#: Flink 1.9 and 1.10 wrote RFC 3339, for a TIMESTAMP without a zone too. Texts without `T` or `Z` are accepted as well.
LEGACY = TimestampStyle(re.compile(rf"{_DATE}[T ]{_CLOCK}Z?\Z"), True, "T")

_ISO_DATE = re.compile(rf"{_DATE}\Z")
_JDBC_DATE = re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})\Z")
_SQL_TIME = re.compile(rf"{_CLOCK}\Z")
_ISO_TIME = re.compile(rf"{_ISO_CLOCK}\Z")

_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def days_from_civil(year: int, month: int, day: int) -> int:
    """Computes days since 1970-01-01 in the proleptic Gregorian calendar, for any year."""
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


def civil_from_days(days: int) -> tuple[int, int, int]:
    days += 719_468
    era = days // 146_097
    day_of_era = days - era * 146_097
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + (3 if shifted < 10 else -9)
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def _month_length(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _MONTH_DAYS[month - 1]


def _days(match: re.Match[str], smart: bool) -> int:
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    if match["year"].startswith("-") and year == 0:
        raise ValueError
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        raise ValueError
    length = _month_length(year, month)
    if day > length:
        if not smart:
            raise ValueError
        day = length
    days = days_from_civil(year, month, day)
    if not _MIN_DAYS <= days <= _MAX_DAYS:
        raise ValueError
    return days


def _micros(match: re.Match[str], smart: bool) -> int:
    """Computes microseconds of the day; a whole day for 24:00:00 where `smart` allows it."""
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    fraction = match["fraction"] or ""
    if hour == 24 and smart and minute == 0 and second == 0 and not fraction.strip("0"):
        return DAY_MICROS
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + int(fraction[:6].ljust(6, "0") if fraction else 0)


def parse_date(text: str) -> int:
    """Parses a strict `yyyy-MM-dd` to days. Raises ValueError."""
    match = _ISO_DATE.match(text)
    if match:
        try:
            return _days(match, smart=False)
        except ValueError:
            pass
    raise ValueError(f"'{shorten(text)}' is not a date like 2020-11-30")


def parse_jdbc_date(text: str) -> int:
    """Parses as `java.sql.Date.valueOf` does: month and day may have one digit, and 31 April is 1 May."""
    match = _JDBC_DATE.match(text)
    if match:
        year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
        if 1 <= month <= 12 and 1 <= day <= 31:
            return days_from_civil(year, month, 1) + day - 1
    raise ValueError(f"'{shorten(text)}' is not a date like 2020-11-30")


def parse_time(text: str) -> int:
    """Parses `HH:mm:ss[.fraction]` to milliseconds of the day."""
    match = _SQL_TIME.match(text)
    if match:
        try:
            return _micros(match, smart=True) % DAY_MICROS // 1000
        except ValueError:
            pass
    raise ValueError(f"'{shorten(text)}' is not a time like 18:00:59")


def parse_iso_time(text: str) -> int:
    """Parses `HH:mm[:ss[.fraction]]` to milliseconds of the day."""
    match = _ISO_TIME.match(text)
    if match:
        try:
            return _micros(match, smart=False) // 1000
        except ValueError:
            pass
    raise ValueError(f"'{shorten(text)}' is not a time like 18:00:59")


def parse_timestamp(text: str, style: TimestampStyle) -> int:
    """Parses to microseconds since 1970-01-01 00:00:00. Raises ValueError."""
    match = style.pattern.match(text)
    if match:
        try:
            micros = _days(match, style.smart) * DAY_MICROS + _micros(match, style.smart)
            if _MIN_MICROS <= micros <= _MAX_MICROS:
                return micros
        except ValueError:
            pass
    zone = "Z" if style in (SQL_UTC, ISO_UTC, LEGACY) else ""
    raise ValueError(f"'{shorten(text)}' is not a timestamp like 2020-11-30{style.separator}18:00:59{zone}")


def date_text(days: int) -> str:
    year, month, day = civil_from_days(days)
    if 0 <= year <= 9999:
        return f"{year:04d}-{month:02d}-{day:02d}"
    return f"{'+' if year > 0 else '-'}{abs(year):04d}-{month:02d}-{day:02d}"


def time_text(micros: int) -> str:
    """Prints a time of day, with only as many digits of the fraction as needed."""
    seconds, fraction = divmod(micros, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    text = f"{hour:02d}:{minute:02d}:{second:02d}"
    return f"{text}.{fraction:06d}".rstrip("0") if fraction else text


def timestamp_text(micros: int, separator: str) -> str:
    days, rest = divmod(micros, DAY_MICROS)
    return f"{date_text(days)}{separator}{time_text(rest)}"
