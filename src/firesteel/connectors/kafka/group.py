"""Commits a job's positions to its consumer groups, so that ordinary Kafka tools show its lag."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from confluent_kafka import KafkaException, TopicPartition

from firesteel.connectors.kafka.offset import Subscription
from firesteel.connectors.kafka.read.reader import consumer_for
from firesteel.connectors.position import Positions


@dataclass(frozen=True)
class GroupReader:
    """A reader of a group: the source `number` of a query, with the client's configuration."""

    query: str
    number: int
    config: Mapping[str, str]
    subscription: Subscription

    @property
    def group(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self.config.items()))

    def reads(self, topic: str) -> bool:
        if self.subscription.pattern is not None:
            return re.fullmatch(self.subscription.pattern, topic) is not None
        return topic in self.subscription.topics


class GroupPositions:
    """The positions of a job's groups. Where several sources read one partition with one group, the group has the lowest of
    their positions: the lag includes what any of them has not read.

    >>> one, two = (GroupReader(name, 0, {}, Subscription(("t",))) for name in "ab")
    >>> positions = GroupPositions([one, two])
    >>> positions.note(one, {("t", 0): 9})
    {}
    >>> positions.note(two, {("t", 0): 4}), positions.note(two, {("t", 0): 12})
    ({('t', 0): 4}, {('t', 0): 9})
    """

    def __init__(self, readers: list[GroupReader]) -> None:
        self._readers = readers
        self._positions: dict[tuple[str, int], Positions] = {}
        self._lock = threading.Lock()

    def is_alone(self, reader: GroupReader) -> bool:
        """Check that no other source of the job commits this group on the same topics."""
        return not any(
            other.group == reader.group and _overlap(other.subscription, reader.subscription)
            for other in self._readers
            if (other.query, other.number) != (reader.query, reader.number)
        )

    def note(self, reader: GroupReader, positions: Positions) -> Positions:
        """Note a reader's positions and return those that all readers of the group have reached."""
        with self._lock:
            self._positions[reader.query, reader.number] = positions
            found: Positions = {}
            for partition in positions:
                known = [self._position(other, partition) for other in self._readers if other.group == reader.group]
                offsets = [offset for offset in known if offset is not None]
                if offsets and min(offsets) >= 0:
                    found[partition] = min(offsets)
            return found

    def _position(self, reader: GroupReader, partition: tuple[str, int]) -> int | None:
        """Return a reader's position; None if it does not read that partition, -1 if it is not known yet."""
        if not reader.reads(partition[0]):
            return None
        return self._positions.get((reader.query, reader.number), {}).get(partition, -1)


def _overlap(one: Subscription, other: Subscription) -> bool:
    """Check whether two subscriptions may read the same topic. Two patterns always may."""
    for pattern, topics in ((one.pattern, other.topics), (other.pattern, one.topics)):
        if pattern is not None and any(re.fullmatch(pattern, topic) for topic in topics):
            return True
    return bool(one.pattern and other.pattern) or bool(set(one.topics) & set(other.topics))


def commit_positions(config: Mapping[str, str], positions: Positions) -> bool:
    """Commit the positions to the configuration's group. False: the commit failed, and the next one may succeed."""
    offsets = [TopicPartition(topic, number, offset) for (topic, number), offset in positions.items()]
    if not offsets:
        return True
    try:
        consumer_for(config).commit(offsets=offsets, asynchronous=False)
    except KafkaException:
        return False
    return True
