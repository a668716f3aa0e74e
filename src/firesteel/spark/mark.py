"""How event time moves: the source says so, with a row that carries a mark and nothing else.

Spark's watermark follows the greatest time it sees, over all partitions; Flink's waits for the slowest partition. So
Spark is shown the marks only, and the source, which knows its partitions, decides them: `mark` in its offset is the
event time that every partition has reached, or the end of time when a bounded source has been read to its end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The mark of a row that is a mark, in milliseconds since 1970; NULL in every other row.
MARK = "__mark"
#: Which of the source's partitions a row comes from, as a small number.
SLOT = "__slot"

#: Later than any window: beyond the year 160,000, and far enough from the end of Spark's own time.
END_OF_TIME = 5_000_000_000_000_000

#: Spark's watermark begins in 1970, and rows before it would be late from the start. So ours count from the year 1.
SHIFT = 62_135_596_800_000


def emits_mark(start: Mapping[str, Any] | None, end: Mapping[str, Any]) -> bool:
    """Whether the batch between these two offsets has a row with a mark."""
    mark, before = end.get("mark"), start or {}
    return mark is not None and (mark != before.get("mark") or end["positions"] == before.get("positions"))


class Times:
    """The greatest event time of each slot, on its way from Spark's reports to the source.

    The two live in different processes of the driver's machine and share a file. The source only ever learns of times
    that have been read, so what it reads may be old, and is never wrong.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._known: dict[int, int] = {}

    def note(self, found: Mapping[str, Any]) -> None:
        """Adds what a batch has seen, by slot."""
        changed = False
        for slot, time in found.items():
            if time is not None and int(time) > self._known.get(int(slot), -SHIFT - 1):
                self._known[int(slot)] = int(time)
                changed = True
        if changed:
            fresh = self._path.with_suffix(".new")
            fresh.write_text(json.dumps(self._known))
            fresh.replace(self._path)

    def read(self) -> dict[int, int]:
        try:
            return {int(slot): int(time) for slot, time in json.loads(self._path.read_text()).items()}
        except FileNotFoundError:
            return {}
