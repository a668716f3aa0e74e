"""Functions over dates, times, timestamps and intervals.

A unit is a text literal before the other arguments: EXTRACT(YEAR FROM t) is EXTRACT('YEAR', t).
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.plan.function.java_pattern import PatternError, check_formatting, check_parsing
from firesteel.plan.function.signature import (
    DATE_OR_TIMESTAMP,
    MOMENT,
    TEXT,
    TEXT_LITERAL,
    WHOLE,
    ArgumentError,
    Arguments,
    Function,
    Parameter,
    Rule,
    always_gives,
    any_nullable,
    gives,
    literal_value,
    may_give,
)
from firesteel.types import (
    CHARACTER,
    INTEGER,
    NUMERIC,
    STRING,
    BigInt,
    DataType,
    Date,
    Int,
    Null,
    Time,
    Timestamp,
    TimestampLtz,
)

_DAYS = ("MILLENNIUM", "CENTURY", "DECADE", "YEAR", "QUARTER", "MONTH", "WEEK", "DAY")
_WITHIN_DAY = ("HOUR", "MINUTE", "SECOND", "MILLISECOND")
_CALENDAR = (*_DAYS, "DOW", "ISODOW", "DOY", "ISOYEAR", "EPOCH")
_FRACTIONS = ("MICROSECOND", "NANOSECOND")
_ADDED = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")

_UNIT = TEXT_LITERAL
_PATTERN = Parameter("a pattern as a literal", CHARACTER, literal=True)
_TIMESTAMP_OR_TEXT = Parameter("a timestamp or text", (Timestamp, TimestampLtz, *CHARACTER))
_NUMBER_OR_TEXT = Parameter("a number or text", (*NUMERIC, *CHARACTER))
_PRECISION_OR_PATTERN = Parameter("a precision or a pattern as a literal", (*INTEGER, *CHARACTER), literal=True)


def _unit(units: Callable[[DataType], tuple[str, ...]], rule: Rule) -> Rule:
    """Adds a check to the rule: the first argument has to be a unit of the last argument's type."""

    def checked(args: Arguments) -> DataType:
        unit, moment = literal_value(args, 0), args[-1].type
        if not isinstance(moment, Null) and unit not in units(moment):
            raise ArgumentError(f"takes no {unit} of {moment.sql}")
        return rule(args)

    return checked


def _extracted(moment: DataType) -> tuple[str, ...]:
    match moment:
        case Date():
            return _CALENDAR
        case Time():
            return _WITHIN_DAY
        case Timestamp():
            return (*_CALENDAR, *_WITHIN_DAY, *_FRACTIONS)
    return (*_CALENDAR, *_WITHIN_DAY)


def _rounded(moment: DataType) -> tuple[str, ...]:
    return _WITHIN_DAY if isinstance(moment, Time) else (*_DAYS, *_WITHIN_DAY)


def _added(moment: DataType) -> tuple[str, ...]:
    return _ADDED


def _moment(args: Arguments) -> DataType:
    return args[-1].type.with_nullable(any_nullable(args))


def _sum(args: Arguments) -> DataType:
    """Returns the type of TIMESTAMPADD: a TIMESTAMP if a part of a day is added to a DATE."""
    nullable = any_nullable(args)
    if isinstance(args[2].type, Date) and literal_value(args, 0) in ("HOUR", "MINUTE", "SECOND"):
        return Timestamp(0, nullable=nullable)
    return args[2].type.with_nullable(nullable)


def _formatting(rule: Rule) -> Rule:
    """Adds a check of the pattern to the rule. A TIMESTAMP has no time zone, so its pattern cannot have one."""

    def checked(args: Arguments) -> DataType:
        pattern = literal_value(args, 1)
        if isinstance(pattern, str):
            _asked(lambda: check_formatting(pattern, zones=isinstance(args[0].type, (*CHARACTER, *INTEGER))))
        return rule(args)

    return checked


