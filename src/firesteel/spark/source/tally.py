"""What reading counts beside rows and refused records: values that changed on reading, and messages without a row.

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
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from firesteel.formats.codec import Reject
from firesteel.kafka.dead_letter import StagedRange, remove_stages

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

    def write(self, folder: Path, staged: StagedRange) -> None:
        """A count that cannot be kept is no reason to stop a job."""
        if not self.changed and not self.empty:
            return
        path = (folder / staged.file).with_suffix(".json")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f".{uuid.uuid4().hex}")
            temporary.write_text(json.dumps({"changed": self.changed, "empty": self.empty}), encoding="utf-8")
            temporary.replace(path)


def take_tally(folder: Path, source: int, sequence: int) -> Tally:
    """What the batch of that sequence counted; it and what is older is taken away."""
    total = Tally()
    reached: dict[tuple[str, int], int] = {}
    stage = folder / f"{source}-{sequence}"
    files = {StagedRange.of(path): path for path in stage.glob("*.json")}
    for staged in sorted(files, key=lambda one: (one.topic, one.partition, one.start)):
        place = staged.topic, staged.partition
        # A range that was cut elsewhere when the batch first ran has left a file too.
        if staged.start < reached.get(place, -1):
            continue
        with suppress(OSError, ValueError):
            kept = json.loads(files[staged].read_text(encoding="utf-8"))
            total.empty += kept["empty"]
            for column, count in kept["changed"].items():
                total.changed[column] = total.changed.get(column, 0) + count
            reached[place] = staged.end
    remove_stages(folder, {source: sequence})
    return total
