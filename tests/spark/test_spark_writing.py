"""What options of a sink do to the messages in its topic: tasks, partitions, gathered changes, retractions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.deadline import wait_for

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.record import read_records

pytestmark = pytest.mark.spark

BOUNDED = "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'"
KEYED = "'connector' = 'kafka', 'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'name'"
UPSERT = "'connector' = 'upsert-kafka', 'key.format' = 'raw', 'value.format' = 'json'"
UPSERT_COLUMNS = "name STRING, id INT, PRIMARY KEY (name) NOT ENFORCED"


class Pair:
    """A source topic of `partitions` partitions and a sink topic of four."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.source, self.sink = make_topic(partitions=3), make_topic(partitions=4)

    def script(
        self,
        sink: str,
        *,
        columns: str = "name STRING, id INT",
        query: str = "SELECT name, id FROM src",
        source: str = f"'format' = 'json', {BOUNDED}",
        topic: str = "topic",
        servers: str = "properties.bootstrap.servers",
    ) -> Path:
        address = self.cluster["bootstrap.servers"]
        path = self.folder / "job.sql"
        path.write_text(
            f"CREATE TABLE src (name STRING, id INT) WITH ('connector' = 'kafka', 'topic' = '{self.source}',"
            f" 'properties.bootstrap.servers' = '{address}', {source});\n"
            f"CREATE TABLE snk ({columns}) WITH ('{topic}' = '{self.sink}', '{servers}' = '{address}', {sink});\n"
            f"INSERT INTO snk {query};\n"
        )
        return path

    def write(self, rows: Iterable[tuple[str, int]], partition: int = 0) -> None:
        self.write_values([json.dumps({"name": name, "id": number}) for name, number in rows], partition)

    def write_values(self, values: Iterable[str], partition: int = 0) -> None:
        producer = Producer(self.cluster)
        for value in values:
            producer.produce(self.source, value.encode(), partition=partition)
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


ROWS = [("a", 1), ("b", 2), ("a", 3), ("c", 4), ("b", 5), ("a", 6)]


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


def test_scan_parallelism_is_the_number_of_reading_tasks(pair: Pair, spark: SparkSession) -> None:
    for partition in range(3):
        pair.write([("a", partition)], partition)
    script = pair.script(
        f"{KEYED}, 'sink.partitioner' = 'fixed'", source=f"'format' = 'json', 'scan.parallelism' = '1', {BOUNDED}"
    )
    firesteel.run(script, spark=spark)
    assert [partition for partition, _, _ in pair.read()] == [0, 0, 0]


@pytest.mark.parametrize(("options", "ids"), [("", [1, 3, 6]), ("max-rows", [6])])
def test_gathered_changes_leave_the_last_of_each_key(
    options: str, ids: list[int], pair: Pair, spark: SparkSession
) -> None:
    pair.write(ROWS)
    flush = ", 'sink.buffer-flush.max-rows' = '100', 'sink.buffer-flush.interval' = '1 s'" if options else ""
    firesteel.run(pair.script(f"{UPSERT}{flush}", columns=UPSERT_COLUMNS), spark=spark)
    assert pair.ids("a") == ids
    assert pair.ids("b")[-1:] == [5] and pair.ids("c") == [4]


def test_words_counted_and_read_back(pair: Pair, spark: SparkSession) -> None:
    """Vector 73, one word to a batch, as Flink counts them without mini-batches."""
    pair.write((word, 0) for word in ["Good", "good", "study", "day", "day", "up", "Good", "boy"])
    one_by_one = f"'format' = 'json', 'scan.max-rows-per-batch' = '1', {BOUNDED}"
    columns = "name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED"
    query = "SELECT LOWER(name), COUNT(*) FROM src GROUP BY LOWER(name)"
    firesteel.run(pair.script(UPSERT, columns=columns, query=query, source=one_by_one), spark=spark)
    assert len(pair.read()) == 8 and all(value for _, _, value in pair.read())
    assert (pair.ids("good"), pair.ids("day")) == ([1, 2, 3], [1, 2])
    assert (pair.ids("study"), pair.ids("up"), pair.ids("boy")) == ([1], [1], [1])

    address = pair.cluster["bootstrap.servers"]
    back = pair.folder / "back.sql"
    back.write_text(
        f"CREATE TABLE counts ({columns}) WITH ('topic' = '{pair.sink}', 'properties.bootstrap.servers' = '{address}',"
        f" {UPSERT}, 'scan.bounded.mode' = 'latest-offset');\n"
        f"CREATE TABLE changes (name STRING, id BIGINT) WITH ('connector' = 'kafka', 'topic' = '{pair.sink}-changes',"
        f" 'properties.bootstrap.servers' = '{address}', 'format' = 'debezium-json');\n"
        "INSERT INTO changes SELECT name, id FROM counts WHERE name = 'good';\n"
    )
    create_topic(pair.cluster, f"{pair.sink}-changes", partitions=1)
    firesteel.run(back, spark=spark)
    found = [json.loads(one.value or b"") for one in read_records(pair.cluster, f"{pair.sink}-changes")]
    assert [(one["op"], (one["after"] or one["before"])["id"]) for one in found] == [
        ("c", 1),
        ("d", 1),
        ("c", 2),
        ("d", 2),
        ("c", 3),
    ]


