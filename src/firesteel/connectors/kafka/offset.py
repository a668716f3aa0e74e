"""Looks up the offsets at which reading starts and ends."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException, TopicPartition

from firesteel.connectors.kafka.passing import PATIENCE, REQUEST_SECONDS, ask, away, error_of, is_passing, reason_of
from firesteel.connectors.kafka.start import (
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
from firesteel.connectors.position import Partition, Positions
from firesteel.errors import JobError, OutsideError

T = TypeVar("T")

#: How long a partition may be unknown: brokers that have just started, or a topic that has just been made, need a moment.
_UNKNOWN_SECONDS = 20.0

_UNKNOWN = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC)


@dataclass(frozen=True)
class Subscription:
    """A list of topics, or a pattern that the whole name must match."""

    topics: tuple[str, ...] = ()
    pattern: str | None = None

    def __str__(self) -> str:
        return self.pattern or ", ".join(self.topics)


def find_partitions(consumer: Consumer, subscription: Subscription) -> list[Partition]:
    """List every partition of the topics subscribed to. A topic that is listed has to exist; a pattern may match none."""
    started = time.monotonic()
    while True:
        metadata = _ask(lambda: consumer.list_topics(timeout=REQUEST_SECONDS))
        if subscription.pattern is not None:
            matching = [name for name in metadata.topics if re.fullmatch(subscription.pattern, name)]
            break
        matching = list(subscription.topics)
        missing = [name for name in matching if name not in metadata.topics]
        if not missing:
            break
        # A broker that has just started may not know all topics yet.
        if time.monotonic() - started > _UNKNOWN_SECONDS:
            raise OutsideError(
                f"The topic '{missing[0]}' does not exist.", hint=f"Create it: firesteel topic create {missing[0]}"
            )
        time.sleep(0.1)
    return sorted((name, number) for name in matching for number in metadata.topics[name].partitions)


def find_start(consumer: Consumer, partitions: Iterable[Partition], start: StartPosition) -> Positions:
    """Look up the offset each partition starts at when there is no checkpoint."""
    wanted = list(partitions)
    match start:
        case Earliest():
            return earliest(consumer, wanted)
        case Latest():
            return latest(consumer, wanted)
        case AtTimestamp(millis):
            return at_timestamp(consumer, wanted, millis)
        case GroupOffsets(group, reset):
            known = _within(consumer, committed(consumer, wanted)) if group else {}
            rest = [partition for partition in wanted if partition not in known]
            if not rest:
                return known
            if reset is Reset.NONE:
                topic, number = rest[0]
                raise JobError(
                    f"The group '{group}' has committed no offset that is still there for partition {number} of"
                    f" '{topic}', and 'properties.auto.offset.reset' is 'none'.",
                    hint="Set it to 'earliest' or 'latest', or set 'scan.startup.mode'.",
                )
            return known | (latest(consumer, rest) if reset is Reset.LATEST else earliest(consumer, rest))
        case SpecificOffsets(offsets):
            given = {partition: offsets[partition[1]] for partition in wanted if partition[1] in offsets}
            there = _within(consumer, given)
            # As in Flink: a record that is not there cannot be the first, so the first one is that is.
            gone = [one for one in given if one not in there]
            unlisted = [one for one in wanted if one not in given]
            return there | earliest(consumer, gone) | _committed_or_earliest(consumer, unlisted)


def find_ends(consumer: Consumer, partitions: Iterable[Partition], bound: Bound) -> Positions | None:
    """Look up the end of each partition, exclusive; None: the source is not bounded."""
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
    return _look_up(consumer, partitions, OFFSET_BEGINNING)


def latest(consumer: Consumer, partitions: Iterable[Partition]) -> Positions:
    return _look_up(consumer, partitions, OFFSET_END)


def at_timestamp(consumer: Consumer, partitions: Iterable[Partition], millis: int) -> Positions:
    """Look up the first record that is not older; a partition without one gives its end."""
    wanted = list(partitions)
    known = {one: offset for one, offset in _look_up(consumer, wanted, millis).items() if offset >= 0}
    return known | latest(consumer, [one for one in wanted if one not in known])


def committed(consumer: Consumer, partitions: Iterable[Partition]) -> Positions:
    """Look up the offsets that the consumer's group has committed; partitions without one are left out."""
    wanted = [TopicPartition(*one) for one in partitions]
    found = _ask(lambda: consumer.committed(wanted, timeout=REQUEST_SECONDS))
    return {(one.topic, one.partition): one.offset for one in found if one.offset >= 0}


