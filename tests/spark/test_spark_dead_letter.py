"""One bad record among good ones: left out and counted, kept in a topic, or the reason why the job stops."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.sql import SparkSession
from tests.script import BOUNDED, EARLIEST, create_table

import firesteel
from firesteel.connectors.kafka.write.outgoing import Headers
from firesteel.dev.record import read_records
from firesteel.observe.snapshot import JobSnapshot

pytestmark = pytest.mark.spark

ROWS = 3_000
BAD = 1_234


class Topics:
    """Good records with one bad one among them, in three partitions; a script that copies them."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.source, self.sink, self.dead = make_topic(partitions=3), make_topic(), make_topic()
        producer = Producer(cluster)
        for number in range(ROWS):
            value = b"{oops" if number == BAD else json.dumps({"id": number}).encode()
            headers: Headers | None = [("trace", b"t1"), ("trace", b"t2")] if number == BAD else None
            producer.produce(self.source, value, f"k{number}", number % 3, timestamp=1_700_000_000_000, headers=headers)
        producer.flush()

    def script(self, *options: str) -> Path:
        reading = (
            f"'properties.group.id' = 'g-{self.source}', {EARLIEST}, {BOUNDED}, 'scan.max-rows-per-batch' = '1000'"
        )
        path = self.folder / "copy.sql"
        path.write_text(
            create_table(self.cluster, "src", "id INT", self.source, reading, *options)
            + create_table(self.cluster, "snk", "id INT", self.sink)
            + "INSERT INTO snk SELECT id FROM src;\n"
        )
        return path

    def log(self) -> Path:
        return self.script("'error-handling.mode' = 'log'", f"'error-handling.log.target' = '{self.dead}'")

    def ids(self) -> list[int]:
        return sorted(json.loads(record.value or b"")["id"] for record in read_records(self.cluster, self.sink))

    def committed(self) -> list[int]:
        consumer = Consumer({**self.cluster, "group.id": f"g-{self.source}"})
        places = [TopicPartition(self.source, number) for number in range(3)]
        found = [place.offset for place in consumer.committed(places, timeout=10)]
        consumer.close()
        return found


@pytest.fixture
def topics(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Topics:
    return Topics(cluster, make_topic, tmp_path)


GOOD = [number for number in range(ROWS) if number != BAD]


def one_reject(snapshot: JobSnapshot, topics: Topics) -> None:
    [source] = snapshot.sources
    assert source.rows == ROWS - 1
    assert dict(source.rejects) == {"malformed": 1}
    assert source.first_reject == f"topic '{topics.source}', partition {BAD % 3}, offset {BAD // 3}"


def test_log_keeps_the_record_as_it_was(topics: Topics, spark: SparkSession) -> None:
    job = firesteel.run(topics.log(), spark=spark)
    assert topics.ids() == GOOD
    one_reject(job.snapshot(), topics)
    assert dict(job.snapshot().sources[0].dead_letters) == {topics.dead: 1}
    [letter] = read_records(topics.cluster, topics.dead)
    assert (letter.key, letter.value, letter.timestamp) == (f"k{BAD}".encode(), b"{oops", 1_700_000_000_000)
    assert letter.headers[:2] == (("trace", b"t1"), ("trace", b"t2"))
    said = dict(letter.headers)
    assert said["__error.reason"] == b"malformed"
    assert said["__error.topic"] == topics.source.encode()
    assert (said["__error.partition"], said["__error.offset"]) == (b"%d" % (BAD % 3), b"%d" % (BAD // 3))
    assert (said["__error.table"], said["__error.job"]) == (b"src", b"copy")
    # Nothing is left behind, and nothing of it comes again.
    assert not list((topics.folder / ".firesteel" / "copy" / "1-snk" / "dead").iterdir())


def test_fail_stops_and_ignore_goes_on_from_there(topics: Topics, spark: SparkSession) -> None:
    with pytest.raises(firesteel.JobError) as error:
        firesteel.run(topics.script(), spark=spark)
    assert f"topic '{topics.source}', partition {BAD % 3}, offset {BAD // 3}" in str(error.value)
    # The batch before it is done, the one with the bad record is not.
    assert all(offset <= BAD // 3 for offset in topics.committed())
    assert BAD not in topics.ids()
    job = firesteel.run(topics.script("'error-handling.mode' = 'ignore'"), spark=spark)
    assert job.resumed
    assert sorted(set(topics.ids())) == GOOD
    assert job.snapshot().rejects == 1
    assert topics.committed() == [ROWS // 3] * 3


def test_the_topic_is_made_when_it_is_missing(topics: Topics, spark: SparkSession) -> None:
    topics.dead = f"{topics.dead}-new"
    firesteel.run(topics.log(), spark=spark)
    assert len(list(read_records(topics.cluster, topics.dead))) == 1


def test_a_pattern_must_not_match_the_target(topics: Topics, spark: SparkSession) -> None:
    script = topics.log()
    script.write_text(
        script.read_text().replace(f"'topic' = '{topics.source}'", "'topic-pattern' = 'test_a_pattern.*'")
    )
    with pytest.raises(firesteel.UsageError, match="'topic-pattern' matches"):
        firesteel.run(script, spark=spark)


def test_findings_d3_a_bad_record_that_is_too_large_for_its_topic_is_cut(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, spark: SparkSession
) -> None:
    """One bad record does not stop a job that is to survive bad records."""
    topics = Topics(cluster, make_topic, tmp_path)
    topics.dead = make_topic(max_message_bytes="2000")
    producer = Producer(cluster)
    producer.produce(topics.source, b"{" + b"y" * 50_000, b"large", 0)
    producer.flush()
    job = firesteel.run(topics.log(), spark=spark)
    assert job.snapshot().rejects == 2
    letters = {record.key: record for record in read_records(cluster, topics.dead)}
    assert letters[f"k{BAD}".encode()].value == b"{oops"
    cut = letters[b"large"]
    assert cut.value is not None and cut.value.startswith(b"{yyyy") and len(cut.value) < 2000
