"""Parses texts to timestamps by a Java pattern with nothing but Spark's own functions: a regular expression finds the
fields.

`DateTimeFormatter` requires each field in its width and range, except that a day after the month's end becomes its last
day. `SimpleDateFormat` reads as many digits as there are if no other digits follow, ignores what comes after, and
carries over: month 13 is January.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.function.java_pattern import PatternField, PatternPart, PatternText, parse_pattern

_DEFAULTS = {"y": 1970, "M": 1, "d": 1, "H": 0, "h": 0, "m": 0, "s": 0}
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_ZONE = r"(Z|[+-]\d{2}(?::?\d{2})?)"


@dataclass(frozen=True)
class Reader:
    """A regular expression, and the group of each field."""

    regex: str
    groups: dict[str, int]
    short_month: bool = False

    def field(self, text: Column, letter: str) -> Column:
        if letter not in self.groups:
            return F.lit(_DEFAULTS[letter])
        found = self._group(text, letter)
        if letter == "M" and self.short_month:
            return ((F.call_function("locate", F.lower(found), F.lit(_MONTHS)) + 2) / 3).cast("int")
        return F.coalesce(found.try_cast("int"), F.lit(_DEFAULTS[letter]))

    def _group(self, text: Column, letter: str) -> Column:
        return F.regexp_extract(text, self.regex, self.groups[letter])

    def matches(self, text: Column) -> Column:
        return F.rlike(text, F.lit(self.regex))

    def hour(self, text: Column) -> Column:
        if "H" in self.groups or "a" not in self.groups:
            return self.field(text, "H")
        half = F.when(F.upper(self._group(text, "a")) == "PM", F.lit(12)).otherwise(F.lit(0))
        return self.field(text, "h") % 12 + half

    def micros(self, text: Column, digits: int) -> Column:
        """Returns the fraction in microseconds, truncated to `digits` digits."""
        if "S" not in self.groups:
            return F.lit(0)
        found = F.substring(F.rpad(self._group(text, "S"), 6, "0"), 1, min(digits, 6))
        return F.coalesce(F.rpad(found, 6, "0").try_cast("int"), F.lit(0))

    def offset(self, text: Column) -> Column | None:
        """Returns the seconds of the time zone in the text; None if the pattern has none."""
        letter = next((letter for letter in "XZ" if letter in self.groups), None)
        if letter is None:
            return None
        signs = F.regexp_replace(self._group(text, letter), F.lit("[:Z]"), F.lit(""))
        hours = F.coalesce(F.substring(signs, 2, 2).try_cast("int"), F.lit(0))
        minutes = F.coalesce(F.substring(signs, 4, 2).try_cast("int"), F.lit(0))
        sign = F.when(F.startswith(signs, F.lit("-")), F.lit(-1)).otherwise(F.lit(1))
        return sign * (hours * 3600 + minutes * 60)


#: The form that TO_TIMESTAMP reads without a pattern.
PLAIN = Reader(
    r"\A(\d{4})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?)?\z",
    {"y": 1, "M": 2, "d": 3, "H": 4, "m": 5, "s": 6, "S": 7},
)


def make_reader(pattern: str, *, tolerant: bool) -> Reader:
    parts = parse_pattern(pattern)
    groups: dict[str, int] = {}
    regex = r"\A"
    for number, part in enumerate(parts):
        following = parts[number + 1] if number + 1 < len(parts) else None
        if isinstance(part, PatternText):
            regex += re.escape(part.text) if part.text.isascii() else part.text
            continue
        letter = {"u": "y"}.get(part.letter, part.letter)
        groups[letter] = len(groups) + 1
        regex += _tolerant(part, following) if tolerant else _strict(part)
    short = any(isinstance(part, PatternField) and part.letter == "M" and part.count == 3 for part in parts)
    return Reader(regex if tolerant else regex + r"\z", groups, short)


def _strict(part: PatternField) -> str:
    match part.letter, part.count:
        case "a", _:
            return "([AaPp][Mm])"
        case (("X" | "Z"), _):
            return _ZONE
        case "M", 3:
            return "([A-Za-z]{3})"
        case "S", count:
            return rf"(\d{{{count}}})"
        case _, 1:
            return r"(\d{1,4})"
        case _, count:
            return rf"(\d{{{count}}})"


def _tolerant(part: PatternField, following: PatternPart | None) -> str:
    if part.letter in "aXZ" or (part.letter, part.count) == ("M", 3):
        return _strict(part)
    if isinstance(following, PatternField) and following.letter not in "aXZ":
        return rf"(\d{{{part.count}}})"
    return r"\s*(\d{1,9})"


def read_exactly(text: Column, reader: Reader, digits: int) -> Column:
    """Parses as DateTimeFormatter does: NULL if a field is out of its range."""
    year, month, day = (reader.field(text, letter) for letter in "yMd")
    first = F.concat_ws("-", F.lpad(year.cast("string"), 4, "0"), month.cast("string"), F.lit("1")).try_cast("date")
    last = F.day(F.last_day(first))
    seconds = reader.field(text, "s") + reader.micros(text, digits) / F.lit(1_000_000).cast("decimal(7,0)")
    moment = F.try_make_timestamp_ntz(
        year,
        month,
        F.when(day <= 31, F.least(day, last)),
        reader.hour(text),
        reader.field(text, "m"),
        F.when(reader.field(text, "s") < 60, seconds.cast("decimal(16,6)")),
    )
    return F.when(reader.matches(text), moment)


def read_tolerantly(text: Column, reader: Reader) -> Column:
    """Parses as SimpleDateFormat does: a field that is too large carries over."""
    start = F.try_make_timestamp_ntz(reader.field(text, "y"), F.lit(1), F.lit(1), F.lit(0), F.lit(0), F.lit(0))
    months = F.make_ym_interval(F.lit(0), reader.field(text, "M") - 1)
    hour = reader.hour(text) if "a" in reader.groups or "h" not in reader.groups else reader.field(text, "h") % 12
    rest = F.make_dt_interval(reader.field(text, "d") - 1, hour, reader.field(text, "m"), reader.field(text, "s"))
    moment = start + months + rest
    if "S" in reader.groups:
        millis = F.coalesce(F.regexp_extract(text, reader.regex, reader.groups["S"]).try_cast("int"), F.lit(0))
        moment = moment + F.make_dt_interval(secs=(millis / F.lit(1000).cast("decimal(4,0)")).cast("decimal(18,6)"))
    return F.when(reader.matches(text), moment)
