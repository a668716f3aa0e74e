"""Counts what reading changes or leaves out beside refused records: values that changed on reading, and messages without a row.

They are rare, so nothing of them travels with the rows: a task that has any leaves a file below the query's checkpoint, one for
each range of offsets and named by it, so that a task or a batch that runs again leaves the same. The driver takes the files of a
batch when it tells what the batch did.

>>> from firesteel.formats.codec import Reason
>>> tally = Tally()
>>> tally.add([Reject(0, Reason.BAD_VALUE, "'4.7' became 4", "id", kept=True)], empty=2)
>>> tally.changed, tally.empty
({'id': 1}, 2)
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from firesteel.connectors.staged_range import StagedRange, remove_staged, staged_ranges
from firesteel.formats.codec import Reject
from firesteel.storage.folder import Folder

#: Stands for what is no column's: a row of a message that gave others.
ROW = "(row)"


@dataclass
class Tally:
    """`changed` counts values by column."""

    changed: dict[str, int] = field(default_factory=dict)
    empty: int = 0

    def add(self, rejects: Iterable[Reject], empty: int) -> None:
        self.empty += empty
        for reject in rejects:
            if reject.kept:
                column = reject.column or ROW
                self.changed[column] = self.changed.get(column, 0) + 1

    def write(self, folder: Folder, staged: StagedRange) -> None:
        """Leaves the counts for the driver. A count that cannot be kept is no reason to stop a job."""
        if not self.changed and not self.empty:
            return
        with suppress(OSError):
            folder.write_text(staged.file("json"), json.dumps({"changed": self.changed, "empty": self.empty}))


def take_tally(folder: Folder, source: int, sequence: int) -> Tally:
    """Adds up what the batch of that sequence counted, and removes its files and older ones."""
    total = Tally()
    reached: dict[tuple[str, int], int] = {}
    for staged in staged_ranges(folder, {source: sequence}, "json"):
        place = staged.topic, staged.partition
        # A range that was cut elsewhere when the batch first ran has left a file too.
        if staged.start < reached.get(place, -1):
            continue
        with suppress(OSError, ValueError):
            kept = json.loads(folder.read(staged.file("json")))
            total.empty += kept["empty"]
            for column, count in kept["changed"].items():
                total.changed[column] = total.changed.get(column, 0) + count
            reached[place] = staged.end
    remove_staged(folder, {source: sequence})
    return total
