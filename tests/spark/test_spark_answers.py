"""What jobs answer where Spark by itself would answer otherwise than Flink, and records that no job may stumble over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import firesteel
from firesteel.dev.record import read_records, write_records

pytestmark = pytest.mark.spark


class Script:
    """Tables over topics of their own, and what came out."""

    def __init__(self, cluster: dict[str, str], folder: Path) -> None:
        self.cluster, self.path = cluster, folder / "job.sql"
        self._servers = f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"
        self._parts: list[str] = []

    def source(self, name: str, columns: str, topic: str, *options: str) -> None:
        said = "".join(f", {option}" for option in options)
        self._parts.append(
            f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}', {self._servers},"
            f" 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'{said});"
        )

    def sink(self, name: str, columns: str, topic: str, *options: str) -> None:
        said = "".join(f", {option}" for option in options)
        self._parts.append(f"CREATE TABLE {name} ({columns}) WITH ('topic' = '{topic}', {self._servers}{said});")

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


UPSERT = (
    "'connector' = 'upsert-kafka'",
    "'key.format' = 'json'",
    "'value.format' = 'json'",
)
JSON = ("'connector' = 'kafka'", "'format' = 'json'")


def test_findings_e2_a_global_aggregate_of_no_rows_writes_nothing(
    script: Script, make_topic: Callable[..., str], spark: SparkSession
) -> None:
    rows, changes, plain, distinct, changed, after = (make_topic() for _ in range(6))
    write_records(script.cluster, rows, [(None, b'{"id":1}'), (None, b'{"id":2}')])
    write_records(
        script.cluster,
        changes,
        [(None, b'{"before":null,"after":{"id":%d},"op":"%b"}' % (1, kind)) for kind in (b"c",)],
    )
    script.source("src", "id INT", rows, "'format' = 'json'")
    script.source("cdc", "id INT", changes, "'format' = 'debezium-json'")
    for name, topic in (("a", plain), ("b", distinct), ("c", changed), ("d", after)):
        script.sink(name, "k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED", topic, *UPSERT)
    script.add("INSERT INTO a SELECT 1, n FROM (SELECT COUNT(*) AS n FROM src WHERE id > 5)")
    script.add("INSERT INTO b SELECT 1, n FROM (SELECT COUNT(DISTINCT id) AS n FROM src WHERE id > 5)")
    script.add("INSERT INTO c SELECT 1, n FROM (SELECT COUNT(*) AS n FROM cdc WHERE id > 5)")
    script.add("INSERT INTO d SELECT 1, n FROM (SELECT COUNT(*) AS n FROM src)")
    script.run(spark)
    assert script.values(plain) == script.values(distinct) == script.values(changed) == []
    assert script.values(after) == [b'{"k":1,"n":2}']


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
    changes = "'connector' = 'kafka'", "'format' = 'debezium-json'"
    script.sink("snk", "id INT, dt DATE", sink, *(JSON if name == "json" else changes))
    script.add("INSERT INTO snk SELECT id, dt FROM src")
    job = script.run(spark)
    assert job.snapshot().rows_read == len(script.values(sink)) == 1
    [letter] = read_records(script.cluster, dead)
    assert letter.value == poison
    assert dict(letter.headers)["__error.column"] == b"dt"
    assert "20?" in (dict(letter.headers)["__error.detail"] or b"").decode()
