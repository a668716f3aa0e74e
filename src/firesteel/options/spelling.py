"""The nearest name to a misspelt one.

>>> nearest("scan.startup.mod", ["scan.startup.mode", "topic"])
'scan.startup.mode'
>>> nearest("colour", ["topic"]) is None
True
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

#: Longer names are not compared: a match of a name with a megabyte of text takes minutes.
_LONGEST = 200


def nearest(name: str, known: Iterable[str], cutoff: float = 0.75) -> str | None:
    if len(name) > _LONGEST:
        return None
    lowered = name.lower()
    matcher = SequenceMatcher()
    matcher.set_seq2(lowered)
    best, best_ratio = None, cutoff
    for candidate in known:
        matcher.set_seq1(candidate.lower())
        if matcher.real_quick_ratio() < best_ratio or matcher.quick_ratio() < best_ratio:
            continue
        ratio = matcher.ratio()
        if ratio > best_ratio or (best is None and ratio >= best_ratio):
            best, best_ratio = candidate, ratio
    return best
