"""Telling a consumer group where a job stands, so that ordinary Kafka tools show its lag."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka import KafkaException, TopicPartition

from firesteel.kafka.position import Positions
from firesteel.kafka.reader import consumer_for


def commit_positions(config: Mapping[str, str], positions: Positions) -> bool:
    """Commits the positions to the configuration's group. False: the broker did not take them; the next try may."""
    offsets = [TopicPartition(topic, number, offset) for (topic, number), offset in positions.items()]
    try:
        consumer_for(config).commit(offsets=offsets, asynchronous=False)
    except KafkaException:
        return False
    return True