def test_rows_of_the_script_are_written_once(pair: Pair, spark: SparkSession) -> None:
    query = (
        "SELECT name, id FROM (VALUES ('a', 1), ('b', CAST(NULL AS INT)), (UPPER('c'), 3)) AS t(name, id)"
        " UNION ALL SELECT 'one', 1 UNION ALL SELECT name, id FROM src"
    )
    pair.write([("k", 9)])
    script = pair.script(KEYED, query=query)
    for _ in range(2):
        firesteel.run(script, spark=spark)
        found = [(key, json.loads(value or "")["id"]) for _, key, value in pair.read()]
        assert sorted(found, key=str) == [("C", 3), ("a", 1), ("b", None), ("k", 9), ("one", 1)]


def test_rows_of_the_script_can_be_counted(pair: Pair, spark: SparkSession) -> None:
    rows = "VALUES ('a', 1), ('b', 2), ('a', 5)"
    columns = "name STRING, id BIGINT, first_id INT, PRIMARY KEY (name) NOT ENFORCED"
    query = f"SELECT name, COUNT(*), FIRST_VALUE(id) FROM ({rows}) AS t(name, id) GROUP BY name"
    once = ", 'sink.delivery-guarantee' = 'exactly-once'"
    job = firesteel.run(pair.script(f"{UPSERT}{once}", columns=columns, query=query), spark=spark)
    assert job.snapshot().rows_written == 2
    found = {key: json.loads(value or "") for _, key, value in pair.read()}
    assert [found[key]["id"] for key in "ab"] == [2, 1]
    assert [found[key]["first_id"] for key in "ab"] == [1, 2]


def test_a_sink_that_promises_nothing(pair: Pair, spark: SparkSession) -> None:
    pair.write(ROWS)
    firesteel.run(pair.script(f"{KEYED}, 'sink.delivery-guarantee' = 'none'"), spark=spark)
    assert sorted(pair.ids("a")) == [1, 3, 6]


RETRACT = "'connector.type' = 'kafka', 'format.type' = 'json', 'update-mode' = 'retract'"


def test_retract_takes_the_old_row_back_first(pair: Pair, spark: SparkSession) -> None:
    pair.write_values(
        [
            '{"before":null,"after":{"name":"a","id":1},"op":"c"}',
            '{"before":{"name":"a","id":1},"after":{"name":"a","id":2},"op":"u"}',
            '{"before":{"name":"a","id":2},"after":null,"op":"d"}',
        ]
    )
    script = pair.script(
        RETRACT,
        columns=UPSERT_COLUMNS,
        source=f"'format' = 'debezium-json', {BOUNDED}",
        topic="connector.topic",
        servers="connector.properties.bootstrap.servers",
    )
    firesteel.run(script, spark=spark)
    assert [value for _, _, value in pair.read()] == ['{"name":"a","id":1}', None, '{"name":"a","id":2}', None]


def test_retract_of_an_aggregate(pair: Pair, spark: SparkSession) -> None:
    pair.write([("a", 1)])
    script = pair.script(
        RETRACT,
        columns="name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED",
        query="SELECT name, COUNT(*) FROM src GROUP BY name",
        source="'format' = 'json', 'scan.startup.mode' = 'earliest-offset'",
        topic="connector.topic",
        servers="connector.properties.bootstrap.servers",
    )
    job = firesteel.start(script, spark=spark)
    try:
        wait_for(lambda: len(pair.read()) == 1)
        pair.write([("a", 2)])
        wait_for(lambda: len(pair.read()) == 3)
    finally:
        job.stop()
    assert [value for _, _, value in pair.read()] == ['{"name":"a","id":1}', None, '{"name":"a","id":2}']


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


