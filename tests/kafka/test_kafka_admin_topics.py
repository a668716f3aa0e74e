from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from firesteel.connectors.kafka.admin import (
    check_broker,
    check_topics,
    create_topic,
    delete_topic,
    describe_topics,
    list_topics,
)
from firesteel.dev.broker.port import free_port
from firesteel.dev.record import write_records
from firesteel.errors import Blame, OutsideError, UsageError

Cluster = dict[str, str]


@pytest.mark.kafka
def test_a_created_topic_is_there_with_its_partitions(cluster: Cluster) -> None:
    assert create_topic(cluster, "admin-new", partitions=3, settings={"cleanup.policy": "compact"})
    [topic] = [topic for topic in list_topics(cluster) if topic.name == "admin-new"]
    assert [(p.index, p.low, p.high) for p in topic.partitions] == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]


@pytest.mark.kafka
def test_creating_twice_is_refused_unless_allowed(cluster: Cluster, make_topic: Callable[..., str]) -> None:
    name = make_topic()
    with pytest.raises(UsageError, match=f"Topic '{name}' exists already"):
        create_topic(cluster, name)
    assert not create_topic(cluster, name, ignore_existing=True)


@pytest.mark.kafka
def test_a_bad_setting_is_told(cluster: Cluster) -> None:
    with pytest.raises(UsageError, match=r"cannot be created: .*nonsense"):
        create_topic(cluster, "admin-bad", settings={"nonsense": "1"})
    with pytest.raises(UsageError, match=r"cannot be created: .*retention.ms"):
        create_topic(cluster, "admin-bad", settings={"retention.ms": "soon"})


@pytest.mark.kafka
def test_watermarks_count_records(cluster: Cluster, make_topic: Callable[..., str]) -> None:
    name = make_topic(partitions=2)
    write_records(cluster, name, [(b"key", b"%d" % i) for i in range(7)])
    [topic] = describe_topics(cluster, [name])
    assert topic.records == 7
    assert sorted(p.high for p in topic.partitions) == [0, 7]


@pytest.mark.kafka
def test_a_deleted_topic_is_gone(cluster: Cluster, make_topic: Callable[..., str]) -> None:
    name = make_topic()
    assert delete_topic(cluster, name)
    with pytest.raises(OutsideError, match="does not exist"):
        delete_topic(cluster, name)
    assert not delete_topic(cluster, name, ignore_missing=True)


@pytest.mark.kafka
def test_missing_topics_are_named_together_with_the_nearest(cluster: Cluster) -> None:
    create_topic(cluster, "pageviews_eu", ignore_existing=True)
    check_topics(cluster, ["pageviews_eu"])
    with pytest.raises(OutsideError) as caught:
        check_topics(cluster, ["pageview_eu", "qqq", "pageviews_eu"])
    assert str(caught.value) == (
        "Topic 'pageview_eu' does not exist. Did you mean 'pageviews_eu'? Topic 'qqq' does not exist. "
        "Create them with 'firesteel topic create pageview_eu' and 'firesteel topic create qqq'."
    )
    assert caught.value.blame is Blame.OUTSIDE


@pytest.mark.kafka
def test_a_broker_that_is_there_passes(cluster: Cluster) -> None:
    check_broker(cluster)


@pytest.mark.parametrize(
    ("address", "why"), [(f"127.0.0.1:{free_port()}", "Connection refused"), ("nobody.invalid:9092", "resolve")]
)
def test_an_unreachable_broker_is_one_sentence(address: str, why: str, capfd: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    with pytest.raises(OutsideError, match=f"No Kafka broker answers at '{address}': .*{why}.*firesteel broker start"):
        check_broker({"bootstrap.servers": address})
    assert time.monotonic() - started < 6
    # librdkafka writes to file descriptor 2 when nobody stops it.
    assert capfd.readouterr() == ("", "")


def test_an_unknown_client_setting_is_told() -> None:
    with pytest.raises(UsageError, match=r"no.such.setting"):
        check_broker({"bootstrap.servers": "127.0.0.1:1", "no.such.setting": "1"})
