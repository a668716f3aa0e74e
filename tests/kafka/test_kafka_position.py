"""Where reading starts and ends: five start modes by five bounded modes, and what a partition gives between them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from firesteel.connectors.kafka.group import commit_positions
from firesteel.connectors.kafka.offset import Subscription, find_ends, find_partitions, find_start
from firesteel.connectors.kafka.read.reader import consumer_for, read_range, read_stretches
from firesteel.connectors.kafka.start import (
    AtTimestamp,
    Bound,
    Earliest,
    GroupOffsets,
    Latest,
    Reset,
    SpecificOffsets,
    StartPosition,
    Unbounded,
)
from firesteel.connectors.position import Positions
from firesteel.errors import BrokerAwayError, FiresteelError, JobError, OutsideError

pytestmark = pytest.mark.kafka

ROWS = 10
#: The moment of the first record; each next one is a second later.
FIRST = 1_700_000_000_000


@dataclass(frozen=True)
class Filled:
    """Partition 0 has ten records, partition 1 none; the group stands at 4 of partition 0."""

    topic: str
    config: dict[str, str]

    @property
    def consumer(self) -> Consumer:
        return consumer_for(self.config)

    @property
    def partitions(self) -> list[tuple[str, int]]:
        return [(self.topic, 0), (self.topic, 1)]

    def offsets(self, positions: Positions | None) -> tuple[int, ...] | None:
        return None if positions is None else tuple(positions[one] for one in self.partitions)


@pytest.fixture(scope="module")
def filled(cluster: dict[str, str]) -> Iterator[Filled]:
    from firesteel.connectors.kafka.admin import create_topic

    topic = f"positions-{time.time_ns()}"
    create_topic(cluster, topic, partitions=2)
    producer = Producer(cluster)
    for number in range(ROWS):
        producer.produce(topic, str(number).encode(), partition=0, timestamp=FIRST + number * 1000)
    producer.flush(30)
    config = {**cluster, "group.id": f"g-{topic}"}
    assert commit_positions(config, {(topic, 0): 4})
    yield Filled(topic, config)


STARTS: list[tuple[StartPosition, tuple[int, int]]] = [
    (Earliest(), (0, 0)),
    (Latest(), (10, 0)),
    (GroupOffsets("g"), (4, 0)),
    (AtTimestamp(FIRST + 2500), (3, 0)),
    (SpecificOffsets({0: 6}), (6, 0)),
]
BOUNDS: list[tuple[Bound, tuple[int, int] | None]] = [
    (Unbounded(), None),
    (Latest(), (10, 0)),
    (GroupOffsets("g"), (4, 0)),
    (AtTimestamp(FIRST + 7000), (7, 0)),
    (SpecificOffsets({0: 8}), (8, 0)),
]


@pytest.mark.parametrize(("start", "bound"), list(itertools.product(STARTS, BOUNDS)), ids=str)
def test_every_start_with_every_end(
    start: tuple[StartPosition, tuple[int, int]], bound: tuple[Bound, tuple[int, int] | None], filled: Filled
) -> None:
    begins = find_start(filled.consumer, filled.partitions, start[0])
    ends = find_ends(filled.consumer, filled.partitions, bound[0])
    assert filled.offsets(begins) == start[1]
    assert filled.offsets(ends) == bound[1]
    if ends is None:
        return
    first, last = begins[filled.topic, 0], ends[filled.topic, 0]
    blocks = read_range(filled.config, filled.topic, 0, first, last)
    assert [int(message.value() or b"") for block in blocks for message in block] == list(range(first, last))


@pytest.mark.parametrize(
    ("start", "offsets"),
    [
        (GroupOffsets(None), (0, 0)),
        (GroupOffsets("g", Reset.LATEST), (4, 0)),
        (SpecificOffsets({}), (4, 0)),
        (SpecificOffsets({0: 99, 1: 5}), (0, 0)),
        (AtTimestamp(FIRST * 2), (10, 0)),
    ],
    ids=str,
)
def test_a_partition_that_is_not_listed_or_not_there(
    start: StartPosition, offsets: tuple[int, int], filled: Filled
) -> None:
    assert filled.offsets(find_start(filled.consumer, filled.partitions, start)) == offsets


def test_no_offset_and_no_reset_is_said(filled: Filled) -> None:
    with pytest.raises(JobError, match=r"partition 1 of .*'properties\.auto\.offset\.reset' is 'none'"):
        find_start(filled.consumer, filled.partitions, GroupOffsets("g", Reset.NONE))


def test_a_list_and_a_pattern_of_topics(filled: Filled) -> None:
    pattern = Subscription(pattern=filled.topic[:-1] + "[0-9]")
    assert find_partitions(filled.consumer, pattern) == filled.partitions
    assert find_partitions(filled.consumer, Subscription(pattern=filled.topic[:-1])) == []
    with pytest.raises(OutsideError, match="'no-such-topic' does not exist"):
        find_partitions(filled.consumer, Subscription((filled.topic, "no-such-topic")))


class Transactions:
    """A topic of one partition that is written in transactions."""

    def __init__(self, cluster: dict[str, str], topic: str) -> None:
        self.cluster, self.topic = cluster, topic
        self.producer = Producer({**cluster, "transactional.id": topic, "log_level": 0})
        self.producer.init_transactions(30)

    def begin(self, *values: str) -> None:
        self.producer.begin_transaction()
        for value in values:
            self.producer.produce(self.topic, value.encode())
        self.producer.flush(30)

    def read(self, level: str) -> list[str]:
        config = {**self.cluster, "isolation.level": level}
        consumer = consumer_for(config)
        ends = find_ends(consumer, [(self.topic, 0)], Latest())
        assert ends is not None
        blocks = read_range(config, self.topic, 0, 0, ends[self.topic, 0])
        return [(message.value() or b"").decode() for block in blocks for message in block]


def test_transactions_in_the_source(cluster: dict[str, str], make_topic: Callable[..., str]) -> None:
    """Aborted records are never read, those of an open transaction later, and markers cost no waiting."""
    topic = Transactions(cluster, make_topic())
    topic.begin("a", "b")
    topic.producer.commit_transaction(30)
    topic.begin("never")
    topic.producer.abort_transaction(30)
    topic.begin("c")
    started = time.monotonic()
    assert topic.read("read_committed") == ["a", "b"]
    assert topic.read("read_uncommitted") == ["a", "b", "never", "c"]
    assert time.monotonic() - started < 1.5
    topic.producer.commit_transaction(30)
    # The marker of a commit is written a moment after the commit is answered.
    while (found := topic.read("read_committed")) == ["a", "b"] and time.monotonic() - started < 20:
        time.sleep(0.05)
    assert found == ["a", "b", "c"]


def test_records_that_were_deleted(cluster: dict[str, str], make_topic: Callable[..., str]) -> None:
    topic = make_topic()
    producer = Producer(cluster)
    for number in range(6):
        producer.produce(topic, str(number).encode())
    producer.flush(30)
    admin = AdminClient(dict(cluster))
    for future in admin.delete_records([TopicPartition(topic, 0, 4)]).values():
        future.result(30)
    with pytest.raises(FiresteelError) as error:
        list(read_range(cluster, topic, 0, 1, 6))
    assert error.value.message == (
        f"Partition 0 of '{topic}' is to be read from offset 1, and it starts at 4 now: older records were deleted."
    )


@dataclass(frozen=True)
class Piece:
    topic: str
    partition: int
    start: int
    end: int


def test_short_stretches_are_read_together(
    cluster: dict[str, str], make_topic: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each keeps its own messages and their order; one ends with a transaction's marker, one has more behind its end."""
    monkeypatch.setattr("firesteel.connectors.kafka.read.reader.BLOCK", 8)
    topic, other = make_topic(partitions=3), Transactions(cluster, make_topic())
    producer = Producer(cluster)
    for number in range(30):
        producer.produce(topic, str(number).encode(), partition=number % 3)
    producer.flush(30)
    other.begin("a", "b")
    other.producer.commit_transaction(30)
    pieces = [Piece(topic, 2, 1, 4), Piece(other.topic, 0, 0, 3), Piece(topic, 0, 5, 7), Piece(topic, 1, 0, 10)]
    found = [
        [(message.value() or b"").decode() for block in blocks for message in block]
        for blocks in read_stretches(cluster, pieces)
    ]
    assert found == [["5", "8", "11"], ["a", "b"], ["15", "18"], [str(number) for number in range(1, 30, 3)]]


def test_short_stretches_of_a_broker_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task does not wait for them without end: it begins anew, as the whole query does when that does not help."""
    monkeypatch.setattr("firesteel.connectors.kafka.read.reader._STALLED_SECONDS", 1.0)
    away = {"bootstrap.servers": "127.0.0.1:1", "reconnect.backoff.max.ms": "200"}
    started = time.monotonic()
    with pytest.raises(
        BrokerAwayError, match=r"partition 0 of 'gone' gave nothing for 1 s at offset 0, and should reach 5"
    ):
        list(read_stretches(away, [Piece("gone", 0, 0, 5), Piece("gone", 1, 0, 5)]))
    assert time.monotonic() - started < 10
