"""Plans how far each batch reads: finds partitions and their ends, shares the limit, and notices what was lost."""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import Consumer

from firesteel.connectors.kafka.admin import describe_topics, topic_ids
from firesteel.connectors.kafka.offset import earliest, find_ends, find_partitions, find_start, latest
from firesteel.connectors.kafka.read.reader import START_OVER, consumer_for, lost_offset, rewound
from firesteel.connectors.kafka.start import Unbounded
from firesteel.connectors.position import Partition, Positions, from_json, to_json
from firesteel.errors import BrokerAwayError, JobError, OutsideError
from firesteel.spark.connector.kafka.read_spec import ReadSpec
from firesteel.spark.source.event_time import END_OF_TIME, EventClock
from firesteel.spark.source.kept import split_kept


class OffsetPlanner:
    """Plans the offsets of one source, on the driver. `latest` are the ends of its partitions, as far as they are known."""

    def __init__(self, spec: ReadSpec) -> None:
        self.latest: Positions = {}
        self._spec = spec
        self._input = spec.input
        self._clock = EventClock(spec.rows.number, spec.rows.event_time)
        self._last_discovery = 0.0
        self._checked = False

    @property
    def _consumer(self) -> Consumer:
        return consumer_for(self._input.config)

    @property
    def _is_bounded(self) -> bool:
        return not isinstance(self._input.bound, Unbounded)

    def first_offset(self) -> dict[str, Any]:
        """Finds where reading starts and, if it is bounded, where it ends."""
        partitions = find_partitions(self._consumer, self._input.subscription)
        kept, since, rest = split_kept(self._spec.rows.number, self._spec.kept, partitions)
        start = kept | earliest(self._consumer, since) | find_start(self._consumer, rest, self._input.start)
        ends = find_ends(self._consumer, partitions, self._input.bound)
        return {
            "source": self._spec.rows.number,
            "sequence": 0,
            "positions": to_json(start),
            "begins": {},
            "ends": None if ends is None else to_json(ends),
            "topics": self._topic_ids(start) | self._kept_ids({name for name, _ in kept}),
        }

    def _kept_ids(self, topics: set[str]) -> dict[str, str]:
        """Gives the ids that topics had when they were read before: one that was created again since is noticed by them."""
        return {name: found for one in self._spec.kept for name, found in one.ids.items() if name in topics}

    def next_offset(self, start: dict[str, Any]) -> dict[str, Any]:
        """Finds where the batch behind `start` ends; gives `start` back if there is nothing to read."""
        try:
            return self._next_offset(start)
        except BrokerAwayError:
            # Partitions that were found just now are looked for again.
            self._last_discovery = 0.0
            if self._is_bounded:
                # To a bounded query, nothing new would mean that everything has been read.
                raise
            return start

    def _next_offset(self, start: dict[str, Any]) -> dict[str, Any]:
        positions = from_json(start["positions"])
        topics = self._check_topics(start.get("topics", {}), positions)
        first = not self._checked
        ends = None if start["ends"] is None else from_json(start["ends"])
        # A bounded job that had reached its end and is started again: it goes on, up to where its bound is now.
        over = first and ends is not None and all(positions[one] >= ends.get(one, 0) for one in positions)
        begins = {} if self._is_bounded and not over else self._discover(positions)
        known = positions | begins
        self.latest = latest(self._consumer, known)
        self._check_lost(known)
        reachable = dict(self.latest)
        if over:
            ends = find_ends(self._consumer, known, self._input.bound)
            if start.get("mark") == END_OF_TIME:
                self._check_over(known, ends)
        if ends is not None:
            reachable = {one: min(offset, ends.get(one, 0)) for one, offset in reachable.items()}
        pace = self._spec.pace
        target = share(known, reachable, pace.first_rows if first else pace.max_rows)
        moved = self._clock.advance(start, target, ends, self.latest, first=first)
        if moved is None:
            return start
        return {
            "source": self._spec.rows.number,
            "sequence": start["sequence"] + 1,
            "positions": to_json(target),
            "begins": to_json(begins),
            "ends": None if ends is None else to_json(ends),
            "topics": topics if begins.keys() <= positions.keys() else self._topic_ids(known),
            **moved,
        }

    def _check_over(self, positions: Positions, ends: Positions | None) -> None:
        """Raises if there is more to read: when the last window has been closed, there is nothing to go on with."""
        if ends is None or any(ends.get(one, 0) > position for one, position in positions.items()):
            raise JobError(
                f"The job had read '{self._spec.rows.table}' to its end and closed all windows: the rows that came since"
                " would all be late.",
                hint="Start over with --fresh.",
            )

    def _discover(self, known: Positions) -> Positions:
        """Finds new partitions. They are read from their beginning: nothing may be lost between their birth and our look."""
        now = time.monotonic()
        interval = self._spec.pace.discovery_seconds
        if self._last_discovery and (interval <= 0 or now - self._last_discovery < interval):
            return {}
        self._last_discovery = now
        found = [one for one in find_partitions(self._consumer, self._input.subscription) if one not in known]
        return earliest(self._consumer, found) if found else {}

    def _topic_ids(self, positions: Positions) -> dict[str, str]:
        return topic_ids(self._input.config, {topic for topic, _ in positions})

    def _check_topics(self, known: dict[str, str], positions: Positions) -> dict[str, str]:
        """Raises if a topic was created again: it may have as many records as the old one had, and only its id tells them apart."""
        if self._checked:
            return known
        now = self._topic_ids(positions)
        for topic, before in known.items():
            if now.get(topic, before) != before:
                raise JobError(
                    f"The topic '{topic}' was deleted and created again since the job read it.", hint=START_OVER
                )
        return now

    def _high(self, partition: Partition) -> int:
        """Finds the end of a partition, transactions that are still open included."""
        try:
            [topic] = describe_topics(self._input.config, [partition[0]])
        except OutsideError as error:
            # Its leader may be away, as far as this question can tell.
            raise BrokerAwayError(error.message, hint=error.hint) from None
        return next(one.high for one in topic.partitions if one.index == partition[1])

    def _check_lost(self, positions: Positions) -> None:
        """Raises if unread records were deleted. Later deletions are found by `read_range`."""
        for one, position in positions.items():
            if self.latest[one] < position:
                end = self._high(one)
                # Between what is committed and what is there, when 'isolation.level' was another one before.
                if end < position:
                    raise rewound(*one, position, end)
        if self._checked:
            return
        self._checked = True
        for one, low in earliest(self._consumer, positions).items():
            if positions[one] < low:
                raise lost_offset(*one, positions[one], low)


def share(positions: Positions, reachable: Positions, most: int) -> Positions:
    """Decides where each partition ends in the next batch: what there is, or a fair share of the limit.

    >>> share({("t", 0): 0, ("t", 1): 10}, {("t", 0): 300, ("t", 1): 110}, 40)
    {('t', 0): 30, ('t', 1): 20}
    """
    waiting = {one: max(0, reachable[one] - position) for one, position in positions.items()}
    total = sum(waiting.values())
    if total <= most:
        return {one: position + waiting[one] for one, position in positions.items()}
    return {
        one: position + min(waiting[one], max(1, waiting[one] * most // total)) if waiting[one] else position
        for one, position in positions.items()
    }
