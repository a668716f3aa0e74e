"""What the marker means for a batch: every case of the table, without a broker."""

from __future__ import annotations

import pytest

from firesteel.connectors.kafka.transaction.marker import Attempt, Decision, Marker, decide, parse_marker
from firesteel.errors import JobError

DAY = 86_400.0


def marker(batch: int, query: str = "q", fingerprint: str = "fp") -> Marker:
    return Marker(query, batch, fingerprint, 10, 1_700_000_000_000)


def attempt(batch: int = 5, **known: object) -> Attempt:
    return Attempt("q", batch, "fp", retention=7 * DAY, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "tried", "decision"),
    [
        (marker(4), attempt(), Decision.WRITE),
        # Batches without rows leave no marker.
        (marker(1), attempt(), Decision.WRITE),
        (marker(5), attempt(), Decision.SKIP),
        (None, attempt(0), Decision.WRITE),
        (None, attempt(), Decision.WRITE),
        (None, attempt(again=True, age=6 * DAY), Decision.WRITE),
        # The marker of 4 has expired; 5 is new, so it cannot have been written.
        (None, attempt(known=4, known_age=9 * DAY, age=1.0), Decision.WRITE),
        (None, attempt(known=4, known_age=9 * DAY, again=True, age=2 * DAY), Decision.WRITE),
    ],
)
def test_the_marker_decides_what_happens_to_a_batch(found: Marker | None, tried: Attempt, decision: Decision) -> None:
    assert decide(tried, found, "out") is decision


@pytest.mark.parametrize(
    ("found", "tried", "said"),
    [
        (marker(6), attempt(), "The state is older than the output: 'out' holds batch 6, and the job is at batch 5."),
        (marker(5, fingerprint="other"), attempt(), "holds batch 5 of other records"),
        (marker(4, query="another"), attempt(), "belongs to another state"),
        (None, attempt(known=4, known_age=60.0), "its marker is gone: the topic was deleted and created again"),
        (None, attempt(again=True, age=8 * DAY), "was begun 8.0 days ago"),
    ],
)
def test_a_marker_that_does_not_fit_is_refused_with_a_way_out(found: Marker | None, tried: Attempt, said: str) -> None:
    with pytest.raises(JobError) as error:
        decide(tried, found, "out")
    assert said in error.value.message
    assert "--fresh" in (error.value.hint or "")


@pytest.mark.parametrize("text", ["", "x", "{}", "[]", '{"q": 1}', "null"])
def test_metadata_of_others_are_refused(text: str) -> None:
    with pytest.raises(JobError, match="which is not Firesteel's"):
        parse_marker(text)
