"""Writing messages, with every delivery checked before anybody may call them written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer

from firesteel.errors import JobError
from firesteel.kafka.outgoing import ANY_PARTITION, Headers, Outgoing

_FLUSH_SECONDS = 120.0
_GREETING = 2.0

#: Delivery reports are let in after that many messages.
_POLL_EVERY = 10_000

#: What a task may run ahead of the broker. Each message costs some 200 bytes on top of its own.
_MOST_WAITING = 100_000
_MOST_WAITING_BYTES = 64 * 1024 * 1024
#: Messages up to this size on average are handed over many at a time. Of those the queue must always have room for all: what is
#: refused in the middle of them would come after what follows it. So the queue holds more than ever waits in it.
_SMALL = _MOST_WAITING_BYTES // _MOST_WAITING
_QUEUE = {
    "queue.buffering.max.messages": 2 * _MOST_WAITING,
    "queue.buffering.max.kbytes": 4 * _MOST_WAITING_BYTES // 1024,
}


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
        **_QUEUE,
        # What is too large is the broker's to say: topics differ.
        "message.max.bytes": 64 * 1024 * 1024,
        **config,
        # A report for each success would cost more than the message; a flush that leaves nothing proves the rest.
        "delivery.report.only.error": True,
        "log_level": 2,
    }


class Writer:
    """Writes to one cluster, with a producer of its own; `settings` are all of its settings.

    `lossy`: messages that the broker does not take are lost, and nobody is told.
    """

    def __init__(self, settings: Mapping[str, object], *, lossy: bool = False) -> None:
        failed: list[KafkaError] = []

        def report(error: KafkaError | None, message: Any) -> None:
            if error is not None and not lossy:
                failed.append(error)

        self.producer = Producer({**settings, "on_delivery": report})
        self._failed = failed
        self._lossy = lossy
        self._topic = ""
        self._written = 0
        self._roomy = all(int(str(settings.get(name, least))) >= least for name, least in _QUEUE.items())

    def write_all(self, messages: Outgoing) -> None:
        """Hands a block of messages over, in their order."""
        topic = messages.topics
        if not self._topic and len(messages):
            self._topic = topic if isinstance(topic, str) else topic[0]
            greet(self.producer, self._topic)
        if not (isinstance(topic, str) and self._may_take(messages)):
            for message in messages.messages():
                self.write(*message)
            return
        self._topic = topic
        for portion in messages.portions(_POLL_EVERY, _MOST_WAITING_BYTES):
            self._make_room(len(portion))
            given = _as_dicts(portion)
            try:
                taken = self.producer.produce_batch(topic, given)
            except (KafkaException, BufferError) as error:
                raise self._refused(error) from None
            if taken != len(given):
                [first, *_] = [one["_error"] for one in given if "_error" in one]
                raise self._refused(KafkaException(first))
            self.poll()

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
        self._written += 1
        if self._written % _POLL_EVERY == 0:
            self._make_room(1)
            self.poll()
        while True:
            try:
                self.producer.produce(topic, value, key, partition, timestamp=timestamp, headers=headers)
                return
            except BufferError:
                self.producer.poll(0.1)
                self._check()
            except KafkaException as error:
                raise self._refused(error) from None

    def poll(self) -> None:
        """Lets delivery reports in."""
        self.producer.poll(0)
        self._check()

    def flush(self) -> None:
        """Returns when every message is on the broker; raises when one is not."""
        left = self.producer.flush(_FLUSH_SECONDS)
        self._check()
        if left and not self._lossy:
            raise JobError(
                f"{left} messages to '{self._topic}' were not acknowledged within {_FLUSH_SECONDS:.0f} s.",
                hint="Check the broker.",
            )

    def _may_take(self, messages: Outgoing) -> bool:
        """Whether the client may be given all of them at once: it knows keys and values then, and nothing else."""
        plain = messages.partitions is None and messages.headers is None and messages.timestamps is None
        return plain and self._roomy and messages.size <= len(messages) * _SMALL

    def _make_room(self, messages: int) -> None:
        while len(self.producer) + messages > _MOST_WAITING:
            self.producer.poll(0.05)
            self._check()

    def _refused(self, error: Exception) -> JobError:
        if isinstance(error, KafkaException):
            return _refusal(f"Writing to '{self._topic}' failed", error.args[0])
        return JobError(f"Writing to '{self._topic}' failed: {error}.")

    def _check(self) -> None:
        if self._failed:
            failed = list(self._failed)
            self._failed.clear()
            raise _refusal(f"{len(failed)} messages to '{self._topic}' were refused", failed[0])


def greet(producer: Producer, topic: str) -> None:
    """Waits until a broker is there. A producer that wants its number and knows no broker asks again half a second later.

    The first answer may come from the address of the settings, whose connection ends when the brokers' own addresses are known;
    the second comes from one of these.
    """
    with suppress(KafkaException):
        producer.list_topics(topic, _GREETING)
        producer.list_topics(topic, _GREETING)


_writers: dict[tuple[Any, ...], Writer] = {}


@contextmanager
def kept_writer(config: Mapping[str, str], *, lossy: bool = False) -> Iterator[Writer]:
    """A writer that is kept for the next who asks for it in this process, unless something went wrong with it."""
    key = make_ready(config, lossy=lossy)
    try:
        yield _writers[key]
    except BaseException:
        del _writers[key]
        raise


def make_ready(config: Mapping[str, str], *, lossy: bool = False) -> tuple[Any, ...]:
    """Makes the writer that will be kept, whose client then looks for its brokers; the key by which it is known."""
    key = (lossy, *sorted(config.items()))
    if key not in _writers:
        _writers[key] = Writer(writer_config(config), lossy=lossy)
    return key


def _as_dicts(messages: Outgoing) -> list[dict[str, Any]]:
    """As `produce_batch` takes them."""
    if messages.keys is None:
        return [{"value": value} for value in messages.values]
    return [{"value": value, "key": key} for value, key in zip(messages.values, messages.keys, strict=True)]


def _refusal(what: str, error: KafkaError) -> RefusedError:
    return RefusedError(f"{what}: {error.str().rstrip('.')}.", error)
