"""How event time moves: the source says so, with a row that carries a mark and nothing else.

Spark's watermark follows the greatest time it sees, over all partitions; Flink's waits for the slowest partition. So
Spark is shown the marks only, and the source, which knows its partitions, decides them: `mark` in its offset is the
event time that every partition has reached, or the end of time when a bounded source has been read to its end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from firesteel.connectors.position import Partition, Positions, from_json, to_json
from firesteel.storage.folder import Folder

#: Later than any window: beyond the year 160,000, and far enough from the end of Spark's own time.
END_OF_TIME = 5_000_000_000_000_000


def emits_mark(start: Mapping[str, Any] | None, end: Mapping[str, Any]) -> bool:
    """Whether the batch between these two offsets has a row with a mark."""
    mark, before = end.get("mark"), start or {}
    return mark is not None and (mark != before.get("mark") or end["positions"] == before.get("positions"))


class Times:
    """The greatest event time of each slot's partition, on its way from a batch to the source.

    The two live in different processes of the driver's machine and share a file, beside the state: a partition whose rows
    have all been read still has its time after a restart. The source only ever learns of times that have been read, so
    what it reads may be old, and is never wrong.
    """

    def __init__(self, folder: Folder, number: int, slots: tuple[Partition, ...]) -> None:
        """`number` is that of the source."""
        self._folder = folder
        self._file = f"{number}.json"
        self._slots = slots
        self._known = self.read()

    def note(self, found: Mapping[int, int | None]) -> None:
        """Adds what a batch has seen, by the number of the slot."""
        known = dict(self._known)
        for number, time in found.items():
            if time is not None:
                partition = self._slots[number]
                known[partition] = max(time, known.get(partition, time))
        if known != self._known:
            self._known = known
            self._folder.write_text(self._file, json.dumps(to_json(known)))

    def read(self) -> Positions:
        try:
            return from_json(json.loads(self._folder.read(self._file)))
        except FileNotFoundError:
            return {}
