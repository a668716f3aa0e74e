"""Transactions on a real broker: all or nothing, fencing, timeouts, nothing left open."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, TopicPartition

from firesteel.connectors.kafka.transaction.marker import Marker
from firesteel.connectors.kafka.transaction.transaction import (
    GroupOffsets,
    Transaction,
    TransactionLimits,
    TransactionSpec,
    check_timeout,
    find_limits,
    settle,
)
from firesteel.dev.record import read_records, write_records
from firesteel.errors import JobError, OutsideError

pytestmark = pytest.mark.kafka


def spec(cluster: dict[str, str], topic: str, timeout_ms: int = 60_000, **config: str) -> TransactionSpec:
    return TransactionSpec(f"t-{topic}", {**cluster, **config}, cluster, topic, timeout_ms)


def marker(batch: int) -> Marker:
    return Marker("q", batch, "fp", 1, 0)


def committed(cluster: dict[str, str], topic: str) -> list[bytes | None]:
    return [record.value for record in read_records(cluster, topic)]


def ends(cluster: dict[str, str], topic: str) -> tuple[int, int]:
    """The last stable offset and the high watermark: they differ while a transaction is open."""
    found = []
    for level in ("read_committed", "read_uncommitted"):
        consumer = Consumer({**cluster, "group.id": "look", "isolation.level": level})
        found.append(consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10, cached=False)[1])
        consumer.close()
    return found[0], found[1]


def test_rows_marker_and_group_are_one(cluster: dict[str, str], make_topic: Callable[..., str]) -> None:
    source, topic = make_topic(), make_topic()
    write_records(cluster, source, [(None, b"x")] * 7)
    one = spec(cluster, topic)
    group = {**cluster, "group.id": f"g-{topic}"}
    transaction = Transaction(one)
    assert transaction.marker() is None
    transaction.begin()
    transaction.writer.write(topic, None, b"a")
    transaction.flush()
    assert committed(cluster, topic) == []
    transaction.commit(marker(3), (GroupOffsets(group, {(source, 0): 7}),))
    assert committed(cluster, topic) == [b"a"]
    assert Transaction(one).marker() == marker(3)
    consumer = Consumer(group)
    assert consumer.committed([TopicPartition(source, 0)], timeout=10)[0].offset == 7
    consumer.close()


def test_a_zombie_is_fenced(cluster: dict[str, str], make_topic: Callable[..., str]) -> None:
    topic = make_topic()
    one = spec(cluster, topic)
    old = Transaction(one)
    old.begin()
    old.writer.write(topic, None, b"old")
    old.flush()
    new = Transaction(one)
    assert new.marker() is None
    new.begin()
    new.writer.write(topic, None, b"new")
    new.flush()
    new.commit(marker(0))
    with pytest.raises(JobError, match="another writer with that transactional id"):
        old.commit(marker(0))
    old.abandon()
    assert committed(cluster, topic) == [b"new"]


def test_what_is_abandoned_holds_nobody_up(cluster: dict[str, str], make_topic: Callable[..., str]) -> None:
    topic = make_topic()
    one = spec(cluster, topic)
    for end in (Transaction.abandon, lambda transaction: settle(one)):
        transaction = Transaction(one)
        transaction.begin()
        transaction.writer.write(topic, None, b"half")
        transaction.flush()
        stable, high = ends(cluster, topic)
        assert stable < high
        end(transaction)
        stable, high = ends(cluster, topic)
        assert stable == high
    assert committed(cluster, topic) == []


def test_a_transaction_that_takes_too_long_names_the_option(
    cluster: dict[str, str], make_topic: Callable[..., str]
) -> None:
    topic = make_topic()
    one = spec(cluster, topic, 1_000)
    transaction = Transaction(one)
    transaction.begin()
    transaction.writer.write(topic, None, b"slow")
    time.sleep(1.1)
    # The broker looks for what is too old every ten seconds only; this is what it does then.
    settle(one)
    with pytest.raises(JobError, match="the broker gives up after") as error:
        transaction.flush()
        transaction.commit(marker(0))
    assert "'properties.transaction.timeout.ms'" in str(error.value)


def test_a_timeout_above_the_brokers(cluster: dict[str, str], make_topic: Callable[..., str]) -> None:
    limits = find_limits(cluster)
    assert limits.max_timeout_ms == 900_000 and limits.retention_minutes == 7 * 24 * 60
    check_timeout(limits, 900_000)
    check_timeout(TransactionLimits(), 10_000_000)
    with pytest.raises(OutsideError, match=r"is 900001, and the broker's 'transaction\.max\.timeout\.ms' is 900000"):
        check_timeout(limits, 900_001)
    # Where the broker does not tell beforehand, it says so when it is asked for.
    with pytest.raises(OutsideError, match="is 900001, which is above the broker's"):
        Transaction(spec(cluster, make_topic(), 900_001))


def test_what_a_script_says_about_delivery_gives_way(cluster: dict[str, str], make_topic: Callable[..., str]) -> None:
    """Settings that go with ordinary writing, and that librdkafka refuses in a transaction."""
    topic = make_topic()
    transaction = Transaction(spec(cluster, topic, 30_000, **{"delivery.timeout.ms": "120000", "acks": "1"}))
    transaction.begin()
    transaction.writer.write(topic, None, b"a")
    transaction.flush()
    transaction.commit(marker(0))
    assert committed(cluster, topic) == [b"a"]
