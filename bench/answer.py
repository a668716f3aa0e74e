"""What stands in a topic, read back in blocks: an engine may have written millions of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

_BLOCK = 20_000
_SETTINGS = {
    "group.id": "bench-answer",
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    "isolation.level": "read_committed",
    # After a full queue librdkafka pauses for a second by itself.
    "fetch.queue.backoff.ms": 5,
}


def read_blocks(cluster: Mapping[str, str], topic: str) -> Iterator[list[Message]]:
    """All that is committed; in order within each partition."""
    consumer = Consumer({**cluster, **_SETTINGS})
    try:
        partitions = list(consumer.list_topics(topic, 10).topics[topic].partitions)
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
        ended = 0
        while ended < len(partitions):
            block = consumer.consume(_BLOCK, 0.1)
            records = []
            for message in block:
                error = message.error()
                if error is None:
                    records.append(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    ended += 1
                else:
                    raise KafkaException(error)
            if records:
                yield records
    finally:
        consumer.close()


def last_values(cluster: Mapping[str, str], topic: str) -> list[bytes]:
    """Of each key, unless it was deleted in the end."""
    last: dict[bytes | None, bytes | None] = {}
    for block in read_blocks(cluster, topic):
        last.update(zip(map(Message.key, block), map(Message.value, block), strict=True))
    return [value for value in last.values() if value is not None]
