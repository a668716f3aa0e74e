"""Finds the nearest name to a misspelt one: similar letters in the same parts.

>>> nearest("scan.startup.mod", ["scan.startup.mode", "topic"])
'scan.startup.mode'
>>> nearest("startup.mode", ["scan.startup.mode", "scan.bounded.mode"])
'scan.startup.mode'
>>> nearest("value.fields-prefix", ["key.fields-prefix"]) is None
True
>>> nearest("LENGHT", ["ELEMENT", "LENGTH"])
'LENGTH'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

#: Longer names are not compared: that would take minutes for a megabyte of text.
_LONGEST = 200
#: A shorter part of a name matches too many names.
_LEAST_PART = 4
_SEPARATOR = re.compile(r"[.\-_ ]+")


def nearest(name: str, known: Iterable[str], cutoff: float = 0.7) -> str | None:
    """Returns the known name that was probably meant. `cutoff` is the share of its letters that must be right."""
    if not name or len(name) > _LONGEST:
        return None
    lowered = name.lower()
    parts = _SEPARATOR.split(lowered)
    best, least = None, _allowed(len(lowered), cutoff) + 1
    shortened = []
    for candidate in known:
        other = candidate.lower()
        others = _SEPARATOR.split(other)
        if abs(len(other) - len(lowered)) < least:
            found = distance(lowered, other, least - 1)
            if found < least and _alike(parts, others):
                best, least = candidate, found
        if len(lowered) >= _LEAST_PART and _is_within(parts, others):
            shortened.append(candidate)
    if best is None and len(shortened) == 1:
        return shortened[0]
    return best


def _allowed(length: int, cutoff: float) -> int:
    """Returns how many letters of a name may be wrong: few for a short name, which is similar to many others."""
    return min(3, int(length * (1 - cutoff) + 0.01))


def _alike(parts: list[str], others: list[str]) -> bool:
    """Checks whether each part is similar to its counterpart: `value.format` is not similar to `key.format`."""
    if len(parts) != len(others):
        return True
    return all(
        distance(one, two, limit) <= limit
        for one, two in zip(parts, others, strict=True)
        if one != two
        for limit in (max(1, _allowed(max(len(one), len(two)), 0.6)),)
    )


def _is_within(parts: list[str], others: list[str]) -> bool:
    """Checks whether a name is another one without its beginning or its end."""
    size = len(parts)
    return size < len(others) and (others[-size:] == parts or others[:size] == parts)


def distance(one: str, two: str, limit: int) -> int:
    """Counts the letters to add, remove, change or swap with their neighbour. Returns `limit` + 1 if there are more
    than `limit`.

    >>> distance("lenght", "length", 3), distance("kafak", "kafka", 1), distance("topic", "format", 2)
    (1, 1, 3)
    """
    if one == two:
        return 0
    if abs(len(one) - len(two)) > limit:
        return limit + 1
    far = limit + 1
    before: list[int] = []
    row = [min(column, far) for column in range(len(two) + 1)]
    for number, sign in enumerate(one, 1):
        older, before = before, row
        row = [far] * (len(two) + 1)
        row[0] = min(number, far)
        for column in range(max(1, number - limit), min(len(two), number + limit) + 1):
            least = min(before[column] + 1, row[column - 1] + 1, before[column - 1] + (sign != two[column - 1]))
            if number > 1 and column > 1 and sign == two[column - 2] and one[number - 2] == two[column - 1]:
                least = min(least, older[column - 2] + 1)
            row[column] = least
        if min(row) > limit:
            return far
    return min(row[-1], far)


def is_similar(name: str, known: Iterable[str], ratio: float) -> bool:
    """Checks whether the name shares that share of its letters with a known one. This is wider than `nearest`, for
    names of secrets.
    """
    if len(name) > _LONGEST:
        return False
    matcher = SequenceMatcher()
    matcher.set_seq2(name.lower())
    for candidate in known:
        matcher.set_seq1(candidate.lower())
        if matcher.real_quick_ratio() >= ratio and matcher.quick_ratio() >= ratio and matcher.ratio() >= ratio:
            return True
    return False