def test_findings_b10_a_header_filter_filters(pair: Pair, spark: SparkSession) -> None:
    producer = Producer(pair.cluster)
    wanted: list[tuple[str, list[tuple[str, str | bytes | None]]]] = [
        ("toy", [("depart", b"toy")]),
        ("book", [("depart", b"other"), ("depart", b"book")]),
        ("test", [("depart", b"toy"), ("env", b"test")]),
        ("none", []),
        ("null", [("depart", None)]),
    ]
    for name, headers in wanted:
        producer.produce(pair.source, json.dumps({"name": name, "id": 1}).encode(), partition=0, headers=headers)
    producer.flush(30)
    kept = "'scan.header-filter' = 'depart:toy|depart:book&!env:test'"
    firesteel.run(pair.script(KEYED, source=f"'format' = 'json', {BOUNDED}, {kept}"), spark=spark)
    assert {key for _, key, _ in pair.read()} == {"book", "toy"}


def test_findings_b4_a_length_that_is_enforced(pair: Pair, spark: SparkSession) -> None:
    pair.write([("abc", 1)])
    settings = {"table.exec.sink.type-length-enforcer": "ERROR"}
    # A source does not look at lengths, and a query that says so with its types is not cut by the INSERT's own cast.
    script = pair.script(KEYED, columns="name VARCHAR(3), id INT")
    text = script.read_text().replace("src (name STRING", "src (name VARCHAR(3)")
    script.write_text(text)
    firesteel.run(script, spark=spark, settings=settings)
    assert [key for _, key, _ in pair.read()] == ["abc"]
    script.write_text(text.replace("VARCHAR(3)", "VARCHAR(2)"))
    with pytest.raises(firesteel.JobError, match=r"is of type VARCHAR\(2\) and a row has a value of another length"):
        firesteel.run(script, spark=spark, settings=settings, fresh=True)


def test_findings_b8_qualify_keeps_the_latest(pair: Pair, spark: SparkSession) -> None:
    pair.write([("a", 1), ("b", 5), ("a", 3), ("a", 2)])
    query = "SELECT name, id FROM src QUALIFY ROW_NUMBER() OVER (PARTITION BY name ORDER BY id DESC) = 1"
    firesteel.run(pair.script(UPSERT, columns=UPSERT_COLUMNS, query=query), spark=spark)
    latest = {key: value for _, key, value in pair.read()}
    assert latest == {"a": '{"name":"a","id":3}', "b": '{"name":"b","id":5}'}


def test_findings_b10_raw_keys_and_values(pair: Pair, spark: SparkSession) -> None:
    producer = Producer(pair.cluster)
    producer.produce(pair.source, b'{"name":"a","id":1}', key=b"k\xff", partition=0)
    producer.produce(pair.source, b'{"name":"b"}', partition=0)
    producer.flush(30)
    script = pair.script(KEYED, columns="name STRING, k STRING, v BYTES", query="SELECT name, k, v FROM src")
    script.write_text(
        script.read_text().replace(
            "src (name STRING, id INT)",
            "src (name STRING, k STRING METADATA FROM '__raw_key__' VIRTUAL, v BYTES METADATA FROM 'raw-value' VIRTUAL)",
        )
    )
    firesteel.run(script, spark=spark)
    values = {key: json.loads(value or "null") for _, key, value in pair.read()}
    assert values == {
        "a": {"name": "a", "k": "k\ufffd", "v": "eyJuYW1lIjoiYSIsImlkIjoxfQ=="},
        "b": {"name": "b", "k": None, "v": "eyJuYW1lIjoiYiJ9"},
    }


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


def test_findings_b10_a_prefix_of_the_value_columns(pair: Pair, spark: SparkSession) -> None:
    pair.write([("a", 1), ("b", 2)])
    prefixed = "'value.fields-prefix' = 'v_'"
    sink = (
        f"{KEYED.replace('= ' + chr(39) + 'name', '= ' + chr(39) + 'k_name')}, 'key.fields-prefix' = 'k_',"
        f" 'value.fields-include' = 'EXCEPT_KEY', {prefixed}"
    )
    script = pair.script(
        sink,
        columns="k_name STRING, v_id INT",
        query="SELECT v_name, v_id FROM src",
        source=f"'format' = 'json', {BOUNDED}, {prefixed}",
    )
    script.write_text(script.read_text().replace("src (name STRING, id INT)", "src (v_name STRING, v_id INT)"))
    firesteel.run(script, spark=spark)
    assert {key: value for _, key, value in pair.read()} == {"a": '{"id":1}', "b": '{"id":2}'}