def _committed_or_earliest(consumer: Consumer, partitions: list[Partition]) -> Positions:
    if not partitions:
        return {}
    known = committed(consumer, partitions)
    return known | earliest(consumer, [one for one in partitions if one not in known])


def _within(consumer: Consumer, positions: Positions) -> Positions:
    """Keep the positions that a reader can start at."""
    low, high = earliest(consumer, positions), latest(consumer, positions)
    return {one: offset for one, offset in positions.items() if low[one] <= offset <= high[one]}


def _look_up(consumer: Consumer, partitions: Iterable[Partition], moment: int) -> Positions:
    """Look up the offset of each partition at a moment: a time in milliseconds, or one of Kafka's two signs for first and last.

    One question for all partitions of a broker, where the client's own watermarks would be one for each.
    """
    wanted = list(partitions)
    found: Positions = {}
    started = time.monotonic()
    while wanted:
        places = [TopicPartition(*one, moment) for one in wanted]
        answers: list[TopicPartition] = []
        trouble: KafkaError | None = None
        try:
            answers = ask(partial(consumer.offsets_for_times, places, timeout=REQUEST_SECONDS))
        except KafkaException as error:
            # An error that all partitions share is reported once.
            trouble = error_of(error)
            if not _is_unknown(trouble):
                raise unreachable(error) from None
        for answer in answers:
            if answer.error is None:
                found[answer.topic, answer.partition] = answer.offset
            elif _is_unknown(answer.error) or is_passing(answer.error):
                trouble = answer.error
            else:
                raise unreachable(KafkaException(answer.error))
        wanted = [one for one in wanted if one not in found]
        if wanted:
            _check_there(consumer, wanted[0], trouble, time.monotonic() - started)
            time.sleep(0.1)
    return found


def _check_there(consumer: Consumer, partition: Partition, trouble: KafkaError | None, waited: float) -> None:
    """Check that a partition whose request failed still exists. This also refreshes the client's metadata, which may come
    from a broker that had just started.
    """
    topic, number = partition
    listed = _ask(lambda: consumer.list_topics(topic, timeout=REQUEST_SECONDS)).topics.get(topic)
    if listed is None or number not in listed.partitions:
        if waited > _UNKNOWN_SECONDS:
            raise _gone(partition)
    elif waited > PATIENCE:
        raise away(f"partition {number} of '{topic}': {trouble.str() if trouble is not None else 'no answer'}")


def _is_unknown(error: KafkaError | None) -> bool:
    return error is not None and error.code() in _UNKNOWN


def _ask(request: Callable[[], T]) -> T:
    try:
        return ask(request)
    except KafkaException as error:
        raise unreachable(error) from None


def _gone(partition: Partition) -> OutsideError:
    topic, number = partition
    return OutsideError(
        f"Partition {number} of the topic '{topic}' does not exist any more.",
        hint="If the topic was deleted on purpose, create it again and start over with --fresh.",
    )


def unreachable(error: KafkaException) -> OutsideError:
    """Make the error for a broker that does not answer or refuses the login."""
    return OutsideError(
        f"Kafka does not answer: {reason_of(error)}.",
        hint="Check 'properties.bootstrap.servers' and that the broker runs.",
    )
