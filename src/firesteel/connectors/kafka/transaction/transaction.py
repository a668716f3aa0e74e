"""One transaction: a producer of its own fences earlier producers, writes one batch with its marker, and is closed.

Never two transactions in one producer: librdkafka speaks the older protocol, in which a delayed commit can end a later
transaction of the same epoch. For the same reason nothing is retried here. After a failure the producer is dropped; the
next attempt begins anew and learns from the marker whether this one was committed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from firesteel.connectors.kafka.admin import broker_settings
from firesteel.connectors.kafka.passing import away, error_of, is_passing, reason_of
from firesteel.connectors.kafka.read.reader import consumer_for
from firesteel.connectors.kafka.transaction.marker import Marker, parse_marker
from firesteel.connectors.kafka.write.writer import Writer, greet, writer_config
from firesteel.connectors.position import Positions
from firesteel.errors import FiresteelError, JobError, OutsideError

_MAX_TIMEOUT = "transaction.max.timeout.ms"
_RETENTION = "offsets.retention.minutes"
#: How long a transaction may be open where the sink does not say it.
_TIMEOUT_MS = 300_000

#: How long to wait for an earlier transaction to be completed, for the marker, for a commit.
_PATIENCE = 60.0
#: An abort is a courtesy to readers: the next attempt would abort it too.
_COURTESY = 5.0

_FENCED = (
    KafkaError._FENCED,
    KafkaError.INVALID_PRODUCER_EPOCH,
    KafkaError.PRODUCER_FENCED,
    KafkaError.INVALID_TXN_STATE,
    KafkaError.INVALID_PRODUCER_ID_MAPPING,
    KafkaError.UNKNOWN_PRODUCER_ID,
)
_GROUP_IN_USE = (
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.FENCED_INSTANCE_ID,
    KafkaError.REBALANCE_IN_PROGRESS,
)


@dataclass(frozen=True)
class TransactionLimits:
    """A cluster's limits for transactions, as far as the client may read them."""

    max_timeout_ms: int | None = None
    retention_minutes: int | None = None

    @property
    def default_timeout_ms(self) -> int:
        """Return the timeout for sinks that set none: long enough for a slow batch; readers wait that long for a job that never restarts."""
        return min(_TIMEOUT_MS, self.max_timeout_ms or _TIMEOUT_MS)

    @property
    def retention_seconds(self) -> float:
        """Return how long a marker is kept. Where it is not known a day is assumed, which every cluster has."""
        return 60.0 * (self.retention_minutes or 24 * 60)


def find_limits(admin_config: Mapping[str, str]) -> TransactionLimits:
    found = broker_settings(admin_config, (_MAX_TIMEOUT, _RETENTION))
    return TransactionLimits(found.get(_MAX_TIMEOUT), found.get(_RETENTION))


def check_timeout(limits: TransactionLimits, asked_ms: int | None) -> None:
    """Raise `OutsideError` when the broker would refuse the timeout that a sink asks for."""
    if asked_ms is not None and limits.max_timeout_ms is not None and asked_ms > limits.max_timeout_ms:
        raise OutsideError(
            f"'properties.transaction.timeout.ms' is {asked_ms}, and the broker's '{_MAX_TIMEOUT}' is"
            f" {limits.max_timeout_ms}.",
            hint="Lower 'properties.transaction.timeout.ms', or raise the broker's limit.",
        )


@dataclass(frozen=True)
class TransactionSpec:
    """`topic` is where the marker is: its partition 0. `reader` is the configuration of a consumer on that cluster."""

    id: str
    config: Mapping[str, str]
    reader: Mapping[str, str]
    topic: str
    timeout_ms: int


@dataclass(frozen=True)
class GroupOffsets:
    """The positions of a source's group after the batch; `config` names the group."""

    config: Mapping[str, str]
    positions: Positions


