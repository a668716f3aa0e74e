"""Keeps the last change of each key, out of many: what `sink.buffer-flush.*` leaves of a task's messages.

>>> from collections import namedtuple
>>> Change = namedtuple("Change", "topic key value")
>>> changes = [Change("t", b"a", b"1"), Change("t", b"b", b"1"), Change("t", b"a", None), Change("t", b"c", b"1")]
>>> [(change.key, change.value) for change in last_changes(iter(changes), 3)]
[(b'b', b'1'), (b'a', None), (b'c', b'1')]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar


class Keyed(Protocol):
    @property
    def topic(self) -> str: ...

    @property
    def key(self) -> bytes | None: ...


M = TypeVar("M", bound=Keyed)


def last_changes(messages: Iterator[M], most: int) -> Iterator[M]:
    """Gathers messages until they have `most` keys; of each key the last one goes on. The rest goes on at the end."""
    kept: dict[tuple[str, bytes | None], M] = {}
    for message in messages:
        place = (message.topic, message.key)
        # Taken out first, so that the messages keep the order of their last changes.
        kept.pop(place, None)
        kept[place] = message
        if len(kept) >= most:
            yield from kept.values()
            kept.clear()
    yield from kept.values()
