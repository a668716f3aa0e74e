"""Writing messages, with every delivery checked before anybody may call them written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer

from firesteel.errors import JobError

_FLUSH_SECONDS = 120.0

Headers = list[tuple[str, str | bytes | None]]

#: Let librdkafka chooses the partition: by the key's hash where there is a key.
ANY_PARTITION = -1

_producers: dict[tuple[tuple[str, str], ...], Producer] = {}


class RefusedError(JobError):
    """Messages that Kafka does not take."""

    def __init__(self, message: str, error: KafkaError) -> None:
        super().__init__(message)
        self.reason = error.str().rstrip(".")
        self.too_large = error.code() in (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_MSG_SIZE)


def writer_config(config: Mapping[str, str]) -> dict[str, object]:
    return {
        "acks": "all",
        "enable.idempotence": True,
        # Keys land where the Java client, and so Flink, puts them.
        "partitioner": "murmur2_random",
        "linger.ms": 20,
        "batch.size": 1024 * 1024,
        # What a task may run ahead of the broker, and so the memory it takes: each message costs some 200 bytes on top.
        "queue.buffering.max.messages": 200_000,
        "queue.buffering.max.kbytes": 64 * 1024,
        # What is too large is the broker's to say: topics differ.
        "message.max.bytes": 64 * 1024 * 1024,
        **config,
        # A report for each success would cost more than the message; a flush that leaves nothing proves the rest.
        "delivery.report.only.error": True,
        "log_level": 2,
    }


def _kept_producer(config: Mapping[str, str]) -> Producer:
    key = tuple(sorted(config.items()))
    if key not in _producers:
        _producers[key] = Producer(writer_config(config))
    return _producers[key]


class Writer:
    """Writes to one cluster. The producer behind it is kept for the life of the process, unless one is given.

    `lossy`: messages that the broker does not take are lost, and nobody is told.
    """

    def __init__(self, config: Mapping[str, str], producer: Producer | None = None, *, lossy: bool = False) -> None:
        self._producer = producer or _kept_producer(config)
        self._lossy = lossy
        self._failed: list[KafkaError] = []
        self._topic = ""

    def write(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        partition: int = ANY_PARTITION,
        headers: Headers | None = None,
        timestamp: int = 0,
    ) -> None:
        """Hands one message over; `timestamp` 0 lets the client set it."""
        self._topic = topic
        while True:
            try:
                self._producer.produce(
                    topic, value, key, partition, self._on_delivery, timestamp=timestamp, headers=headers
                )
                return
            except BufferError:
                self._producer.poll(0.1)
                self._check()
            except KafkaException as error:
                raise _refusal(f"Writing to '{topic}' failed", error.args[0]) from None

    def poll(self) -> None:
        """Lets delivery reports in."""
        self._producer.poll(0)
        self._check()

    def flush(self) -> None:
        """Returns when every message is on the broker; raises when one is not."""
        left = self._producer.flush(_FLUSH_SECONDS)
        self._check()
        if left and not self._lossy:
            raise JobError(
                f"{left} messages to '{self._topic}' were not acknowledged within {_FLUSH_SECONDS:.0f} s.",
                hint="Check the broker.",
            )

    def _on_delivery(self, error: KafkaError | None, message: Any) -> None:
        if error is not None and not self._lossy:
            self._failed.append(error)

    def _check(self) -> None:
        if self._failed:
            failed, self._failed = self._failed, []
            raise _refusal(f"{len(failed)} messages to '{self._topic}' were refused", failed[0])


def _refusal(what: str, error: KafkaError) -> RefusedError:
    return RefusedError(f"{what}: {error.str().rstrip('.')}.", error)
