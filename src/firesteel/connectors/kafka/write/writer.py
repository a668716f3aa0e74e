"""Writes messages and checks every delivery before they count as written."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer

from firesteel.connectors.kafka.passing import away, is_passing
from firesteel.connectors.kafka.write.outgoing import ANY_PARTITION, Headers, Outgoing
from firesteel.errors import FiresteelError, JobError

#: How often delivery failures are checked while waiting for messages.
_FLUSH_STEP = 0.5
#: How long to wait for messages that may be lost.
_LOSSY_SECONDS = 120.0
_GREETING = 2.0

_BATCH_BYTES = 1024 * 1024

#: How much of a key an error message shows.
_SHOWN_KEY = 60

#: After how many messages delivery reports are processed.
_POLL_EVERY = 10_000

#: How far a task may run ahead of the broker. Each message costs some 200 bytes on top of its own.
_MOST_WAITING = 100_000
_MOST_WAITING_BYTES = 64 * 1024 * 1024
#: Messages up to this size on average are handed over many at a time. Of those the queue must always have room for all: what is
#: refused in the middle of them would come after what follows it. So the queue holds more than ever waits in it.
_SMALL = _MOST_WAITING_BYTES // _MOST_WAITING
_QUEUE = {
    "queue.buffering.max.messages": 2 * _MOST_WAITING,
    "queue.buffering.max.kbytes": 4 * _MOST_WAITING_BYTES // 1024,
}


#: Errors that no retry can mend.
_TOO_LARGE = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_MSG_SIZE, KafkaError.RECORD_LIST_TOO_LARGE)
_FINAL = (
    *_TOO_LARGE,
    KafkaError.INVALID_RECORD,
    KafkaError.POLICY_VIOLATION,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
)


class RefusedError(JobError):
    """Kafka refuses messages. `is_final`: a retry would be refused too."""

    def __init__(self, message: str, error: KafkaError, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason = error.str().rstrip(".")
        self.too_large = error.code() in _TOO_LARGE
        self.is_final = error.code() in _FINAL


def writer_config(config: Mapping[str, str]) -> dict[str, object]:
    return {
        "acks": "all",
        "enable.idempotence": True,
        # Keys land where the Java client, and so Flink, puts them.
        "partitioner": "murmur2_random",
        "linger.ms": 20,
        "batch.size": _BATCH_BYTES,
        **_QUEUE,
        # The broker decides what is too large: topics differ.
        "message.max.bytes": 64 * 1024 * 1024,
        # Wait for a broker that is away, however long it takes.
        "message.timeout.ms": 0,
        **config,
        # A report for each success would cost more than the message; a flush that leaves nothing proves the rest.
        "delivery.report.only.error": True,
        "log_level": 2,
    }


def fit_batches(config: Mapping[str, str], most_bytes: int | None) -> dict[str, str]:
    """Limit the size of batches to what the topic accepts for a message, and so for a batch: librdkafka does not
    divide one that is refused, as the Java client does.

    >>> fit_batches({"acks": "all"}, 50_000), fit_batches({}, None)
    ({'acks': 'all', 'batch.size': '50000'}, {})
    """
    if most_bytes is None or most_bytes >= _BATCH_BYTES or "batch.size" in config:
        return dict(config)
    return {**config, "batch.size": str(max(1, most_bytes))}


class Writer:
    """Writes to one cluster, with a producer of its own; `settings` are all of its settings.

    `lossy`: messages that the broker refuses are lost without an error.
    """

    def __init__(self, settings: Mapping[str, object], *, lossy: bool = False) -> None:
        failed: list[_Failure] = []
        heard: list[float] = []

        def report(error: KafkaError | None, message: Any) -> None:
            if error is not None and not lossy:
                failed.append(_Failure(error, message.topic(), message.key(), len(message)))

        def hear(error: KafkaError) -> None:
            if is_passing(error):
                heard[:] = [time.monotonic()]

        self.producer = Producer({**settings, "on_delivery": report, "error_cb": hear})
        self._failed = failed
        self._heard = heard
        self._lossy = lossy
        self._topic = ""
        self._written = 0
        self._roomy = all(int(str(settings.get(name, least))) >= least for name, least in _QUEUE.items())

    def write_all(self, messages: Outgoing) -> None:
        """Write a block of messages, in their order."""
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
        """Write one message; `timestamp` 0 lets the client set it."""
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
        """Process delivery reports, and raise for a failed one."""
        self.producer.poll(0)
        self._check()

    def flush(self) -> None:
        """Wait until every message is on the broker, however long that takes; raise when one is refused."""
        deadline = time.monotonic() + _LOSSY_SECONDS
        while self.producer.flush(_FLUSH_STEP):
            self._check()
            if self._lossy and time.monotonic() > deadline:
                return
        self._check()

    def heard_trouble(self, since: float) -> bool:
        """Check whether a broker was away at a time after `since`, as `time.monotonic` counts."""
        return any(moment >= since for moment in self._heard)

    def _may_take(self, messages: Outgoing) -> bool:
        """Check whether `produce_batch` can take the block: it supports keys and values only, and needs room for all."""
        plain = messages.partitions is None and messages.headers is None and messages.timestamps is None
        return plain and self._roomy and messages.size <= len(messages) * _SMALL

    def _make_room(self, messages: int) -> None:
        while len(self.producer) + messages > _MOST_WAITING:
            self.producer.poll(0.05)
            self._check()

    def _refused(self, error: Exception) -> FiresteelError:
        if isinstance(error, KafkaException):
            return _refusal(self._topic, _Failure(error.args[0], self._topic))
        return JobError(f"Writing to '{self._topic}' failed: {error}.")

    def _check(self) -> None:
        if self._failed:
            failed = list(self._failed)
            self._failed.clear()
            # A final failure says more than those that followed from it.
            first = next((one for one in failed if one.error.code() in _FINAL), failed[0])
            raise _refusal(first.topic or self._topic, first)


@dataclass(frozen=True)
class _Failure:
    """A message that was refused; `size` 0 where it is not known."""

    error: KafkaError
    topic: str
    key: bytes | str | None = None
    size: int = 0


def greet(producer: Producer, topic: str) -> None:
    """Wait until a broker answers. A producer that wants its number and knows no broker asks again half a second later.

    The first answer may come from the address of the settings, whose connection ends when the brokers' own addresses are known;
    the second comes from one of these.
    """
    with suppress(KafkaException):
        producer.list_topics(topic, _GREETING)
        producer.list_topics(topic, _GREETING)


_writers: dict[tuple[Any, ...], Writer] = {}


@contextmanager
def kept_writer(config: Mapping[str, str], *, lossy: bool = False) -> Iterator[Writer]:
    """Lend the writer that this process keeps for that configuration; after an error it is dropped."""
    key = make_ready(config, lossy=lossy)
    try:
        yield _writers[key]
    except BaseException:
        del _writers[key]
        raise


def make_ready(config: Mapping[str, str], *, lossy: bool = False) -> tuple[Any, ...]:
    """Make the kept writer early, so that its client can connect to the brokers; return its key."""
    key = (lossy, *sorted(config.items()))
    if key not in _writers:
        _writers[key] = Writer(writer_config(config), lossy=lossy)
    return key


def connect_early(config: Mapping[str, str], *, lossy: bool = False) -> None:
    """Connect the kept writer. A bad producer configuration is reported when the sink first writes."""
    with suppress(KafkaException):
        make_ready(config, lossy=lossy)


def _as_dicts(messages: Outgoing) -> list[dict[str, Any]]:
    """Convert messages to the dictionaries that `produce_batch` takes."""
    if messages.keys is None:
        return [{"value": value} for value in messages.values]
    return [{"value": value, "key": key} for value, key in zip(messages.values, messages.keys, strict=True)]


def _refusal(topic: str, failure: _Failure) -> FiresteelError:
    error = failure.error
    if is_passing(error):
        return away(f"writing to '{topic}': {error.str().rstrip('.')}")
    reason = error.str().rstrip(".")
    if error.code() in _TOO_LARGE:
        what = f"A message of {failure.size:,} bytes" if failure.size else "A message"
        return RefusedError(
            f"{what}{_with_key(failure.key)} is too large for the topic '{topic}': {reason}.",
            error,
            hint=f"Raise 'max.message.bytes' of '{topic}' and, where it is set, 'properties.max.request.size' of the table,"
            " or leave such rows out with WHERE.",
        )
    return RefusedError(f"A message{_with_key(failure.key)} to '{topic}' is refused: {reason}.", error)


def _with_key(key: bytes | str | None) -> str:
    """Names a message by its key, for a sentence.


    >>> _with_key(b"user-7"), _with_key(None), _with_key(bytes([0, 255]))
    (" with the key 'user-7'", '', ' with the key 0x00ff')
    """
    if key is None:
        return ""
    raw = key.encode() if isinstance(key, str) else key
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = ""
    if text and text.isprintable():
        return f" with the key '{text if len(text) <= _SHOWN_KEY else text[:_SHOWN_KEY] + '…'}'"
    shown = raw[:_SHOWN_KEY].hex()
    return f" with the key 0x{shown}{'…' if len(raw) > _SHOWN_KEY else ''}"
