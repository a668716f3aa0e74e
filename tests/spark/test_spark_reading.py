"""Reading while topics change: new topics and partitions, records that are gone, groups that hand over, idle sources."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions  # type: ignore[attr-defined]  # the stub exports one
from pyspark.sql import SparkSession
from tests.deadline import wait_for
from tests.script import BOUNDED, create_table

import firesteel
from firesteel.connectors.kafka.admin import create_topic, delete_topic
from firesteel.dev.record import read_records, write_records

pytestmark = pytest.mark.spark


class Copy:
    """A job that copies ids from topics to a topic, and reads each record once."""

    def __init__(self, cluster: dict[str, str], sink: str, folder: Path) -> None:
        self.cluster, self.sink, self.folder = cluster, sink, folder

    def script(self, topics: str, options: str = "", start: str = "earliest-offset") -> Path:
        place = f"{topics}, 'properties.group.id' = 'g-{self.sink}', 'scan.startup.mode' = '{start}'"
        path = self.folder / "copy.sql"
        path.write_text(
            create_table(self.cluster, "src", "id INT", "", place, options)
            + create_table(self.cluster, "snk", "id INT", self.sink)
            + "INSERT INTO snk SELECT id FROM src;\n"
        )
        return path

    def write(self, topic: str, *ids: int, partition: int = -1) -> None:
        from confluent_kafka import Producer

        if partition < 0:
            write_records(self.cluster, topic, [(None, f'{{"id":{one}}}'.encode()) for one in ids])
            return
        producer = Producer(self.cluster)
        for one in ids:
            producer.produce(topic, f'{{"id":{one}}}'.encode(), partition=partition)
        producer.flush(30)

    def read(self) -> list[int]:
        return sorted(
            int((record.value or b"").split(b":")[1][:-1]) for record in read_records(self.cluster, self.sink)
        )

    def group_lag(self, topic: str) -> int:
        consumer = Consumer({**self.cluster, "group.id": f"g-{self.sink}"})
        place = TopicPartition(topic, 0)
        [committed] = consumer.committed([place], timeout=10)
        _, high = consumer.get_watermark_offsets(place, timeout=10) or (0, 0)
        consumer.close()
        return int(high - committed.offset)


@pytest.fixture
def copy(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Copy:
    return Copy(cluster, make_topic(), tmp_path)


def test_new_topics_and_partitions_are_read_from_their_beginning(
    copy: Copy, cluster: dict[str, str], spark: SparkSession
) -> None:
    name = f"{copy.sink}-in"
    create_topic(cluster, f"{name}-1")
    copy.write(f"{name}-1", 1)
    script = copy.script(
        f"'topic-pattern' = '{name}-[0-9]'",
        "'scan.topic-partition-discovery.interval' = '1 s'",
        # What is new is read from its beginning, however the job started.
        start="latest-offset",
    )
    job = firesteel.start(script, spark=spark)
    try:
        # The job has found where the end is once it reads what comes after it.
        wait_for(lambda: _has_come(copy, f"{name}-1"))
        create_topic(cluster, f"{name}-2")
        copy.write(f"{name}-2", 10, 11)
        admin = AdminClient(dict(cluster))
        for future in admin.create_partitions([NewPartitions(f"{name}-1", 2)]).values():
            future.result(30)
        wait_for(lambda: _can_write(copy, f"{name}-1", 20))
        wait_for(lambda: {10, 11, 20} <= set(copy.read()))
    finally:
        job.stop()
    found = copy.read()
    assert [one for one in found if one >= 10] == [10, 11, 20] and 1 not in found


def _has_come(copy: Copy, topic: str) -> bool:
    copy.write(topic, 2)
    time.sleep(0.5)
    return bool(copy.read())


def _can_write(copy: Copy, topic: str, number: int) -> bool:
    """Whether the new partition takes a record: it is known to the broker a moment after it was asked for."""
    from confluent_kafka import KafkaException

    try:
        copy.write(topic, number, partition=1)
    except KafkaException:
        return False
    return True


def test_a_second_job_goes_on_where_the_group_stands(
    copy: Copy, make_topic: Callable[..., str], spark: SparkSession
) -> None:
    topic = make_topic()
    copy.write(topic, 1, 2, 3)
    firesteel.run(copy.script(f"'topic' = '{topic}'", BOUNDED), spark=spark, name="first")
    assert copy.group_lag(topic) == 0
    copy.write(topic, 4, 5)
    assert copy.group_lag(topic) == 2
    firesteel.run(copy.script(f"'topic' = '{topic}'", BOUNDED, start="group-offsets"), spark=spark, name="second")
    assert copy.read() == [1, 2, 3, 4, 5]
    assert copy.group_lag(topic) == 0


def test_a_saved_offset_that_is_gone(
    copy: Copy, cluster: dict[str, str], make_topic: Callable[..., str], spark: SparkSession
) -> None:
    topic = make_topic()
    copy.write(topic, 1, 2)
    firesteel.run(copy.script(f"'topic' = '{topic}'", BOUNDED), spark=spark)
    copy.write(topic, 3, 4, 5)
    admin = AdminClient(dict(cluster))
    for future in admin.delete_records([TopicPartition(topic, 0, 4)]).values():
        future.result(30)
    with pytest.raises(firesteel.JobError) as error:
        firesteel.run(copy.script(f"'topic' = '{topic}'", BOUNDED), spark=spark)
    assert error.value.message == (
        f"Partition 0 of '{topic}' is to be read from offset 2, and it starts at 4 now: older records were deleted."
    )
    assert error.value.hint == "Start over with --fresh; 'scan.startup.mode' says where."


def test_a_topic_of_the_same_name_is_another_topic(
    copy: Copy, cluster: dict[str, str], make_topic: Callable[..., str], spark: SparkSession
) -> None:
    """Also when it has more records than the old one had."""
    topic = make_topic()
    copy.write(topic, 1, 2)
    firesteel.run(copy.script(f"'topic' = '{topic}'", BOUNDED), spark=spark)
    delete_topic(cluster, topic)
    wait_for(lambda: create_topic(cluster, topic, ignore_existing=True))
    copy.write(topic, 11, 12, 13, 14)
    with pytest.raises(firesteel.JobError, match=rf"The topic '{topic}' was deleted and created again"):
        firesteel.run(copy.script(f"'topic' = '{topic}'", BOUNDED), spark=spark)
    assert copy.read() == [1, 2]


def test_only_what_is_committed_is_read(copy: Copy, make_topic: Callable[..., str], spark: SparkSession) -> None:
    """A job of a topic with an open transaction waits for it, and goes on; an idle source does not hold it up."""
    from confluent_kafka import Producer

    topic, idle = make_topic(), make_topic(partitions=2)
    producer = Producer({**copy.cluster, "transactional.id": topic, "log_level": 0})
    producer.init_transactions(30)

    def begin(number: int) -> None:
        producer.begin_transaction()
        producer.produce(topic, f'{{"id":{number}}}'.encode())
        producer.flush(30)

    begin(1)
    producer.abort_transaction(30)
    begin(2)
    producer.commit_transaction(30)
    begin(3)
    job = firesteel.start(
        copy.script(f"'topic' = '{topic};{idle}'", "'properties.isolation.level' = 'read_committed'"), spark=spark
    )
    try:
        wait_for(lambda: copy.read() == [2])
        producer.commit_transaction(30)
        wait_for(lambda: copy.read() == [2, 3])
        copy.write(topic, 4)
        wait_for(lambda: copy.read() == [2, 3, 4])
        copy.write(idle, 5)
        wait_for(lambda: copy.read() == [2, 3, 4, 5])
    finally:
        job.stop()
