"""Reads offset ranges of partitions. One consumer per process is kept and used again: a fresh one costs tens of milliseconds."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from firesteel.connectors.kafka.passing import away, is_passing
from firesteel.errors import BrokerAwayError, FiresteelError, JobError, OutsideError

#: How many messages are decoded at a time.
BLOCK = 20_000

#: How long a range may give no message before the task fails and Spark starts it again.
_STALLED_SECONDS = 120.0

#: How long a block waits to be full. A range that ends in a transaction's marker has fewer messages than offsets, and
#: waits in vain for the rest.
_BLOCK_SECONDS = 0.05

START_OVER = "Start over with --fresh; 'scan.startup.mode' says where."

#: Has one entry once this process's lasting objects are frozen (`gc.freeze`).
_settled: list[bool] = []
_consumers: dict[tuple[tuple[str, str], ...], Consumer] = {}


def consumer_for(config: Mapping[str, str]) -> Consumer:
    """Return this process's consumer for that configuration."""
    key = tuple(sorted(config.items()))
    if key not in _consumers:
        _consumers[key] = Consumer(reader_config(config))
    return _consumers[key]


def reader_config(config: Mapping[str, str]) -> dict[str, object]:
    return {
        # Java's default, which is Flink's; librdkafka's own is read_committed.
        "isolation.level": "read_uncommitted",
        # The range is already written, so do not wait for more data at its end.
        "fetch.wait.max.ms": 10,
        "fetch.message.max.bytes": 8 * 1024 * 1024,
        "queued.max.messages.kbytes": 64 * 1024,
        # After a full queue librdkafka pauses for a second by itself: a range of a few 100,000 rows would mostly wait.
        "fetch.queue.backoff.ms": 5,
        **config,
        # Spark keeps the offsets, and a lost one has to be reported, not skipped.
        "group.id": config.get("group.id", "firesteel"),
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "error",
        "enable.partition.eof": True,
        "log_level": 2,
    }


