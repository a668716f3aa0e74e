"""Parses Java's patterns for dates and times, as far as they are supported.

Flink uses two of Java's classes: `DateTimeFormatter` to format or parse a TIMESTAMP, and `SimpleDateFormat`, which is far
more tolerant, for a text or a number of seconds. Their letters are nearly the same.

>>> parse_pattern("yyyy-MM'T'")
(PatternField(letter='y', count=4), PatternText(text='-'), PatternField(letter='M', count=2), PatternText(text='T'))
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True)
class PatternField:
    letter: str
    count: int


@dataclass(frozen=True)
class PatternText:
    text: str


PatternPart = PatternField | PatternText


class PatternError(ValueError):
    """The pattern is not supported; the text completes the sentence 'takes …'."""


#: The greatest number of repetitions of each letter.
_FORMATTED = {"G": 3, "y": 6, "u": 6, "M": 4, "L": 4, "d": 2, "D": 3, "E": 4, "a": 1, "k": 2, "K": 2} | {
    "h": 2,
    "H": 2,
    "m": 2,
    "s": 2,
    "S": 9,
    "Q": 4,
    "q": 4,
}
_ZONES = {"z": 3, "Z": 3, "X": 3}
_PARSED = {"y": 4, "u": 4, "M": 3, "d": 2, "h": 2, "H": 2, "m": 2, "s": 2, "S": 9, "a": 1, "X": 3, "Z": 3}


def parse_pattern(pattern: str) -> tuple[PatternPart, ...]:
    parts: list[PatternPart] = []
    position = 0
    while position < len(pattern):
        sign = pattern[position]
        if sign == "'":
            text, position = _quoted(pattern, position + 1)
            parts.append(PatternText(text))
        elif sign in "[]{}#":
            raise PatternError(f"a pattern without '{sign}', which is not supported yet")
        elif sign.isascii() and sign.isalpha():
            count = next(len(list(run)) for _, run in groupby(pattern[position:]))
            parts.append(PatternField(sign, count))
            position += count
        else:
            parts.append(PatternText(sign))
            position += 1
    return tuple(parts)


def _quoted(pattern: str, position: int) -> tuple[str, int]:
    """Reads a quoted text and returns the position after its closing quote; two quotes stand for one."""
    if pattern[position : position + 1] == "'":
        return "'", position + 1
    made = ""
    while True:
        end = pattern.find("'", position)
        if end < 0:
            raise PatternError("a pattern whose quotes are closed")
        made += pattern[position:end]
        if pattern[end + 1 : end + 2] != "'":
            return made, end + 1
        made += "'"
        position = end + 2


def check_formatting(pattern: str, *, zones: bool) -> None:
    """Raises a PatternError if the pattern cannot format a time. `zones`: the time has a time zone."""
    _check(pattern, _FORMATTED | (_ZONES if zones else {}))


def check_parsing(pattern: str, *, tolerant: bool) -> None:
    """Raises a PatternError if the pattern cannot parse a time, as SimpleDateFormat (tolerant) or DateTimeFormatter does."""
    parts = _check(pattern, _PARSED)
    fields = [part for part in parts if isinstance(part, PatternField)]
    if tolerant and any(part.letter in "yu" and part.count == 2 for part in fields):
        raise PatternError("a pattern with a year of four digits, for others are not supported yet")
    letters = [part.letter for part in fields]
    if len(set(letters)) < len(letters):
        raise PatternError("a pattern that has each letter once, for others are not supported yet")


def _check(pattern: str, letters: dict[str, int]) -> tuple[PatternPart, ...]:
    parts = parse_pattern(pattern)
    for part in parts:
        if isinstance(part, PatternField) and part.count > letters.get(part.letter, 0):
            raise PatternError(f"a pattern without '{part.letter * part.count}', which is not supported yet")
    return parts
