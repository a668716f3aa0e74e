"""The marker: which batch a sink's last transaction wrote, committed with the rows, so that both are there or neither is.

It is kept as an offset of a consumer group named like the transactional id, with the facts in the offset's metadata.
`decide` says what it means for a batch that is about to be written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum

from firesteel.errors import JobError

_VERSION = 1


@dataclass(frozen=True)
class Marker:
    """`fingerprint` stands for the batch's input, `millis` is when it was written."""

    query: str
    batch: int
    fingerprint: str
    rows: int
    millis: int

    def render(self) -> str:
        return json.dumps(
            {"v": _VERSION, "q": self.query, "b": self.batch, "fp": self.fingerprint, "n": self.rows, "t": self.millis},
            separators=(",", ":"),
        )


def parse_marker(text: str) -> Marker:
    """Reads a marker from the text that `render` gives.


    >>> marker = Marker("4a7c", 12, "c0ffee", 500, 1700000000000)
    >>> parse_marker(marker.render()) == marker
    True
    """
    try:
        found = json.loads(text)
        return Marker(str(found["q"]), int(found["b"]), str(found["fp"]), int(found["n"]), int(found["t"]))
    except (ValueError, KeyError, TypeError):
        raise JobError(
            f"The offset that marks what was written has '{text[:80]}' beside it, which is not Firesteel's.",
            hint="Another program commits to the group of this sink's transactions: give the sink another "
            "'sink.transactional-id-prefix' and start over with --fresh.",
        ) from None


@dataclass(frozen=True)
class Attempt:
    """A batch that is about to be written, and the facts of its checkpoint.

    `known` is the last batch that is known to have left a marker, `known_age` how long ago that was. `again`: the batch
    was planned by an earlier run of the job, `age` ago. Kafka forgets a marker after `retention`. All in seconds.
    """

    query: str
    batch: int
    fingerprint: str
    known: int | None = None
    known_age: float = 0.0
    again: bool = False
    age: float = 0.0
    retention: float = 86_400.0


class Decision(Enum):
    WRITE = "write"
    SKIP = "skip"


def decide(attempt: Attempt, marker: Marker | None, topic: str) -> Decision:
    """Decide whether the batch is written or skipped. The marker is read after fencing: no other process can change it then.

    >>> attempt = Attempt("4a7c", 12, "c0ffee")
    >>> decide(attempt, Marker("4a7c", 12, "c0ffee", 500, 0), "t"), decide(attempt, None, "t")
    (<Decision.SKIP: 'skip'>, <Decision.WRITE: 'write'>)
    """
    if marker is None:
        _check_absence(attempt, topic)
        return Decision.WRITE
    if marker.query != attempt.query:
        raise JobError(
            f"What was written to '{topic}' belongs to another state than this job's.",
            hint="Give the sink another 'sink.transactional-id-prefix', or start over with --fresh.",
        )
    if marker.batch < attempt.batch:
        return Decision.WRITE
    if marker.batch == attempt.batch and marker.fingerprint == attempt.fingerprint:
        return Decision.SKIP
    other = " of other records" if marker.batch == attempt.batch else ""
    raise JobError(
        f"The state is older than the output: '{topic}' holds batch {marker.batch}{other}, and the job is at batch"
        f" {attempt.batch}. An old copy of the state was put back, or another process runs this job.",
        hint="Bring back the newer state, or start over with --fresh, which writes everything again.",
    )


def _check_absence(attempt: Attempt, topic: str) -> None:
    """Raise if Kafka may have lost or expired the marker; otherwise no marker means that the batch was never written."""
    if attempt.known is not None and attempt.known_age < attempt.retention:
        raise JobError(
            f"Batch {attempt.known} was written to '{topic}', and its marker is gone: the topic was deleted and created"
            " again, or the group that has the name of the sink's transactional id was deleted.",
            hint="Start over with --fresh, which writes everything again. To go on and leave the past as it is, remove "
            "'transactions.json' from the state.",
        )
    if attempt.again and attempt.age >= attempt.retention:
        raise JobError(
            f"Batch {attempt.batch} was begun {attempt.age / 86_400:.1f} days ago, and Kafka keeps for"
            f" {attempt.retention / 86_400:.1f} days what would say whether it was written to '{topic}'.",
            hint="Start over with --fresh, which writes everything again.",
        )
