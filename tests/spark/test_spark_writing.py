"""What options of a sink do to the tasks and the partitions of its topic."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.script import BOUNDED, EARLIEST, create_table

import firesteel
from firesteel.dev.record import read_records

pytestmark = pytest.mark.spark

KEYED = "'key.format' = 'raw', 'key.fields' = 'name'"
UPSERT = "'connector' = 'upsert-kafka', 'key.format' = 'raw', 'value.format' = 'json'"


class Pair:
    """A source topic of three partitions and a sink topic of four."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.source, self.sink = make_topic(partitions=3), make_topic(partitions=4)

    def script(
        self,
        sink: str,
        *,
        columns: str = "name STRING, id INT",
        query: str = "SELECT name, id FROM src",
    ) -> Path:
        path = self.folder / "job.sql"
        path.write_text(
            create_table(self.cluster, "src", "name STRING, id INT", self.source, EARLIEST, BOUNDED)
            + create_table(self.cluster, "snk", columns, self.sink, sink)
            + f"INSERT INTO snk {query};\n"
        )
        return path

    def write(self, rows: Iterable[tuple[str, int]], partition: int = 0) -> None:
        producer = Producer(self.cluster)
        for name, number in rows:
            producer.produce(self.source, json.dumps({"name": name, "id": number}), partition=partition)
        producer.flush(30)

    def read(self) -> list[tuple[int, str | None, str | None]]:
        """Partition, key and value of each message, partition by partition."""

        def text(data: bytes | None) -> str | None:
            return None if data is None else data.decode()

        found = [(one.partition, text(one.key), text(one.value)) for one in read_records(self.cluster, self.sink)]
        return sorted(found, key=lambda message: message[0])

    def ids(self, name: str) -> list[int]:
        """What was written under a key, in order."""
        return [json.loads(value)["id"] for _, key, value in self.read() if key == name and value]


@pytest.fixture
def pair(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Pair:
    return Pair(cluster, make_topic, tmp_path)


@pytest.mark.parametrize(("tasks", "partitions"), [(1, {0}), (6, {0, 1, 2, 3})])
def test_sink_parallelism_is_the_number_of_writing_tasks(
    tasks: int, partitions: set[int], pair: Pair, spark: SparkSession
) -> None:
    """Each task of the partitioner `fixed` keeps to one partition, so the partitions show the tasks."""
    for partition in range(3):
        pair.write(((f"k{partition}-{number}", number) for number in range(40)), partition)
    options = f"{KEYED}, 'sink.partitioner' = 'fixed', 'sink.parallelism' = '{tasks}'"
    firesteel.run(pair.script(options), spark=spark)
    found = pair.read()
    assert {partition for partition, _, _ in found} == partitions
    assert len(found) == 120


def test_a_key_keeps_its_order_in_more_tasks(pair: Pair, spark: SparkSession) -> None:
    pair.write([(f"k{number % 5}", number) for number in range(1000)])
    firesteel.run(pair.script(f"{KEYED}, 'sink.parallelism' = '5'"), spark=spark)
    for key in range(5):
        assert pair.ids(f"k{key}") == list(range(key, 1000, 5))


OWN = "tests.spark.spark_partitioner"


def test_a_partitioner_of_ones_own(pair: Pair, spark: SparkSession) -> None:
    pair.write([("a", 1), ("bb", 2), ("ccc", 3), ("dddd", 4)])
    script = pair.script(f"{KEYED}, 'sink.partitioner' = '{OWN}.ByLength'")
    firesteel.run(script, spark=spark, python_functions=[OWN])
    assert [(partition, key) for partition, key, _ in pair.read()] == [(0, "dddd"), (1, "a"), (2, "bb"), (3, "ccc")]


def test_findings_a12_a_partitioner_beside_the_script(pair: Pair, spark: SparkSession) -> None:
    pair.write([("a", 1), ("bb", 2)])
    (pair.folder / "beside_a12.py").write_text(
        "import helper_a12\n\n\nclass Third:\n    def partition(self, key, value, topic, partitions):\n"
        "        return helper_a12.choose(partitions)\n"
    )
    (pair.folder / "helper_a12.py").write_text("def choose(partitions):\n    return partitions[2]\n")
    script = pair.script(f"{KEYED}, 'sink.partitioner' = 'beside_a12.Third'")
    with pytest.raises(firesteel.ScriptError, match="which is not allowed to run here"):
        firesteel.run(script, spark=spark)
    firesteel.run(script, spark=spark, python_functions=["beside_a12"])
    assert [(partition, key) for partition, key, _ in pair.read()] == [(2, "a"), (2, "bb")]


def test_a_partitioner_that_cannot_be_used(pair: Pair, spark: SparkSession) -> None:
    for name, told in (("NoPartitioner", "no class with a method 'partition'"), ("Missing", "has no class 'Missing'")):
        with pytest.raises(firesteel.ScriptError, match=told):
            script = pair.script(f"{KEYED}, 'sink.partitioner' = '{OWN}.{name}'")
            firesteel.start(script, spark=spark, python_functions=[OWN])
    pair.write([("a", 1)])
    with pytest.raises(firesteel.JobError, match=r"gave '99' for .*, which has the partitions 0, 1, 2, 3"):
        script = pair.script(f"{KEYED}, 'sink.partitioner' = '{OWN}.Astray'")
        firesteel.run(script, spark=spark, python_functions=[OWN])


def test_findings_a7_the_parallelism_of_the_table_goes_first(pair: Pair, spark: SparkSession) -> None:
    pair.write([(str(number), number) for number in range(40)])
    settings = {"parallelism.default": "4", "table.exec.resource.default-parallelism": "3"}
    job = firesteel.run(
        pair.script(
            f"{UPSERT}, 'sink.partitioner' = 'fixed'",
            columns="name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED",
            query="SELECT name, COUNT(*) FROM src GROUP BY name",
        ),
        spark=spark,
        settings=settings,
    )
    assert len(pair.read()) == 40
    assert {partition for partition, _, _ in pair.read()} == {0, 1, 2}
    assert job.snapshot().rows_written == 40
