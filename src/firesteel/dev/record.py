"""Reads and writes the records of a topic as bytes, for people who look into one or fill one by hand."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import cast

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from firesteel.connectors.kafka.admin import check_topics, describe_topics
from firesteel.errors import OutsideError

#: Settings of every client here, so that librdkafka prints nothing itself.
_QUIET: Mapping[str, object] = {"log_level": 0, "error_cb": lambda error: None}

#: The broker counts as lost after so many seconds without a message or an end of a partition.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Record:
    """A record. `timestamp` is in milliseconds, None if the record has none. A value of None is a tombstone."""

    partition: int
    offset: int
    timestamp: int | None
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


class Start(Enum):
    EARLIEST = "earliest"
    LATEST = "latest"


def read_records(
    client_config: Mapping[str, str],
    topic: str,
    *,
    start: Start = Start.EARLIEST,
    follow: bool = False,
    limit: int | None = None,
    partition: int | None = None,
) -> Iterator[Record]:
    """Reads the records up to the topic's present end, or for ever with `follow`; in order within each partition."""
    [described] = describe_topics(client_config, [topic])
    partitions = [p.index for p in described.partitions if partition is None or p.index == partition]
    if not partitions:
        raise OutsideError(
            f"Topic '{topic}' has no partition {partition}.",
            hint=f"It has {len(described.partitions)}, counted from 0.",
        )
    consumer = Consumer(
        {
            **client_config,
            **_QUIET,
            # The client needs a group although nothing is committed to it.
            "group.id": "firesteel-topic-read",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    try:
        offset = OFFSET_BEGINNING if start is Start.EARLIEST else OFFSET_END
        consumer.assign([TopicPartition(topic, index, offset) for index in partitions])
        yield from _taken(consumer, topic, set(partitions), follow, limit)
    finally:
        consumer.close()


def _taken(consumer: Consumer, topic: str, unread: set[int], follow: bool, limit: int | None) -> Iterator[Record]:
    count, last_message = 0, time.monotonic()
    while (follow or unread) and (limit is None or count < limit):
        message = consumer.poll(0.2)
        if message is None:
            if not follow and time.monotonic() - last_message > _PATIENCE:
                raise OutsideError(f"Topic '{topic}' fell silent: no broker answered for {_PATIENCE:.0f} s.")
            continue
        last_message = time.monotonic()
        error = message.error()
        if error is None:
            count += 1
            yield _record(message)
        elif error.code() == KafkaError._PARTITION_EOF:
            unread.discard(message.partition() or 0)
        elif error.fatal() or not error.retriable():
            raise OutsideError(f"Topic '{topic}' cannot be read: {error.str().rstrip('.')}.")


def _record(message: Message) -> Record:
    kind, milliseconds = message.timestamp()
    partition, offset = message.partition(), message.offset()
    assert partition is not None and offset is not None
    return Record(
        partition,
        offset,
        milliseconds if kind else None,
        _bytes(message.key()),
        _bytes(message.value()),
        tuple((name, _bytes(value)) for name, value in cast(list[tuple[str, bytes | None]], message.headers() or [])),
    )


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def write_records(
    client_config: Mapping[str, str], topic: str, records: Iterable[tuple[bytes | None, bytes | None]]
) -> int:
    """Writes these keys and values, each key to the partition that the Java client would choose. Returns their number.

    Returns when every one is acknowledged; raises `OutsideError` if one is not.
    """
    check_topics(client_config, [topic])
    refused: list[str] = []

    def reported(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            refused.append(error.str())

    # No `linger.ms`: a person may be typing these lines.
    producer = Producer({**client_config, **_QUIET, "partitioner": "murmur2_random"})
    count = 0
    for key, value in records:
        while True:
            try:
                producer.produce(topic, value, key, on_delivery=reported)
                break
            except BufferError:
                producer.poll(0.1)
            except KafkaException as error:
                producer.flush()
                raise OutsideError(
                    f"Record {count + 1} cannot be written to '{topic}': {error.args[0].str().rstrip('.')}.",
                    hint=f"The {count} before it are written.",
                ) from error
        count += 1
        producer.poll(0)
    producer.flush()
    if refused:
        raise OutsideError(f"Kafka refused {len(refused)} of {count} records for '{topic}': {refused[0].rstrip('.')}.")
    return count
