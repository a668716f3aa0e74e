"""Checks the text in the quotes of `INTERVAL '…' DAY TO SECOND` and of `DATE '…'`, `TIME '…'`, `TIMESTAMP '…'`."""

from __future__ import annotations

import datetime
import re

from firesteel.types import DataType, Date, Time, Timestamp

#: Fields from the largest to the smallest; an interval takes a run of them out of one of the two families.
_YEAR_MONTH = ("YEAR", "MONTH")
_DAY_SECOND = ("DAY", "HOUR", "MINUTE", "SECOND")
_SEPARATOR = {"MONTH": "-", "HOUR": " ", "MINUTE": ":", "SECOND": ":"}
_HIGHEST = {"MONTH": 11, "HOUR": 23, "MINUTE": 59, "SECOND": 59}

UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
MONTH_UNITS = ("YEAR", "QUARTER", "MONTH")


def check_interval(text: str, start: str, end: str | None, precision: int) -> str | None:
    """Describe the mistake in an interval's text, or return None. `precision` limits the digits of its first field."""
    fields = _fields(start, end)
    if fields is None:
        return f"'{start} TO {end}' is no span of time units."
    pattern = "".join(_field_pattern(unit, first=position == 0) for position, unit in enumerate(fields))
    found = re.fullmatch(rf"\s*[+-]?{pattern}\s*", text)
    if found is None:
        return f"'{text[:40]}' is no interval of {start}{f' TO {end}' if end else ''}."
    if len(found.group(1).lstrip("0")) > precision:
        return f"'{text[:40]}' has more than the {precision} digits of {start}({precision})."
    for unit, value in zip(fields[1:], found.groups()[1:], strict=False):
        if int(value) > _HIGHEST[unit]:
            return f"'{text[:40]}' has more than {_HIGHEST[unit]} in its {unit} field."
    return None


def _fields(start: str, end: str | None) -> tuple[str, ...] | None:
    if end is None:
        return (start,)
    for family in (_YEAR_MONTH, _DAY_SECOND):
        if start in family and end in family and family.index(start) < family.index(end):
            return family[family.index(start) : family.index(end) + 1]
    return None


def _field_pattern(unit: str, *, first: bool) -> str:
    digits = r"(\d+)" if first else rf"{_SEPARATOR[unit]}(\d{{1,2}})"
    return digits + (r"(?:\.\d{1,9})?" if unit == "SECOND" else "")


_DATE = r"(\d{4})-(\d{1,2})-(\d{1,2})"
_TIME = r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?"
_LITERALS = {
    "DATE": (re.compile(_DATE, re.ASCII), "yyyy-MM-dd"),
    "TIME": (re.compile(_TIME, re.ASCII), "HH:mm:ss"),
    "TIMESTAMP": (re.compile(rf"{_DATE}(?: {_TIME})?", re.ASCII), "yyyy-MM-dd HH:mm:ss"),
}


def literal_type(kind: str, text: str) -> DataType | None:
    """Find the type of a temporal literal; its fraction gives its precision. None if the text is no such literal.

    >>> str(literal_type("TIMESTAMP", "2020-01-01 00:00:00.123"))
    'TIMESTAMP(3) NOT NULL'
    >>> literal_type("DATE", "2020-02-30") is None
    True
    """
    pattern, _ = _LITERALS[kind]
    found = pattern.fullmatch(text.strip())
    if found is None:
        return None
    groups = found.groups()
    try:
        if kind != "TIME":
            datetime.date(int(groups[0]), int(groups[1]), int(groups[2]))
        if kind != "DATE" and groups[-2] is not None:
            datetime.time(int(groups[-4]), int(groups[-3]), int(groups[-2]))
    except ValueError:
        return None
    if kind == "DATE":
        return Date(nullable=False)
    precision = len(groups[-1] or "")
    return Time(precision, nullable=False) if kind == "TIME" else Timestamp(precision, nullable=False)


def literal_form(kind: str) -> str:
    return _LITERALS[kind][1]