class Stretch(Protocol):
    """An offset range, from `start` up to `end`, exclusive."""

    @property
    def topic(self) -> str: ...
    @property
    def partition(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def read_stretches(config: Mapping[str, str], stretches: Sequence[Stretch]) -> Iterator[Iterable[list[Message]]]:
    """Read the blocks of each range, in turn. Short ranges are read together: a consumer that turns to another partition needs some
    milliseconds for it.
    """
    for together in _together(stretches):
        if len(together) == 1:
            [one] = together
            yield read_range(config, one.topic, one.partition, one.start, one.end)
        else:
            yield from _read_together(config, together)


def _together(stretches: Sequence[Stretch]) -> Iterator[list[Stretch]]:
    """Group neighbouring ranges that make up one block at most."""
    group: list[Stretch] = []
    length = 0
    for one in stretches:
        more = one.end - one.start
        if group and length + more > BLOCK:
            yield group
            group, length = [], 0
        group.append(one)
        length += more
    if group:
        yield group


def _read_together(config: Mapping[str, str], stretches: Sequence[Stretch]) -> Iterator[Iterable[list[Message]]]:
    found: dict[tuple[str, int], list[Message]] = {(one.topic, one.partition): [] for one in stretches}
    ends = {(one.topic, one.partition): one.end for one in stretches}
    positions = {(one.topic, one.partition): one.start for one in stretches}
    consumer = consumer_for(config)
    consumer.assign([TopicPartition(topic, number, start) for (topic, number), start in positions.items()])
    _rest_collector()
    try:
        reached, last_seen = sum(positions.values()), time.monotonic()
        while waiting := [place for place, position in positions.items() if position < ends[place]]:
            left = sum(ends[place] - positions[place] for place in waiting)
            for message in consumer.consume(left, timeout=_BLOCK_SECONDS):
                place, offset = (message.topic() or "", message.partition() or 0), message.offset() or 0
                error = message.error()
                if error is None:
                    if offset < ends[place]:
                        found[place].append(message)
                    positions[place] = offset + 1
                elif error.code() == KafkaError._PARTITION_EOF:
                    positions[place] = max(positions[place], offset)
                elif not is_passing(error):
                    # An error of the client as a whole has no partition.
                    where = place if place in ends else waiting[0]
                    raise _read_error(consumer, error, *where, positions[where])
            # Broker errors are not progress and do not reset the stall timer.
            if sum(positions.values()) > reached:
                reached, last_seen = sum(positions.values()), time.monotonic()
            elif time.monotonic() - last_seen > _STALLED_SECONDS:
                place = waiting[0]
                raise _stalled(*place, positions[place], ends[place])
    finally:
        gc.enable()
        consumer.unassign()
    yield from ([block] if block else [] for block in found.values())


def read_range(config: Mapping[str, str], topic: str, partition: int, start: int, end: int) -> Iterator[list[Message]]:
    """Read the messages from `start` up to `end`, exclusive, in blocks."""
    consumer = consumer_for(config)
    consumer.assign([TopicPartition(topic, partition, start)])
    _rest_collector()
    try:
        position, last_seen = start, time.monotonic()
        while position < end:
            # `consume` waits for as many as it is asked for: never more than are left.
            messages = consumer.consume(min(BLOCK, end - position), timeout=_BLOCK_SECONDS)
            block: list[Message] = []
            if _is_plain(messages, end):
                # The usual case; otherwise messages are checked one by one.
                block, messages = messages, block
                position = (block[-1].offset() or 0) + 1
            for message in messages:
                error, offset = message.error(), message.offset() or 0
                if error is None:
                    if offset >= end:
                        position = end
                        break
                    block.append(message)
                    position = offset + 1
                elif error.code() == KafkaError._PARTITION_EOF:
                    # Offsets between the last message and the end are transaction markers or compacted records.
                    position = max(position, offset)
                elif not is_passing(error):
                    raise _read_error(consumer, error, topic, partition, position)
            if block:
                last_seen = time.monotonic()
                yield block
            elif time.monotonic() - last_seen > _STALLED_SECONDS:
                raise _stalled(topic, partition, position, end)
    finally:
        gc.enable()
        consumer.unassign()


def _is_plain(messages: list[Message], end: int) -> bool:
    """Check that there are only messages, all of them before `end`."""
    return bool(messages) and not any(map(Message.error, messages)) and (messages[-1].offset() or 0) < end


def _rest_collector() -> None:
    """Pause GC while a range is read.

    Every 20,000 messages it would look at all of them, and at everything that was ever imported: two fifths of the
    worker's time. Nothing on this path makes cycles. Imported objects are frozen for good, so that the collection that
    Spark runs after each task is short too.
    """
    if not _settled:
        gc.collect()
        gc.freeze()
        _settled.append(True)
    gc.disable()


def _stalled(topic: str, partition: int, position: int, end: int) -> BrokerAwayError:
    return away(
        f"partition {partition} of '{topic}' gave nothing for {_STALLED_SECONDS:.0f} s at offset {position}, and should"
        f" reach {end}"
    )


def _read_error(consumer: Consumer, error: KafkaError, topic: str, partition: int, position: int) -> FiresteelError:
    match error.code():
        case KafkaError._AUTO_OFFSET_RESET | KafkaError.OFFSET_OUT_OF_RANGE:
            place = TopicPartition(topic, partition)
            low, high = consumer.get_watermark_offsets(place, timeout=10.0) or (None, None)
            if high is not None and high < position:
                return rewound(topic, partition, position, high)
            return lost_offset(topic, partition, position, low)
        case KafkaError._AUTHENTICATION | KafkaError.TOPIC_AUTHORIZATION_FAILED | KafkaError._SSL:
            return OutsideError(f"Kafka does not let the job read '{topic}': {error.str()}.")
        case _:
            return JobError(f"Reading partition {partition} of '{topic}' at offset {position} failed: {error.str()}.")


def rewound(topic: str, partition: int, position: int, end: int) -> JobError:
    """Make the error for a topic that has fewer records than were read."""
    return JobError(
        f"Partition {partition} of '{topic}' is to be read from offset {position}, and it ends at {end}: the topic was"
        " deleted and created again.",
        hint=START_OVER,
    )


def lost_offset(topic: str, partition: int, position: int, low: int | None) -> JobError:
    """Make the error for records that were deleted before they were read."""
    now = f"it starts at {low} now" if low is not None else "it starts later now"
    return JobError(
        f"Partition {partition} of '{topic}' is to be read from offset {position}, and {now}: older records were deleted.",
        hint=START_OVER,
    )