def _parsing(rule: Rule, *, tolerant: bool) -> Rule:
    def checked(args: Arguments) -> DataType:
        pattern = literal_value(args, 1)
        if isinstance(pattern, str):
            _asked(lambda: check_parsing(pattern, tolerant=tolerant))
        return rule(args)

    return checked


def _asked(check: Callable[[], None]) -> None:
    try:
        check()
    except PatternError as error:
        raise ArgumentError(f"takes {error}") from None


def _point_in_time(args: Arguments) -> DataType:
    numeric = isinstance(args[0].type, NUMERIC)
    if numeric and (len(args) == 3 or (len(args) == 2 and not isinstance(args[1].type, INTEGER))):
        raise ArgumentError("takes a number and a precision, or text, a pattern and a time zone")
    given = literal_value(args, 1)
    if isinstance(given, int):
        if not numeric:
            raise ArgumentError("takes a number and a precision, or text, a pattern and a time zone")
        if not 0 <= given <= 9:
            raise ArgumentError("takes a precision of 0 to 9")
        return TimestampLtz(max(3, given))
    if isinstance(given, str):
        return TimestampLtz(max(3, min(9, len(given) - len(given.rstrip("S")))))
    return TimestampLtz(3)


_NOW = always_gives(TimestampLtz(3))
_PARTS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAYOFYEAR", "DAYOFMONTH", "DAYOFWEEK", "HOUR", "MINUTE", "SECOND")

#: The functions that are short forms of EXTRACT.
EXTRACTED_PARTS = {
    name: {"DAYOFYEAR": "DOY", "DAYOFMONTH": "DAY", "DAYOFWEEK": "DOW"}.get(name, name) for name in _PARTS
}

TIME_FUNCTIONS: tuple[Function, ...] = (
    Function("EXTRACT", (_UNIT, MOMENT), _unit(_extracted, gives(BigInt()))),
    *(Function(name, (MOMENT,), gives(BigInt())) for name in _PARTS),
    Function("FLOOR TO", (_UNIT, MOMENT), _unit(_rounded, _moment)),
    Function("CEIL TO", (_UNIT, MOMENT), _unit(_rounded, _moment)),
    Function("TIMESTAMPADD", (_UNIT, WHOLE, MOMENT), _unit(_added, _sum)),
    Function("TIMESTAMPDIFF", (_UNIT, DATE_OR_TIMESTAMP, DATE_OR_TIMESTAMP), _unit(_added, gives(Int()))),
    Function("CURRENT_DATE", (), always_gives(Date())),
    Function("CURRENT_TIME", (), always_gives(Time(0))),
    Function("LOCALTIME", (), always_gives(Time(0))),
    Function("CURRENT_TIMESTAMP", (), _NOW),
    Function("CURRENT_ROW_TIMESTAMP", (), _NOW),
    Function("NOW", (), _NOW),
    Function("PROCTIME", (), _NOW),
    Function("CURRENT_WATERMARK", (MOMENT,), lambda args: args[0].type.with_nullable(True)),
    Function("LOCALTIMESTAMP", (), always_gives(Timestamp(3))),
    Function("CONVERT_TZ", (TEXT, TEXT, TEXT), may_give(STRING)),
    Function("DATE_FORMAT", (_TIMESTAMP_OR_TEXT, _PATTERN), _formatting(may_give(STRING))),
    Function("FROM_UNIXTIME", (WHOLE, _PATTERN), _formatting(may_give(STRING)), optional=1),
    Function("UNIX_TIMESTAMP", (TEXT, _PATTERN), _parsing(gives(BigInt()), tolerant=True), optional=2),
    Function("TO_DATE", (TEXT, _PATTERN), _parsing(may_give(Date()), tolerant=True), optional=1),
    Function("TO_TIMESTAMP", (TEXT, _PATTERN), _parsing(may_give(Timestamp(3)), tolerant=False), optional=1),
    Function(
        "TO_TIMESTAMP_LTZ",
        (_NUMBER_OR_TEXT, _PRECISION_OR_PATTERN, TEXT),
        _parsing(_point_in_time, tolerant=False),
        optional=2,
    ),
)
