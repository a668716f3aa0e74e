"""Positions that are kept where a job's state begins anew: how far its sources had read, in the form of the offset log.

>>> one = Kept(0, {("views", 0): 5, ("views", 1): 7}, {})
>>> split_kept(0, [one], [("views", 0), ("views", 2), ("clicks", 0)])
({('views', 0): 5}, [('views', 2)], [('clicks', 0)])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.connectors.position import Partition, Positions, from_json, to_json


@dataclass(frozen=True)
class Kept:
    """Where a source of the earlier plan stood. `ids` tell a topic from another one that has its name now."""

    number: int
    positions: Positions
    ids: Mapping[str, str]

    def render(self) -> dict[str, Any]:
        return {"source": self.number, "positions": to_json(self.positions), "topics": dict(self.ids)}


def parse_kept(offset: Mapping[str, Any]) -> Kept:
    """Reads what `render` gave, or an offset of the offset log."""
    return Kept(int(offset.get("source", 0)), from_json(offset["positions"]), offset.get("topics", {}))


def split_kept(
    number: int, kept: Sequence[Kept], partitions: Iterable[Partition]
) -> tuple[Positions, list[Partition], list[Partition]]:
    """Tells where a source of the new plan goes on: positions, partitions that came since, and those that nobody has read.

    The source of the same number counts; where it did not read a topic, the one that was read least far, so that nothing is left out.
    """
    known: Positions = {}
    since: list[Partition] = []
    rest: list[Partition] = []
    for partition in partitions:
        readers = [one for one in kept if any(name == partition[0] for name, _ in one.positions)]
        readers = [one for one in readers if one.number == number] or readers
        offsets = [one.positions[partition] for one in readers if partition in one.positions]
        if offsets:
            known[partition] = min(offsets)
        else:
            (since if readers else rest).append(partition)
    return known, since, rest
