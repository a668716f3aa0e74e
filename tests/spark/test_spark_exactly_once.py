"""Exactly-once in a running job: what readers see, what a batch that runs again does, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions
from pyspark.sql import SparkSession
from tests.deadline import wait_for
from tests.faults.oracle import open_ends
from tests.script import BOUNDED, EARLIEST, UPSERT, create_table

import firesteel
from firesteel.connectors.kafka.admin import create_topic, delete_topic, group_names
from firesteel.dev.record import read_records, write_records

pytestmark = pytest.mark.spark


class Copy:
    """A job from one topic to another, exactly once."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.source, self.sink = make_topic(partitions=2), make_topic(partitions=2)
        self.rows = 0

    @property
    def checkpoint(self) -> Path:
        return self.folder / ".firesteel" / "copy" / "1-snk"

    def script(
        self, query: str = "SELECT id, name FROM src", *, sink: str = "", source: str = "", key: str = ""
    ) -> Path:
        columns = "id INT, name STRING"
        reading = f"'properties.group.id' = 'g-{self.source}', {EARLIEST}, {BOUNDED}, 'scan.max-rows-per-batch' = '100'"
        writing = f"'sink.delivery-guarantee' = 'exactly-once'{sink}"
        path = self.folder / "copy.sql"
        path.write_text(
            create_table(self.cluster, "src", columns, self.source, f"{reading}{source}")
            + create_table(self.cluster, "snk", key or columns, self.sink, UPSERT if key else "", writing)
            + f"INSERT INTO snk {query};\n"
        )
        return path

    def write(self, rows: int) -> None:
        numbers = range(self.rows, self.rows + rows)
        self.rows += rows
        write_records(
            self.cluster,
            self.source,
            [(str(n).encode(), json.dumps({"id": n, "name": f"n{n % 3}"}).encode()) for n in numbers],
        )

    def ids(self) -> list[int]:
        return sorted(json.loads(record.value or b"")["id"] for record in read_records(self.cluster, self.sink))

    def wait(self) -> None:
        wait_for(lambda: len(self.ids()) >= self.rows, 60, "the rows did not come out")

    def forget_last_commit(self) -> int:
        """As if the job had died after Kafka's commit and before Spark's."""
        commits = self.checkpoint / "commits"
        last = max(int(path.name) for path in commits.iterdir() if path.name.isdecimal())
        (commits / str(last)).unlink()
        (commits / f".{last}.crc").unlink(missing_ok=True)
        return last

    def committed(self) -> int:
        consumer = Consumer({**self.cluster, "group.id": f"g-{self.source}"})
        places = [TopicPartition(self.source, number) for number in range(2)]
        found = sum(place.offset for place in consumer.committed(places, timeout=10))
        consumer.close()
        return found


