"""Finding A14: how a batch's ranges are dealt to tasks, for many partitions as for few."""

from __future__ import annotations

import random

from firesteel.spark.connector.kafka.offset_range import Range, deal


def _ranges(lengths: list[int]) -> list[Range]:
    return [Range("t", number, 0, length, 1) for number, length in enumerate(lengths)]


def _simple(ranges: list[Range], tasks: int) -> list[tuple[Range, ...]]:
    """Each range, the longest first, to the task that has the least: looked up anew for each."""
    dealt: list[list[Range]] = [[] for _ in range(tasks)]
    for one in sorted(ranges, key=lambda one: one.start - one.end):
        min(dealt, key=lambda part: sum(taken.end for taken in part)).append(one)
    return [tuple(part) for part in dealt]


def test_findings_a14_dealt_as_by_looking_at_all() -> None:
    chance = random.Random(14)
    for _ in range(200):
        tasks = chance.randint(1, 9)
        ranges = _ranges([chance.choice([1, 2, 3, 50, 1000]) for _ in range(chance.randint(tasks + 1, 40))])
        assert deal(ranges, tasks) == _simple(ranges, tasks)


def test_findings_a14_ten_thousand_ranges_are_dealt_evenly() -> None:
    chance = random.Random(14)
    ranges = _ranges([chance.randint(1, 10_000) for _ in range(10_000)])
    dealt = deal(ranges, 5_000)
    assert sorted(one.partition for part in dealt for one in part) == list(range(10_000))
    loads = [sum(one.end for one in part) for part in dealt]
    # The longest first: no task has more than another by more than one range.
    assert max(loads) - min(loads) <= 10_000
