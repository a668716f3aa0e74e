"""Buckets: into how many parts the state of an operator is dealt, and the numbers that Spark puts into one partition each.

>>> [spark_hash(number) for number in (0, 1, -1)]
[933211791, -559580957, -1604776387]
>>> labels(4)
(12, 6, 2, 0)
"""

from __future__ import annotations

from functools import cache

_SEED = 42
_MASK = 0xFFFFFFFF


def spark_hash(number: int) -> int:
    """Computes Spark's `hash` of an INT, by which a row finds its partition."""
    mixed = _rotated(number * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
    found = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _MASK
    found ^= 4
    found = (found ^ found >> 16) * 0x85EBCA6B & _MASK
    found = (found ^ found >> 13) * 0xC2B2AE35 & _MASK
    found ^= found >> 16
    return found - (1 << 32) if found >> 31 else found


def _rotated(bits: int, by: int) -> int:
    return (bits << by | bits >> 32 - by) & _MASK


@cache
def labels(buckets: int) -> tuple[int, ...]:
    """Gives a number for each bucket, such that Spark puts each into a partition of its own when there are as many."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < buckets:
        found.setdefault(spark_hash(number) % buckets, number)
        number += 1
    return tuple(found[bucket] for bucket in range(buckets))
