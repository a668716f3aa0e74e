"""Alibaba's `scan.header-filter`: which messages a table reads, by their headers.

>>> wanted = HEADER_FILTER.parse("depart:toy|depart:book&!env:test")
>>> wanted.passes([("depart", b"book")]), wanted.passes([("depart", b"toy"), ("env", b"test")])
(True, False)
>>> wanted.passes([])
False
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_OPERATOR = re.compile(r"[|&]")


@dataclass(frozen=True)
class Condition:
    """A header of this name with this value, in UTF-8, is there; `negated`: is not there."""

    key: str
    value: str
    negated: bool = False

    def holds(self, headers: Iterable[tuple[str, bytes | None]]) -> bool:
        wanted = self.value.encode()
        return any(key == self.key and value == wanted for key, value in headers) is not self.negated


@dataclass(frozen=True)
class HeaderFilter:
    """Conditions joined by `&` and `|` from left to right, neither of them before the other; `rest` has them with their operators."""

    first: Condition
    rest: tuple[tuple[str, Condition], ...] = ()

    def passes(self, headers: Iterable[tuple[str, bytes | None]]) -> bool:
        held = tuple(headers)
        result = self.first.holds(held)
        for operator, condition in self.rest:
            result = result and condition.holds(held) if operator == "&" else result or condition.holds(held)
        return result


@dataclass(frozen=True)
class HeaderFilterKind:
    name: str = "Header filter"

    def parse(self, text: str) -> HeaderFilter:
        conditions = [_condition(part) for part in _OPERATOR.split(text)]
        operators = _OPERATOR.findall(text)
        return HeaderFilter(conditions[0], tuple(zip(operators, conditions[1:], strict=True)))


def _condition(text: str) -> Condition:
    written = text.strip()
    key, colon, value = written.removeprefix("!").partition(":")
    if not colon or not key.strip() or any(bracket in written for bracket in "()"):
        raise ValueError("expects conditions such as 'key:value', joined by '&' and '|' without parentheses")
    return Condition(key.strip(), value.strip(), written.startswith("!"))


HEADER_FILTER = HeaderFilterKind()
