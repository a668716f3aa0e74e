"""Where partitions stand: looking up the offsets at which reading starts and ends."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaException, TopicPartition

from firesteel.errors import JobError, OutsideError
from firesteel.options.position import (
    AtTimestamp,
    Bound,
    Earliest,
    GroupOffsets,
    Latest,
    Reset,
    SpecificOffsets,
    StartPosition,
    Unbounded,
)

#: One partition of one topic.
Partition = tuple[str, int]
#: The next offset to read, by partition.
Positions = dict[Partition, int]

_TIMEOUT = 15.0


@dataclass(frozen=True)
class Subscription:
    """A list of topics, or a pattern that the whole name must match."""

    topics: tuple[str, ...] = ()
    pattern: str | None = None

    def __str__(self) -> str:
        return self.pattern or ", ".join(self.topics)


def find_partitions(consumer: Consumer, subscription: Subscription) -> list[Partition]:
    """Every partition of the topics subscribed to. A topic that is listed has to exist; a pattern may match none."""
    try:
        metadata = consumer.list_topics(timeout=_TIMEOUT)
    except KafkaException as error:
        raise unreachable(error) from None
    if subscription.pattern is not None:
        matching = [name for name in metadata.topics if re.fullmatch(subscription.pattern, name)]
    else:
        missing = [name for name in subscription.topics if name not in metadata.topics]
        if missing:
            raise OutsideError(
                f"The topic '{missing[0]}' does not exist.", hint=f"Create it: firesteel topic create {missing[0]}"
            )
        matching = list(subscription.topics)
    return sorted((name, number) for name in matching for number in metadata.topics[name].partitions)


def find_start(consumer: Consumer, partitions: Iterable[Partition], start: StartPosition) -> Positions:
    """The offset each partition starts at when there is no checkpoint."""
    wanted = list(partitions)
    match start:
        case Earliest():
            return earliest(consumer, wanted)
        case Latest():
            return latest(consumer, wanted)
        case AtTimestamp(millis):
            return at_timestamp(consumer, wanted, millis)
        case GroupOffsets(group, reset):
            known = committed(consumer, wanted) if group else {}
            rest = [partition for partition in wanted if partition not in known]
            if not rest:
                return known
            if reset is Reset.NONE:
                topic, number = rest[0]
                raise JobError(
                    f"The group '{group}' has committed no offset for partition {number} of '{topic}', and"
                    " 'properties.auto.offset.reset' is 'none'.",
                    hint="Set it to 'earliest' or 'latest', or set 'scan.startup.mode'.",
                )
            return known | (latest(consumer, rest) if reset is Reset.LATEST else earliest(consumer, rest))
        case SpecificOffsets(offsets):
            given = {partition: offsets[partition[1]] for partition in wanted if partition[1] in offsets}
            return given | _committed_or_earliest(consumer, [one for one in wanted if one not in given])


def find_ends(consumer: Consumer, partitions: Iterable[Partition], bound: Bound) -> Positions | None:
    """The offset at which each partition ends, which is not read any more; None: it does not end."""
    wanted = list(partitions)
    match bound:
        case Unbounded():
            return None
        case Latest():
            return latest(consumer, wanted)
        case AtTimestamp(millis):
            return at_timestamp(consumer, wanted, millis)
        case GroupOffsets():
            return _committed_or_earliest(consumer, wanted)
        case SpecificOffsets(offsets):
            given = {partition: offsets[partition[1]] for partition in wanted if partition[1] in offsets}
            return given | _committed_or_earliest(consumer, [one for one in wanted if one not in given])


def earliest(consumer: Consumer, partitions: Iterable[Partition]) -> Positions:
    return _list_offsets(consumer, partitions, OFFSET_BEGINNING)


def latest(consumer: Consumer, partitions: Iterable[Partition]) -> Positions:
    return _list_offsets(consumer, partitions, OFFSET_END)


def at_timestamp(consumer: Consumer, partitions: Iterable[Partition], millis: int) -> Positions:
    """The first record that is not older; a partition that has none stands at its end."""
    wanted = list(partitions)
    found = _call(
        lambda: consumer.offsets_for_times([TopicPartition(*one, millis) for one in wanted], timeout=_TIMEOUT)
    )
    known = {(one.topic, one.partition): one.offset for one in found if one.offset >= 0}
    return known | latest(consumer, [one for one in wanted if one not in known])


def committed(consumer: Consumer, partitions: Iterable[Partition]) -> Positions:
    """What the consumer's group has committed; a partition for which it has not is left out."""
    found = _call(lambda: consumer.committed([TopicPartition(*one) for one in partitions], timeout=_TIMEOUT))
    return {(one.topic, one.partition): one.offset for one in found if one.offset >= 0}


def _committed_or_earliest(consumer: Consumer, partitions: list[Partition]) -> Positions:
    if not partitions:
        return {}
    known = committed(consumer, partitions)
    return known | earliest(consumer, [one for one in partitions if one not in known])


def _list_offsets(consumer: Consumer, partitions: Iterable[Partition], which: int) -> Positions:
    positions: Positions = {}
    for one in partitions:
        low, high = _call(
            lambda one=one: consumer.get_watermark_offsets(TopicPartition(*one), timeout=_TIMEOUT, cached=False)
        )
        positions[one] = low if which == OFFSET_BEGINNING else high
    return positions


def _call(request: Any) -> Any:
    try:
        return request()
    except KafkaException as error:
        raise unreachable(error) from None


def unreachable(error: KafkaException) -> OutsideError:
    """The sentence for a broker that does not answer or does not let us in."""
    reason = error.args[0].str() if error.args and hasattr(error.args[0], "str") else str(error)
    return OutsideError(
        f"Kafka does not answer: {reason}.", hint="Check 'properties.bootstrap.servers' and that the broker runs."
    )


def to_json(positions: Positions) -> dict[str, dict[str, int]]:
    """Positions as Spark keeps them in its offset log."""
    nested: dict[str, dict[str, int]] = {}
    for (topic, number), offset in sorted(positions.items()):
        nested.setdefault(topic, {})[str(number)] = offset
    return nested


def from_json(nested: dict[str, dict[str, int]]) -> Positions:
    return {(topic, int(number)): offset for topic, parts in nested.items() for number, offset in parts.items()}
