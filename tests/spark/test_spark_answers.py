"""What jobs answer where Spark by itself would answer otherwise than Flink, and records that no job may stumble over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from pyspark.sql import SparkSession
from tests.script import BOUNDED, EARLIEST, UPSERT, create_table

import firesteel
from firesteel.dev.record import read_records, write_records

pytestmark = pytest.mark.spark


class Script:
    """Tables over topics of their own, and what came out."""

    def __init__(self, cluster: dict[str, str], folder: Path) -> None:
        self.cluster, self.path = cluster, folder / "job.sql"
        self._parts: list[str] = []

    def source(self, name: str, columns: str, topic: str, *options: str) -> None:
        # An upsert table always begins at the beginning.
        kind = UPSERT if "PRIMARY KEY" in columns else EARLIEST
        self._parts.append(create_table(self.cluster, name, columns, topic, kind, BOUNDED, *options))

    def sink(self, name: str, columns: str, topic: str, *options: str) -> None:
        self._parts.append(create_table(self.cluster, name, columns, topic, *options))

    def add(self, statement: str) -> None:
        self._parts.append(f"{statement};")

    def run(self, spark: SparkSession) -> firesteel.Job:
        self.path.write_text("\n".join(self._parts), encoding="utf-8")
        return firesteel.run(self.path, spark=spark)

    def values(self, topic: str) -> list[bytes | None]:
        return [record.value for record in read_records(self.cluster, topic)]


@pytest.fixture
def script(cluster: dict[str, str], tmp_path: Path) -> Script:
    return Script(cluster, tmp_path)


POISON = rb'{"id": 1, "dt": "20\ud800"}'


@pytest.mark.parametrize(
    ("name", "message", "good"),
    [
        ("json", b"%b", b'{"id": 2, "dt": "2020-01-01"}'),
        ("debezium-json", b'{"before":null,"after":%b,"op":"c"}', b'{"id": 2, "dt": "2020-01-01"}'),
        ("canal-json", b'{"data":[%b],"type":"INSERT"}', b'{"id": "2", "dt": "2020-01-01"}'),
    ],
)
def test_findings_d3_one_record_never_stops_a_job_that_logs(
    script: Script, make_topic: Callable[..., str], spark: SparkSession, name: str, message: bytes, good: bytes
) -> None:
    source, sink, dead = make_topic(), make_topic(), make_topic()
    poison = message % POISON
    write_records(script.cluster, source, [(None, poison), (None, message % good)])
    log = "'error-handling.mode' = 'log'", f"'error-handling.log.target' = '{dead}'"
    script.source("src", "id INT, dt DATE", source, f"'format' = '{name}'", *log)
    script.sink("snk", "id INT, dt DATE", sink, "" if name == "json" else "'format' = 'debezium-json'")
    script.add("INSERT INTO snk SELECT id, dt FROM src")
    job = script.run(spark)
    assert job.snapshot().rows_read == len(script.values(sink)) == 1
    [letter] = read_records(script.cluster, dead)
    assert letter.value == poison
    assert dict(letter.headers)["__error.column"] == b"dt"
    assert "20?" in (dict(letter.headers)["__error.detail"] or b"").decode()


@pytest.mark.parametrize("kind", ["LEFT", "RIGHT", "FULL", "ANTI"])
def test_findings_a8_each_topic_of_a_join_is_read_once(
    script: Script, make_topic: Callable[..., str], spark: SparkSession, kind: str
) -> None:
    facts, names, sink = make_topic(partitions=2), make_topic(), make_topic()
    write_records(script.cluster, facts, [(None, b'{"id":%d,"who":%d}' % (one, one % 7)) for one in range(500)])
    changes = [(b'{"who":%d}' % one, b'{"who":%d,"name":"n%d"}' % (one, one)) for one in range(5)]
    write_records(script.cluster, names, changes)
    script.source("facts", "id INT, who INT", facts)
    script.source("names", "who INT, name STRING, PRIMARY KEY (who) NOT ENFORCED", names)
    script.sink("snk", "id INT, name STRING", sink, "'format' = 'debezium-json'")
    script.add(
        f"INSERT INTO snk SELECT f.id, n.name FROM facts f {kind} JOIN names n ON f.who = n.who"
        if kind != "ANTI"
        else "INSERT INTO snk SELECT f.id, CAST(NULL AS STRING) FROM facts f"
        " WHERE NOT EXISTS (SELECT 1 FROM names n WHERE n.who = f.who)"
    )
    job = script.run(spark)
    assert {source.table: source.rows for source in job.snapshot().sources} == {"facts": 500, "names": 5}
    [plan] = job.spark_plans().values()
    assert plan.count("MicroBatchScan") == 2, plan
    net: dict[tuple[int | None, str | None], int] = {}
    for value in script.values(sink):
        change = orjson.loads(value or b"")
        row = change["after"] or change["before"]
        place = row["id"], row["name"]
        net[place] = net.get(place, 0) + (1 if change["op"] == "c" else -1)
    matched = {(one, f"n{one % 7}"): 1 for one in range(500) if one % 7 < 5}
    alone = {(one, None): 1 for one in range(500) if one % 7 >= 5}
    wanted = (matched if kind != "ANTI" else {}) | (alone if kind != "RIGHT" else {})
    assert {place: count for place, count in net.items() if count} == wanted


def test_findings_a8_a_topic_of_changes_is_read_once_for_distinct_values(
    script: Script, make_topic: Callable[..., str], spark: SparkSession
) -> None:
    changes, sink = make_topic(partitions=2), make_topic()
    rows = [b'{"before":null,"after":{"g":%d,"x":%d,"y":%d},"op":"c"}' % (n % 3, n, n % 5) for n in range(300)]
    write_records(script.cluster, changes, [(None, row) for row in rows])
    script.source("cdc", "g INT, x INT, y INT", changes, "'format' = 'debezium-json'")
    script.sink("snk", "g INT, s BIGINT, d BIGINT, PRIMARY KEY (g) NOT ENFORCED", sink, UPSERT)
    script.add("INSERT INTO snk SELECT g, SUM(x), COUNT(DISTINCT y) FROM cdc GROUP BY g")
    job = script.run(spark)
    assert job.snapshot().rows_read == 300
    last = {orjson.loads(value or b"")["g"]: value for value in script.values(sink)}
    assert last[0] == b'{"g":0,"s":14850,"d":5}'
