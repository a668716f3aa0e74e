"""When the clock alone makes an operator of the state engine do something, on its way from the operators to the sources.

Spark runs a batch when a source has something new. Operators report with each batch when they have to be called next: the driver
writes the earliest time into a file beside the state, and a source that has nothing to read moves its offset when that time has
come. The two live in different processes, as with `Times` (`event_time.py`).
"""

from __future__ import annotations

import time
from typing import Any

from firesteel.storage.folder import Folder

_FILE = "wake"
#: What an offset has for the time at which its source was woken last.
WOKEN = "woken"


class Alarm:
    """The time to run a batch, in milliseconds since 1970. It holds an address and no connection.

    A job that ends with its input (`ends`) does not wait for the clock: it is woken when it goes on after a stop, and not again.
    """

    def __init__(self, folder: Folder, *, ends: bool) -> None:
        self._folder = folder
        self.ends = ends

    def set(self, wake: int | None) -> None:
        """Notes when a batch has to run at the latest; None: time alone changes nothing."""
        if wake != self.read():
            self._folder.write_text(_FILE, "" if wake is None else str(wake))

    def read(self) -> int | None:
        """Reads what was noted."""
        try:
            noted = self._folder.read_text(_FILE)
        except FileNotFoundError:
            return None
        return int(noted) if noted else None


class Sleeper:
    """Decides whether a source that has nothing to read runs a batch all the same. It belongs to one process."""

    def __init__(self, alarm: Alarm) -> None:
        self._alarm = alarm
        self._asked = False

    def next_offset(self, start: dict[str, Any], end: dict[str, Any]) -> dict[str, Any]:
        """Gives the offset behind `start`, where the source itself gives `end`: the same as `start` if there is nothing to read.

        A source that goes on after a stop is woken once: what was noted last may have been lost, or has passed by now.
        """
        first, self._asked = not self._asked, True
        before = int(start.get(WOKEN, 0))
        if end != start:
            return {**end, WOKEN: before}
        due = None if self._alarm.ends else self._alarm.read()
        if due is None or due > time.time() * 1000 or due <= before:
            if not first or start["sequence"] == 0:
                return start
            due = before
        return {**start, "sequence": start["sequence"] + 1, "begins": {}, WOKEN: due}
