"""Gathered changes: what `sink.buffer-flush.max-rows` holds back and lets go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel.spark.connector.kafka.last_change import last_changes


@dataclass(frozen=True)
class Change:
    key: bytes
    value: bytes | None
    topic: str = "t"


def test_nothing_goes_before_the_keys_are_as_many_as_asked_for() -> None:
    """Three keys of four changes wait, a fourth lets all of them go, each with its last change."""
    given = 0

    def changes() -> Iterator[Change]:
        nonlocal given
        for key, value in ((b"1001", b"a"), (b"1002", b"b"), (b"1004", b"c"), (b"1004", b"d"), (b"1005", None)):
            given += 1
            yield Change(key, value)
        raise AssertionError("the four were not let go before the next change was asked for")

    gathered = last_changes(changes(), 4)
    first = next(gathered)
    assert given == 5
    assert [first, *(next(gathered) for _ in range(3))] == [
        Change(b"1001", b"a"),
        Change(b"1002", b"b"),
        Change(b"1004", b"d"),
        Change(b"1005", None),
    ]
