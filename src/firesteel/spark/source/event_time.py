"""Moves event time: the source decides how far, and says so with a row that carries the time and nothing else.

Spark's watermark follows the greatest time it sees, over all partitions; Flink's waits for the slowest partition. So Spark is
shown watermark rows only, and the source, which knows its partitions, decides them: `mark` in its offset is the event time that
every partition has reached, or the end of time when a bounded source has been read to its end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from firesteel.changelog.hidden import SLOT, WATERMARK
from firesteel.connectors.position import Partition, Positions, from_json, to_json
from firesteel.storage.folder import Folder

#: Later than any window: beyond the year 160,000, and far enough from the end of Spark's own time.
END_OF_TIME = 5_000_000_000_000_000


@dataclass(frozen=True)
class EventTime:
    """How the event time of a source moves. `channels` are the partitions that are told apart, `folder` holds what the batches
    have seen (`Times`), and a partition without records for `idle_seconds` holds nobody back; 0: it always does.
    """

    channels: tuple[Partition, ...]
    folder: Folder
    idle_seconds: float = 0.0

    def channel_of(self, partition: Partition) -> int:
        """Finds the channel of a partition. One that came later shares a channel: the one that is ahead then speaks for both."""
        return self.channels.index(partition) if partition in self.channels else partition[1] % len(self.channels)


def emits_mark(start: Mapping[str, Any] | None, end: Mapping[str, Any]) -> bool:
    """Checks whether the batch between these two offsets has a watermark row."""
    mark, before = end.get("mark"), start or {}
    return mark is not None and (mark != before.get("mark") or end["positions"] == before.get("positions"))


def event_time_columns(channel: int | None, mark: int | None, rows: int) -> dict[str, pa.Array]:
    """Makes the columns that say which channel rows belong to, and which watermark held when they were read."""
    if channel is None:
        return {}
    return {
        SLOT: pa.repeat(pa.scalar(channel, pa.int32()), rows),
        WATERMARK: pa.repeat(pa.scalar(mark, pa.int64()), rows),
    }


class Times:
    """The greatest event time of each channel's partition, on its way from a batch to the source.

    The two live in different processes of the driver's machine and share a file, beside the state: a partition whose rows
    have all been read still has its time after a restart. The source only ever learns of times that have been read, so
    what it reads may be old, and is never wrong.
    """

    def __init__(self, folder: Folder, number: int, channels: tuple[Partition, ...]) -> None:
        """Reads what is known. `number` is that of the source."""
        self._folder = folder
        self._file = f"{number}.json"
        self._channels = channels
        self._known = self.read()

    def note(self, found: Mapping[int, int | None]) -> None:
        """Adds what a batch has seen, by the number of the channel."""
        known = dict(self._known)
        for number, moment in found.items():
            if moment is not None:
                partition = self._channels[number]
                known[partition] = max(moment, known.get(partition, moment))
        if known != self._known:
            self._known = known
            self._folder.write_text(self._file, json.dumps(to_json(known)))

    def read(self) -> Positions:
        """Reads what has been noted."""
        try:
            return from_json(json.loads(self._folder.read(self._file)))
        except FileNotFoundError:
            return {}


class EventClock:
    """Decides what a batch adds to the offset of its source: nothing, or the event times and the mark made of them."""

    def __init__(self, number: int, event_time: EventTime | None) -> None:
        """Takes the `number` of the source; without `event_time` nobody waits for it."""
        self._number = number
        self._event_time = event_time
        #: When each partition last had something to read.
        self._moved: dict[Partition, float] = {}

    def advance(
        self, start: Mapping[str, Any], target: Positions, ends: Positions | None, latest: Positions, *, first: bool
    ) -> dict[str, Any] | None:
        """Gives `times` and `mark` of the offset that follows `start` and reads up to `target`; None: no batch is needed.

        `latest` are the ends of the partitions now. `first`: the source has just been started.
        """
        has_rows = target != from_json(start["positions"])
        if self._event_time is None:
            return {} if has_rows else None
        moved = self._move(self._event_time, start, target, ends, latest)
        # The last mark is given again after a start: the job may have died before it closed the windows.
        again = first and moved["mark"] is not None
        return moved if has_rows or again or moved["mark"] != start.get("mark") else None

    def _move(
        self,
        event_time: EventTime,
        start: Mapping[str, Any],
        target: Positions,
        ends: Positions | None,
        latest: Positions,
    ) -> dict[str, Any]:
        """Makes the `times` of the partitions, and the `mark` that they have all reached: the least of them.

        A partition that has been read to its bound waits for nobody, and none waits for one that is idle.
        """
        times = from_json(start.get("times") or {})
        seen = Times(event_time.folder, self._number, event_time.channels).read()
        for one in target:
            speaker = event_time.channels[event_time.channel_of(one)]
            if speaker in seen:
                times[one] = max(seen[speaker], times.get(one, seen[speaker]))
        mark = start.get("mark")
        waiting = [one for one in target if ends is None or target[one] < ends.get(one, 0)]
        if ends is not None and not waiting:
            mark = END_OF_TIME
        else:
            before = from_json(start["positions"])
            awake = []
            for one in waiting:
                has_rows = before.get(one) != target[one] or latest.get(one, target[one]) > target[one]
                if not self._is_idle(one, event_time.idle_seconds, has_rows):
                    awake.append(one)
            known = [one for one in (mark, _reached(times, awake)) if one is not None]
            mark = max(known, default=None)
        return {"times": to_json(times), "mark": mark}

    def _is_idle(self, partition: Partition, idle_seconds: float, has_rows: bool) -> bool:
        now = time.monotonic()
        if has_rows or partition not in self._moved:
            self._moved[partition] = now
        return 0 < idle_seconds <= now - self._moved[partition]


def _reached(times: Positions, awake: list[Partition]) -> int | None:
    """Finds the event time that every partition has reached; where all are idle, the furthest is the last that was awake."""
    if not awake:
        return max(times.values(), default=None)
    return min(times[one] for one in awake) if all(one in times for one in awake) else None
