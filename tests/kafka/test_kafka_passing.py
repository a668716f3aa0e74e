"""What passes is tried again; what does not is told at once."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from firesteel.connectors.kafka.group import GroupPositions, GroupReader
from firesteel.connectors.kafka.offset import Subscription
from firesteel.connectors.kafka.passing import ask
from firesteel.errors import BrokerAwayError


def failing(*codes: int) -> list[KafkaException]:
    return [KafkaException(KafkaError(code)) for code in codes]


@pytest.mark.parametrize(
    "code",
    [
        KafkaError._TRANSPORT,
        KafkaError._DESTROY,
        KafkaError._TIMED_OUT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
    ],
)
def test_findings_d2_a_look_up_is_tried_again(code: int) -> None:
    waiting = failing(code, code)

    def request() -> int:
        if waiting:
            raise waiting.pop()
        return 7

    assert ask(request) == 7


def test_findings_d2_a_broker_that_stays_away_is_told_apart() -> None:
    def request() -> int:
        raise failing(KafkaError._TRANSPORT)[0]

    with pytest.raises(BrokerAwayError, match="Kafka does not answer"):
        ask(request, patience=0.3)


def test_what_does_not_pass_is_not_tried_again() -> None:
    asked = []

    def request() -> int:
        asked.append(1)
        raise failing(KafkaError.TOPIC_AUTHORIZATION_FAILED)[0]

    with pytest.raises(KafkaException):
        ask(request)
    assert asked == [1]


def test_findings_d12_a_group_of_two_inserts_stands_where_the_last_one_does() -> None:
    config = {"group.id": "g"}
    one, two = (GroupReader(name, 0, config, Subscription(("t",))) for name in ("one", "two"))
    other = GroupReader("two", 1, config, Subscription(("u",)))
    positions = GroupPositions([one, two, other])
    assert not positions.is_alone(one) and not positions.is_alone(two) and positions.is_alone(other)
    assert positions.note(one, {("t", 0): 100}) == {}
    assert positions.note(two, {("t", 0): 40}) == {("t", 0): 40}
    assert positions.note(two, {("t", 0): 120}) == {("t", 0): 100}
    assert positions.note(other, {("u", 0): 3}) == {("u", 0): 3}


def test_two_tables_of_one_topic_with_groups_of_their_own() -> None:
    one, two = (GroupReader(name, 0, {"group.id": name}, Subscription(("t",))) for name in ("one", "two"))
    positions = GroupPositions([one, two])
    assert positions.is_alone(one)
    assert positions.note(one, {("t", 0): 5}) == {("t", 0): 5}


def test_a_pattern_that_matches_a_listed_topic_shares_its_group() -> None:
    one = GroupReader("one", 0, {}, Subscription(pattern="t.*"))
    two = GroupReader("two", 0, {}, Subscription(("t1",)))
    positions = GroupPositions([one, two])
    assert not positions.is_alone(one) and not positions.is_alone(two)