@pytest.fixture
def copy(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Copy:
    return Copy(cluster, make_topic, tmp_path)


def test_a_batch_that_runs_again_is_skipped(copy: Copy, spark: SparkSession) -> None:
    copy.write(250)
    firesteel.run(copy.script(), spark=spark)
    assert copy.ids() == list(range(250))
    assert copy.committed() == 250
    copy.forget_last_commit()
    copy.write(30)
    # Rows may be spread over other tasks than before.
    job = firesteel.run(copy.script(), spark=spark, settings={"parallelism.default": "3"})
    assert job.snapshot().skipped_batches == 1
    assert copy.ids() == list(range(280))
    assert copy.committed() == 280


def test_a_skipped_batch_still_counts(copy: Copy, spark: SparkSession) -> None:
    """State goes on from the batch that was skipped, so that later sums are right."""
    script = copy.script(
        "SELECT name, COUNT(*), SUM(id) FROM src GROUP BY name",
        key="name STRING, n BIGINT, total BIGINT, PRIMARY KEY (name) NOT ENFORCED",
    )
    copy.write(250)
    firesteel.run(script, spark=spark)
    before = len(list(read_records(copy.cluster, copy.sink)))
    copy.forget_last_commit()
    job = firesteel.run(script, spark=spark)
    assert job.snapshot().skipped_batches == 1
    assert len(list(read_records(copy.cluster, copy.sink))) == before
    copy.write(50)
    firesteel.run(script, spark=spark)
    last = {record.key: json.loads(record.value or b"") for record in read_records(copy.cluster, copy.sink)}
    assert {row["name"]: (row["n"], row["total"]) for row in last.values()} == {
        f"n{k}": (100, sum(range(k, 300, 3))) for k in range(3)
    }


def test_an_older_state_is_refused(copy: Copy, spark: SparkSession, tmp_path: Path) -> None:
    copy.write(150)
    firesteel.run(copy.script(), spark=spark)
    shutil.copytree(copy.folder / ".firesteel", tmp_path / "backup")
    copy.write(150)
    firesteel.run(copy.script(), spark=spark)
    shutil.rmtree(copy.folder / ".firesteel")
    shutil.copytree(tmp_path / "backup", copy.folder / ".firesteel")
    with pytest.raises(firesteel.JobError, match="The state is older than the output"):
        firesteel.run(copy.script(), spark=spark)
    assert copy.ids() == list(range(300))


def test_starting_over_writes_again(copy: Copy, spark: SparkSession) -> None:
    copy.write(10)
    for _ in range(2):
        firesteel.run(copy.script(sink=", 'sink.transactional-id-prefix' = 'same'"), spark=spark, fresh=True)
    assert copy.ids() == sorted([*range(10), *range(10)])


def test_a_topic_made_anew_is_noticed(copy: Copy, spark: SparkSession) -> None:
    copy.write(10)
    firesteel.run(copy.script(), spark=spark)
    delete_topic(copy.cluster, copy.sink)
    create_topic(copy.cluster, copy.sink, partitions=2)
    copy.write(10)
    with pytest.raises(firesteel.JobError, match="its marker is gone: the topic was deleted and created again"):
        firesteel.run(copy.script(), spark=spark)
    assert copy.ids() == []
    # The way out that the message names.
    (copy.checkpoint / "transactions.json").unlink()
    firesteel.run(copy.script(), spark=spark)
    assert copy.ids() == list(range(10, 20))


def test_a_marker_that_was_deleted_is_noticed(copy: Copy, spark: SparkSession) -> None:
    copy.write(10)
    firesteel.run(copy.script(sink=f", 'sink.transactional-id-prefix' = '{copy.sink}'"), spark=spark)
    [group] = [name for name in group_names(copy.cluster) if name.startswith(copy.sink)]
    admin = AdminClient({**copy.cluster})
    admin.delete_consumer_groups([group])[group].result(30)
    copy.write(10)
    with pytest.raises(firesteel.JobError, match="its marker is gone"):
        firesteel.run(copy.script(sink=f", 'sink.transactional-id-prefix' = '{copy.sink}'"), spark=spark)
    assert copy.ids() == list(range(10))


def test_a_state_that_is_gone_is_noticed(copy: Copy, spark: SparkSession) -> None:
    copy.write(10)
    firesteel.run(copy.script(), spark=spark)
    shutil.rmtree(copy.folder / ".firesteel" / "copy")
    with pytest.raises(firesteel.UsageError, match=rf"This job has written to '{copy.sink}' until .* \(batch 0\)"):
        firesteel.run(copy.script(), spark=spark)
    assert copy.ids() == list(range(10))
    # The way out that the message names.
    firesteel.run(copy.script(), spark=spark, fresh=True)
    assert copy.ids() == sorted([*range(10), *range(10)])


def test_two_jobs_with_one_prefix_leave_each_other_alone(
    copy: Copy, cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, spark: SparkSession
) -> None:
    (tmp_path / "other").mkdir()
    other = Copy(cluster, make_topic, tmp_path / "other")
    jobs = []
    try:
        for one in (copy, other):
            script = one.script(sink=", 'sink.transactional-id-prefix' = 'same'")
            script.write_text(script.read_text().replace(f"{BOUNDED}, ", ""))
            jobs.append(firesteel.start(script, spark=spark))
        for _ in range(3):
            for one in (copy, other):
                one.write(50)
                one.wait()
    finally:
        for job in jobs:
            job.stop()
    assert copy.ids() == other.ids() == list(range(150))


def test_other_partitions_and_another_parallelism(copy: Copy, spark: SparkSession) -> None:
    """Row 22: a batch that was written runs again in other tasks, and what comes after it is counted with it."""
    script = copy.script(
        "SELECT name, COUNT(*), SUM(id) FROM src GROUP BY name",
        key="name STRING, n BIGINT, total BIGINT, PRIMARY KEY (name) NOT ENFORCED",
    )
    copy.write(90)
    firesteel.run(script, spark=spark)
    copy.forget_last_commit()
    admin = AdminClient({**copy.cluster})
    for topic in (copy.source, copy.sink):
        admin.create_partitions([NewPartitions(topic, 5)])[topic].result(30)
    copy.write(210)
    job = firesteel.run(script, spark=spark, settings={"parallelism.default": "5"})
    assert job.snapshot().skipped_batches == 1
    records = [json.loads(record.value or b"") for record in read_records(copy.cluster, copy.sink)]
    last = {row["name"]: (row["n"], row["total"]) for row in sorted(records, key=lambda row: row["n"])}
    assert last == {f"n{k}": (100, sum(range(k, 300, 3))) for k in range(3)}
    # No count twice.
    assert len({(row["name"], row["n"]) for row in records}) == len(records)


def test_dead_letters_are_in_the_transaction(copy: Copy, make_topic: Callable[..., str], spark: SparkSession) -> None:
    dead = make_topic()
    script = copy.script(source=f", 'error-handling.mode' = 'log', 'error-handling.log.target' = '{dead}'")
    copy.write(50)
    # A batch with nothing in it but a bad record is a transaction too.
    firesteel.run(script, spark=spark)
    write_records(copy.cluster, copy.source, [(None, b"{oops")])
    job = firesteel.run(script, spark=spark)
    assert dict(job.snapshot().sources[0].dead_letters) == {dead: 1}
    copy.forget_last_commit()
    job = firesteel.run(script, spark=spark)
    assert job.snapshot().skipped_batches == 1
    assert [record.value for record in read_records(copy.cluster, dead)] == [b"{oops"]
    assert copy.ids() == list(range(50))


def test_a_row_that_is_too_large_leaves_nothing_of_its_batch(
    copy: Copy, make_topic: Callable[..., str], spark: SparkSession
) -> None:
    copy.sink = make_topic(max_message_bytes="2000")
    write_records(
        copy.cluster, copy.source, [(None, row) for row in (b'{"id": 1}', b'{"id": 2, "name": "%s"}' % (b"x" * 5000))]
    )
    with pytest.raises(firesteel.JobError, match="too large"):
        firesteel.run(copy.script(), spark=spark)
    assert copy.ids() == []
    assert copy.committed() < 0
    assert open_ends(copy.cluster, copy.sink) == []


def test_a_second_process_is_refused(copy: Copy, spark: SparkSession) -> None:
    copy.write(10)
    script = copy.script()
    script.write_text(script.read_text().replace(f"{BOUNDED}, ", ""))
    job = firesteel.start(script, spark=spark)
    try:
        with pytest.raises(firesteel.UsageError, match="Another process runs this job"):
            firesteel.start(script, spark=spark)
    finally:
        job.stop()


def test_a_timeout_that_the_broker_refuses_is_said_at_the_start(copy: Copy, spark: SparkSession) -> None:
    script = copy.script(sink=", 'properties.transaction.timeout.ms' = '3600000'")
    with pytest.raises(firesteel.OutsideError, match=r"is 3600000, and the broker's .* is 900000"):
        firesteel.run(script, spark=spark)
    assert not (copy.folder / ".firesteel").exists()
