"""What users rely on about a running job: it goes on where it stopped, counts what it leaves out, and says why it fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import SparkSession
from tests.deadline import wait_for
from tests.script import BOUNDED, EARLIEST, UPSERT, create_table

import firesteel
from firesteel.connectors.kafka.admin import create_topic, delete_topic
from firesteel.dev.record import read_records, write_records
from firesteel.observe.snapshot import State

pytestmark = pytest.mark.spark


class Table:
    """Scripts over two topics, and what is in them."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster = cluster
        self.source, self.sink = make_topic(), make_topic()
        self.folder = folder

    def script(self, query: str = "SELECT id, name FROM src", *, source: str = "", sink: str = "") -> Path:
        columns, group = "id INT, name STRING", f"'properties.group.id' = 'g-{self.source}'"
        path = self.folder / "job.sql"
        path.write_text(
            create_table(self.cluster, "src", columns, self.source, group, EARLIEST, source)
            + create_table(self.cluster, "snk", sink or columns, self.sink, UPSERT if "PRIMARY KEY" in sink else "")
            + f"INSERT INTO snk {query};\n"
        )
        return path

    def write(self, values: Iterable[str | None]) -> None:
        write_records(
            self.cluster, self.source, [(None, value.encode() if value is not None else None) for value in values]
        )

    def read(self) -> list[str | None]:
        return [record.value.decode() if record.value else None for record in read_records(self.cluster, self.sink)]


@pytest.fixture
def table(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Table:
    return Table(cluster, make_topic, tmp_path)


def test_a_job_goes_on_where_it_stopped(table: Table, spark: SparkSession) -> None:
    script = table.script(
        "SELECT name, COUNT(*) FROM src GROUP BY name", sink="name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED"
    )
    table.write(['{"id": 1, "name": "a"}', '{"id": 2, "name": "a"}'])
    job = firesteel.start(script, spark=spark)
    wait_for(lambda: job.snapshot().rows_read == 2)
    job.stop()
    assert job.snapshot().state is State.STOPPED
    table.write(['{"id": 3, "name": "a"}'])
    job = firesteel.start(script, spark=spark)
    assert job.resumed
    wait_for(lambda: job.snapshot().rows_written == 1)
    job.stop()
    assert job.snapshot().rows_read == 1
    assert table.read()[-1] == '{"name":"a","n":3}'
    job = firesteel.start(script, spark=spark, fresh=True)
    wait_for(lambda: job.snapshot().rows_read == 3)
    job.stop()
    assert not job.resumed


def test_state_of_another_plan_is_refused(table: Table, spark: SparkSession) -> None:
    table.write(['{"id": 1, "name": "a"}'])
    firesteel.run(table.script(source=BOUNDED), spark=spark)
    with pytest.raises(firesteel.UsageError, match="belongs to another plan") as error:
        firesteel.run(table.script("SELECT id, UPPER(name) FROM src", source=BOUNDED), spark=spark)
    assert "--fresh" in str(error.value)
    firesteel.run(table.script("SELECT id, UPPER(name) FROM src", source=BOUNDED), spark=spark, fresh=True)
    assert table.read() == ['{"id":1,"name":"a"}', '{"id":1,"name":"A"}']


def test_a_bad_record_fails_the_job_and_says_where(table: Table, spark: SparkSession) -> None:
    table.write(['{"id": 1, "name": "a"}', "not json"])
    with pytest.raises(firesteel.JobError) as error:
        firesteel.run(table.script(source=BOUNDED), spark=spark)
    message = str(error.value)
    assert f"topic '{table.source}', partition 0, offset 1" in message
    assert "'error-handling.mode' = 'ignore'" in message
    assert "Traceback" not in message
    # Nothing was committed, so a mended script reads the record again.
    consumer = Consumer({**table.cluster, "group.id": f"g-{table.source}"})
    [committed] = consumer.committed([TopicPartition(table.source, 0)], timeout=10)
    consumer.close()
    assert committed.offset < 0


def test_the_group_knows_where_the_job_stands(table: Table, spark: SparkSession) -> None:
    table.write(['{"id": 1, "name": "a"}'] * 5)
    firesteel.run(table.script(source=BOUNDED), spark=spark)
    consumer = Consumer({**table.cluster, "group.id": f"g-{table.source}"})
    [committed] = consumer.committed([TopicPartition(table.source, 0)], timeout=10)
    consumer.close()
    assert committed.offset == 5


def test_a_missing_topic_is_said_before_anything_starts(table: Table, spark: SparkSession) -> None:
    script = table.script()
    script.write_text(script.read_text().replace(f"'topic' = '{table.sink}'", "'topic' = 'no-such-topic'"))
    with pytest.raises(firesteel.OutsideError, match="'no-such-topic'"):
        firesteel.start(script, spark=spark)
    assert not (table.folder / ".firesteel").exists()


def test_findings_d5_a_row_that_is_too_large_ends_the_job_at_once(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, spark: SparkSession
) -> None:
    """With its key and the option to raise; small rows of the same batch go out although they are more than the topic takes at once."""
    for guarantee in ("at-least-once", "exactly-once"):
        table = Table(cluster, make_topic, tmp_path)
        table.sink = make_topic(max_message_bytes="3000")
        script = table.script(
            "SELECT name, COUNT(*) FROM src GROUP BY name",
            source=BOUNDED,
            sink="name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED",
        )
        script.write_text(
            script.read_text().replace("'value.format'", f"'sink.delivery-guarantee' = '{guarantee}', 'value.format'")
        )
        table.write([json.dumps({"id": number, "name": f"n{number}"}) for number in range(500)])
        firesteel.run(script, spark=spark, fresh=True, name=f"large-{guarantee}")
        assert len(table.read()) == 500
        table.write([json.dumps({"id": 1, "name": "x" * 5000})])
        job = firesteel.start(script, spark=spark, name=f"large-{guarantee}")
        with pytest.raises(firesteel.JobError) as error:
            job.wait(60)
        message = str(error.value)
        assert "too large for the topic" in message and table.sink in message
        assert "xxxxx" in message and "'max.message.bytes'" in message and "'properties.max.request.size'" in message


def test_findings_c9_a_job_with_nothing_to_read_runs(table: Table, spark: SparkSession) -> None:
    table.write(['{"id": 1, "name": "a"}'])
    job = firesteel.start(table.script(), spark=spark)
    wait_for(lambda: job.snapshot().rows_written == 1)
    job.stop()
    job = firesteel.start(table.script(), spark=spark)
    wait_for(lambda: job.snapshot().idle, 30)
    snapshot = job.snapshot()
    job.stop()
    assert (snapshot.state, snapshot.lag, snapshot.rows_read) == (State.RUNNING, 0, 0)
    assert [source.table for source in snapshot.sources] == ["src"]


def test_findings_d13_a_topic_that_was_created_again_is_told_as_that(
    table: Table, spark: SparkSession, cluster: dict[str, str]
) -> None:
    table.write([f'{{"id": {number}, "name": "a"}}' for number in range(50)])
    job = firesteel.start(table.script(), spark=spark)
    wait_for(lambda: job.snapshot().rows_written == 50)
    delete_topic(cluster, table.source)
    create_topic(cluster, table.source)
    table.write(['{"id": 1, "name": "a"}'])
    with pytest.raises(firesteel.FiresteelError) as error:
        job.wait(90)
    assert "deleted and created again" in str(error.value)
