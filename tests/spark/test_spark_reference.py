"""The reference job on a real broker and real Spark: its three spellings, its bytes, its partitions, its plan."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fastavro import schemaless_reader
from pyspark.sql import SparkSession

import firesteel
from firesteel.dev.pageviews import PageViews, fill_topic
from firesteel.dev.record import Record, read_records

pytestmark = pytest.mark.spark

PARTITIONS = 4
VIEWS = PageViews(3_000, users=500)

SOURCE_COLUMNS = """\
  user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP, user_region STRING,
  WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND"""
SINK_COLUMNS = "user_region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (user_region) NOT ENFORCED"
QUERY = """
INSERT INTO pageviews_per_region
SELECT user_region, COUNT(*), COUNT(DISTINCT user_id) FROM pageviews GROUP BY user_region;
"""

#: The same job as Flink's and Alibaba's documents write it, and as Huawei's does.
SPELLINGS = {
    "flink": f"""
CREATE TABLE pageviews (
{SOURCE_COLUMNS}
) WITH ('connector' = 'kafka', 'topic' = '{{source}}', 'properties.bootstrap.servers' = '{{bootstrap}}',
        'value.format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');
CREATE TABLE pageviews_per_region ({SINK_COLUMNS})
WITH ('connector' = 'upsert-kafka', 'topic' = '{{sink}}', 'properties.bootstrap.servers' = '{{bootstrap}}',
      'key.format' = 'avro', 'value.format' = 'avro', 'sink.delivery-guarantee' = 'at-least-once');
{QUERY}""",
    "alibaba": f"""
CREATE TABLE pageviews (
{SOURCE_COLUMNS}
) WITH ('connector' = 'kafka', 'topic' = '{{source}}', 'properties.bootstrap.servers' = '{{bootstrap}}',
        'format' = 'json', 'scan.bounded.mode' = 'latest-offset');
CREATE TABLE pageviews_per_region ({SINK_COLUMNS})
WITH ('connector' = 'upsert-kafka', 'topic' = '{{sink}}', 'properties.bootstrap.servers' = '{{bootstrap}}',
      'key.format' = 'avro', 'value.format' = 'avro');
{QUERY}""",
    "dli": f"""
create table pageviews (
{SOURCE_COLUMNS}
) with ('connector.type' = 'kafka', 'connector.version' = '0.11', 'connector.topic' = '{{source}}',
        'connector.properties.bootstrap.servers' = '{{bootstrap}}', 'connector.startup-mode' = 'earliest-offset',
        'format.type' = 'json', 'scan.bounded.mode' = 'latest-offset');