class Transaction:
    """`marker` first, then `begin`, `writer`, `flush`, `commit`. After any error: `abandon`."""

    def __init__(self, spec: TransactionSpec) -> None:
        self._spec = spec
        self._began = time.monotonic()
        self._open = False
        try:
            self.writer = Writer(_producer_config(spec))
        except KafkaException as error:
            raise JobError(f"The Kafka client does not take its settings: {reason_of(error)}.") from None
        self._producer = self.writer.producer
        greet(self._producer, spec.topic)
        while True:
            try:
                self._producer.init_transactions(_PATIENCE)
                return
            except KafkaException as error:
                # Nothing is open yet: a broker that is away is waited for, however long it takes.
                if not is_passing(error_of(error)):
                    raise self._failure("cannot be opened", error) from None
                time.sleep(1.0)

    def marker(self) -> Marker | None:
        """Read the last marker that was committed. After fencing no other process can change it."""
        reader = consumer_for({**self._spec.reader, "group.id": self._spec.id, "isolation.level": "read_committed"})
        try:
            return last_marker(reader, self._spec.topic)
        except KafkaException as error:
            raise self._failure("cannot be compared with the last one", error) from None

    def begin(self) -> None:
        try:
            self._began = time.monotonic()
            self._producer.begin_transaction()
            self._open = True
        except KafkaException as error:
            raise self._failure("cannot be begun", error) from None

    def flush(self) -> None:
        """Wait until every message is on the broker; none of them is visible yet."""
        try:
            self.writer.flush()
        except FiresteelError:
            self._check_timeout()
            raise

    def commit(self, marker: Marker, groups: tuple[GroupOffsets, ...] = ()) -> None:
        """Commit the messages, the marker and the groups' offsets, or nothing."""
        place = TopicPartition(self._spec.topic, 0, marker.batch + 1, metadata=marker.render())
        own = consumer_for({**self._spec.reader, "group.id": self._spec.id, "isolation.level": "read_committed"})
        try:
            self._producer.send_offsets_to_transaction([place], own.consumer_group_metadata(), _PATIENCE)
            for group in groups:
                offsets = [TopicPartition(*one, offset) for one, offset in group.positions.items()]
                if offsets:
                    metadata = consumer_for(group.config).consumer_group_metadata()
                    self._producer.send_offsets_to_transaction(offsets, metadata, _PATIENCE)
            # From here on the outcome is Kafka's: an abort may come too late.
            self._open = False
            self._producer.commit_transaction(_PATIENCE)
        except KafkaException as error:
            raise self._failure("cannot be committed", error) from None

    def abandon(self) -> None:
        """Abort where it is certain that nothing was committed, so that readers go on at once."""
        if self._open:
            self._open = False
            with suppress(KafkaException):
                self._producer.abort_transaction(_COURTESY)

    def _failure(self, what: str, error: KafkaException) -> FiresteelError:
        cause = error_of(error)
        code = cause.code() if cause is not None else None
        self._check_timeout()
        if is_passing(cause):
            return away(f"the transaction '{self._spec.id}' {what}: {reason_of(error)}")
        if code in _FENCED:
            return JobError(
                f"The transaction '{self._spec.id}' {what}: another writer with that transactional id has begun.",
                hint="Another process runs this job: stop one of them.",
            )
        if code == KafkaError.INVALID_TRANSACTION_TIMEOUT:
            return OutsideError(
                f"'properties.transaction.timeout.ms' is {self._spec.timeout_ms}, which is above the broker's"
                " 'transaction.max.timeout.ms'.",
                hint="Lower 'properties.transaction.timeout.ms', or raise the broker's limit.",
            )
        if code in _GROUP_IN_USE:
            return JobError(
                f"The transaction '{self._spec.id}' {what}: the group of a source has members of its own.",
                hint="Give the source a 'properties.group.id' that nobody else reads with.",
            )
        return JobError(f"The transaction '{self._spec.id}' {what}: {reason_of(error)}.")

    def _check_timeout(self) -> None:
        """Raise if the transaction has timed out: the broker reports that as if another producer had fenced this one."""
        spent = (time.monotonic() - self._began) * 1000
        if spent >= self._spec.timeout_ms:
            if self.writer.heard_trouble(self._began):
                raise away(f"a broker was away for longer than the transaction '{self._spec.id}' may take")
            raise JobError(
                f"The transaction of this batch took {spent / 1000:.1f} s, and the broker gives up after"
                f" {self._spec.timeout_ms / 1000:.1f} s.",
                hint="Raise 'properties.transaction.timeout.ms' on the sink, or lower 'scan.max-rows-per-batch' on the"
                " source.",
            )


def transaction_id(prefix: str, query: str, number: int) -> str:
    """Make the transactional id, which is also the name of the marker's group. `number` is the sink's among those of the job."""
    return f"{prefix}-{query}-{number}"


def last_marker(reader: Consumer, topic: str, seconds: float = _PATIENCE) -> Marker | None:
    """Read the last marker of the reader's group, which has the name of the transactional id."""
    [found] = reader.committed([TopicPartition(topic, 0)], timeout=seconds)
    if found.error is not None:
        raise KafkaException(found.error)
    return parse_marker(found.metadata or "") if found.offset >= 0 else None


def settle(spec: TransactionSpec) -> None:
    """End a transaction that a producer may have left open, so that readers need not wait for its timeout."""
    with suppress(KafkaException):
        Producer(_producer_config(spec)).init_transactions(_COURTESY * 2)


def _producer_config(spec: TransactionSpec) -> dict[str, object]:
    config = writer_config(spec.config)
    # A message that is waited for longer than its transaction lives is of no use, and librdkafka refuses it.
    asked = [int(str(config.pop(name))) for name in ("message.timeout.ms", "delivery.timeout.ms") if name in config]
    return {
        **config,
        "message.timeout.ms": min([*(one for one in asked if one > 0), spec.timeout_ms]),
        "transactional.id": spec.id,
        "transaction.timeout.ms": spec.timeout_ms,
        "enable.idempotence": True,
        "acks": "all",
    }
