"""Finds earlier transactions of a job whose state is gone, by the markers they left on the cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping

from confluent_kafka import Consumer, KafkaException

from firesteel.connectors.kafka.admin import group_names
from firesteel.connectors.kafka.transaction.marker import Marker
from firesteel.connectors.kafka.transaction.transaction import last_marker, transaction_id
from firesteel.errors import JobError

#: How Spark names a query.
_QUERY = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_PATIENCE = 10.0


def find_past(
    admin: Mapping[str, str], reader: Mapping[str, str], prefix: str, number: int, topic: str
) -> Marker | None:
    """Find the last marker that a job with these transactional ids wrote to the topic, if the client may read it."""
    ours = re.compile(transaction_id(re.escape(prefix), _QUERY, number))
    found = [_marker({**reader, "group.id": name}, topic) for name in group_names(admin) if ours.fullmatch(name)]
    return max((marker for marker in found if marker is not None), key=lambda marker: marker.millis, default=None)


def _marker(config: Mapping[str, str], topic: str) -> Marker | None:
    consumer = Consumer({**config, "enable.auto.commit": False})
    try:
        return last_marker(consumer, topic, _PATIENCE)
    except (KafkaException, JobError):
        # Without permission to read the marker, assume there was no earlier run.
        return None
    finally:
        consumer.close()
