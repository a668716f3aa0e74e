"""Reads what Spark keeps in a query's checkpoint: the query's own id, and, durable before a batch runs, what was planned for it.

>>> planned = parse_plan('v1\\n{"batchTimestampMs":5}\\n{"source":0,"sequence":7,"positions":{}}\\n-')
>>> dict(planned.sequences)
{0: 7}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.connectors.position import Positions, from_json
from firesteel.errors import JobError
from firesteel.storage.folder import Folder


@dataclass(frozen=True)
class PlannedBatch:
    """`sequences` and `positions` are those that each source has at the batch's end.

    `fingerprint` stands for the input: a batch that runs again has the same one. `marks` are the event times that sources have reached,
    `watermark` is Spark's own.
    """

    sequences: Mapping[int, int]
    positions: Mapping[int, Positions]
    fingerprint: str
    marks: Mapping[int, int | None]
    watermark: int


def query_id(checkpoint: Folder) -> str:
    """Reads the id that the query keeps over its restarts. State that is made anew has another one."""
    try:
        return str(json.loads(checkpoint.read_text("metadata"))["id"])
    except (OSError, ValueError, KeyError) as error:
        raise JobError(
            f"The query id cannot be read from 'metadata' in '{checkpoint}': {error}.",
            hint="Start over with --fresh, unless the file can be brought back.",
        ) from None


def last_planned(checkpoint: Folder) -> int:
    """Finds the last batch that was planned, -1 when none was."""
    return _last(checkpoint.child("offsets"))


def last_committed(checkpoint: Folder) -> int:
    """Finds the last batch that was done, -1 when none was."""
    return _last(checkpoint.child("commits"))


def _last(folder: Folder) -> int:
    return max((int(name) for name in folder.list() if name.isdecimal()), default=-1)


def planned_age(checkpoint: Folder, batch: int) -> float:
    """Tells how long ago the batch was planned, in seconds."""
    return checkpoint.age(f"offsets/{batch}")


def planned_batch(checkpoint: Folder, batch: int) -> PlannedBatch:
    try:
        return parse_plan(checkpoint.read_text(f"offsets/{batch}"))
    except (OSError, ValueError, KeyError) as error:
        raise JobError(
            f"The plan of batch {batch} cannot be read from 'offsets/{batch}' in '{checkpoint}': {error}.",
            hint="Start over with --fresh, unless the file can be brought back.",
        ) from None


def parse_plan(text: str) -> PlannedBatch:
    # A version, Spark's own metadata, and one line for each source; '-' where a source had nothing yet.
    _, metadata, *rest = text.split("\n")
    lines = [line for line in rest if line.startswith("{")]
    offsets = {offset.get("source", number): offset for number, offset in enumerate(map(json.loads, lines))}
    return PlannedBatch(
        {source: offset["sequence"] for source, offset in offsets.items()},
        {source: from_json(offset["positions"]) for source, offset in offsets.items()},
        hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
        {source: offset.get("mark") for source, offset in offsets.items()},
        json.loads(metadata).get("batchWatermarkMs", 0),
    )


def planned_rows(checkpoint: Folder, batch: int) -> int:
    """Counts the records a batch reads, as far as their offsets tell."""
    now = planned_batch(checkpoint, batch)
    before = planned_batch(checkpoint, batch - 1).positions if batch > 0 else {}
    return sum(
        offset - before.get(source, {}).get(partition, 0)
        for source, positions in now.positions.items()
        for partition, offset in positions.items()
    )