create table pageviews_per_region ({SINK_COLUMNS})
with ('connector.type' = 'upsert-kafka', 'connector.version' = '0.11', 'connector.topic' = '{{sink}}',
      'connector.properties.bootstrap.servers' = '{{bootstrap}}', 'format.type' = 'avro');
{QUERY}""",
}

SCHEMA = {
    "type": "record",
    "name": "record",
    "namespace": "org.apache.flink.avro.generated",
    "fields": [
        {"name": "user_region", "type": "string"},
        {"name": "pv", "type": ["null", "long"], "default": None},
        {"name": "uv", "type": ["null", "long"], "default": None},
    ],
}
KEY_SCHEMA = {**SCHEMA, "fields": SCHEMA["fields"][:1]}


def murmur2(data: bytes) -> int:
    """Kafka's hash, written down from its definition: 32 bits, seed 0x9747b28c, the Java client's."""
    mask, m = 0xFFFFFFFF, 0x5BD1E995
    h = 0x9747B28C ^ len(data)
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i : i + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    rest = data[whole:]
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def test_murmur2_is_kafkas() -> None:
    assert murmur2(b"21") - 2**32 == -973932308
    assert murmur2(b"abc") == 479470107


def decode(record: Record) -> tuple[str, int, int]:
    assert record.value is not None
    value: Any = schemaless_reader(BytesIO(record.value), SCHEMA, SCHEMA)
    return value["user_region"], value["pv"], value["uv"]


@pytest.fixture(scope="module")
def filled(cluster: dict[str, str]) -> str:
    from firesteel.connectors.kafka.admin import create_topic

    create_topic(cluster, "reference-views", partitions=PARTITIONS)
    fill_topic(cluster, "reference-views", VIEWS, PARTITIONS)
    return "reference-views"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_each_spelling_gives_the_same_topic(
    spelling: str,
    filled: str,
    cluster: dict[str, str],
    make_topic: Callable[..., str],
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    sink = make_topic(partitions=PARTITIONS)
    script = tmp_path / f"{spelling}.sql"
    script.write_text(
        SPELLINGS[spelling].format(source=filled, sink=sink, bootstrap=cluster["bootstrap.servers"]), encoding="utf-8"
    )
    warnings = [problem.message for problem in firesteel.check(script) if not problem.is_error]
    assert any("earliest" in warning for warning in warnings) == (spelling == "alibaba")

    job = firesteel.run(script, spark=spark)

    last: dict[str, tuple[int, int]] = {}
    for record in read_records(cluster, sink):
        region, pv, uv = decode(record)
        last[region] = (pv, uv)
        assert record.key is not None
        key: Any = schemaless_reader(BytesIO(record.key), KEY_SCHEMA, KEY_SCHEMA)
        assert key == {"user_region": region}
        # Java masks the sign away and takes the remainder.
        assert record.partition == (murmur2(record.key) & 0x7FFFFFFF) % PARTITIONS
    assert last == VIEWS.expected_counts()
    assert job.snapshot().rows_read == VIEWS.rows
    [plan] = job.spark_plans().values()
    assert plan.count("MicroBatchScan") == 1, plan


@pytest.mark.parametrize(
    ("query", "scans"),
    [
        ("UPPER(user_region), COUNT(*), COUNT(DISTINCT user_id) FROM pageviews GROUP BY UPPER(user_region)", 1),
        ("user_region, COUNT(DISTINCT page_id), COUNT(DISTINCT user_id) FROM pageviews GROUP BY user_region", 1),
        (
            "user_region, COUNT(DISTINCT user_id) FILTER (WHERE page_id > 100), SUM(page_id) FROM pageviews"
            " WHERE user_id > 10 GROUP BY user_region",
            1,
        ),
    ],
)
def test_distinct_reads_the_source_once(
    query: str,
    scans: int,
    filled: str,
    cluster: dict[str, str],
    make_topic: Callable[..., str],
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    sink = make_topic()
    base, _, _ = SPELLINGS["flink"].partition("INSERT INTO")
    text = base.replace("avro", "json") + f"INSERT INTO pageviews_per_region SELECT {query};"
    script = tmp_path / "job.sql"
    script.write_text(text.format(source=filled, sink=sink, bootstrap=cluster["bootstrap.servers"]))
    job = firesteel.run(script, spark=spark)
    [plan] = job.spark_plans().values()
    assert plan.count("MicroBatchScan") == scans, plan
    assert job.snapshot().rows_read == VIEWS.rows
    assert last_values(cluster, sink) == _expected(query)


def last_values(cluster: dict[str, str], topic: str) -> dict[str, tuple[int, int]]:
    import json

    found = {}
    for record in read_records(cluster, topic):
        assert record.value is not None
        row = json.loads(record.value)
        found[row["user_region"]] = (row["pv"], row["uv"])
    return found


def _expected(query: str) -> dict[str, tuple[int, int]]:
    """The same by plain Python over the generated rows."""
    groups: dict[str, list[tuple[int, int]]] = {}
    for user, page, _, region in VIEWS.columns().iter_rows():
        groups.setdefault(region, []).append((user, page))
    if "UPPER" in query:
        return {region.upper(): (len(rows), len({user for user, _ in rows})) for region, rows in groups.items()}
    if "FILTER" in query:
        return {
            region: (
                len({user for user, page in rows if page > 100 and user > 10}),
                sum(page for user, page in rows if user > 10),
            )
            for region, rows in groups.items()
        }
    return {
        region: (len({page for _, page in rows}), len({user for user, _ in rows})) for region, rows in groups.items()
    }
