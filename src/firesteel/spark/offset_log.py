"""What Spark planned for a batch: `offsets/<batch>` in a query's checkpoint, durable before the batch runs.

>>> planned = parse_plan('v1\\n{"batchTimestampMs":5}\\n{"source":0,"sequence":7,"positions":{}}\\n-')
>>> dict(planned.sequences)
{0: 7}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import JobError
from firesteel.kafka.position import Positions, from_json


@dataclass(frozen=True)
class PlannedBatch:
    """`sequences` and `positions` are those that each source has at the batch's end.

    `fingerprint` stands for the input: a batch that runs again has the same one.
    """

    sequences: Mapping[int, int]
    positions: Mapping[int, Positions]
    fingerprint: str


def planned_batch(checkpoint: Path, batch: int) -> PlannedBatch:
    path = checkpoint / "offsets" / str(batch)
    try:
        return parse_plan(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError) as error:
        raise JobError(
            f"What was planned for batch {batch} cannot be read from '{path}': {error}.",
            hint="Start over with --fresh, unless the file can be brought back.",
        ) from None


def parse_plan(text: str) -> PlannedBatch:
    # A version, Spark's own metadata, and one line for each source; '-' where a source had nothing yet.
    lines = [line for line in text.split("\n")[2:] if line.startswith("{")]
    offsets = {offset.get("source", number): offset for number, offset in enumerate(map(json.loads, lines))}
    return PlannedBatch(
        {source: offset["sequence"] for source, offset in offsets.items()},
        {source: from_json(offset["positions"]) for source, offset in offsets.items()},
        hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
    )


def planned_rows(checkpoint: Path, batch: int) -> int:
    """How many records a batch reads, as far as their offsets tell."""
    now = planned_batch(checkpoint, batch)
    before = planned_batch(checkpoint, batch - 1).positions if batch > 0 else {}
    return sum(
        offset - before.get(source, {}).get(partition, 0)
        for source, positions in now.positions.items()
        for partition, offset in positions.items()
    )
