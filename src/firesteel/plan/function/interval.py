"""Converts the text of an INTERVAL to months or microseconds.

>>> interval_value("1 02:03:04.5", "DAY", "SECOND")
(93784500000, False)
>>> interval_value("-2-10", "YEAR", "MONTH")
(-34, True)
"""

from __future__ import annotations

import re

_MICROS = {
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": 86_400_000_000,
    "WEEK": 7 * 86_400_000_000,
}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_FROM_THE_LARGEST = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def interval_value(text: str, first: str, last: str) -> tuple[int, bool]:
    """Returns the number of months and True, or of microseconds and False. The parser has checked the text."""
    text = text.strip()
    sign = -1 if text.startswith("-") else 1
    numbers = re.findall(r"\d+(?:\.\d+)?", text)
    if first == last:
        units: tuple[str, ...] = (first,)
    else:
        units = _FROM_THE_LARGEST[_FROM_THE_LARGEST.index(first) : _FROM_THE_LARGEST.index(last) + 1]
    months = first in _MONTHS
    sizes = _MONTHS if months else _MICROS
    return sign * sum(_scaled(number, sizes[unit]) for number, unit in zip(numbers, units, strict=True)), months


def _scaled(number: str, size: int) -> int:
    """Converts '1.5' seconds to microseconds without a float; smaller fractions are cut."""
    whole, _, fraction = number.partition(".")
    return int(whole) * size + (int(fraction.ljust(6, "0")[:6]) * size // 1_000_000 if fraction else 0)
