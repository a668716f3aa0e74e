"""Divides a batch's offset ranges among the tasks that read them."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapreplace

from pyspark.sql.datasource import InputPartition


@dataclass(frozen=True)
class Range:
    """An offset range of one partition, in the source's batch of that sequence."""

    topic: str
    partition: int
    start: int
    end: int
    sequence: int
    #: The event time that every partition had reached before this batch.
    mark: int | None = None

    @property
    def first_place(self) -> int:
        """Gives the number that is added to a record's offset for its position in the order of arrival: a later batch's are greater."""
        return (self.sequence << 32) - self.start


class Ranges(InputPartition):
    """What one task reads, one range after the other."""

    def __init__(self, ranges: tuple[Range, ...]) -> None:
        super().__init__(ranges)
        self.ranges = ranges


def deal(ranges: list[Range], tasks: int) -> list[tuple[Range, ...]]:
    """Deals ranges to tasks: one each, or as evenly long as whole ranges allow when there are to be fewer tasks.

    >>> long, short, other = Range("t", 0, 0, 90, 1), Range("t", 1, 0, 40, 1), Range("t", 2, 0, 30, 1)
    >>> deal([short, long, other], 2) == [(long,), (short, other)]
    True
    >>> len(deal([long, short], 8)), deal([], 3)
    (2, [])
    """
    if tasks >= len(ranges):
        return [(one,) for one in ranges]
    dealt: list[list[Range]] = [[] for _ in range(tasks)]
    # How much each task has, the least first.
    loads = [(0, task) for task in range(tasks)]
    for one in sorted(ranges, key=lambda one: one.start - one.end):
        load, task = loads[0]
        dealt[task].append(one)
        heapreplace(loads, (load + one.end - one.start, task))
    return [tuple(part) for part in dealt]
