"""What a query is told of a table, without any Spark."""

from __future__ import annotations

from firesteel.errors import Source
from firesteel.plan.analyze import analyze
from firesteel.plan.node.relation import scans
from firesteel.spark.job import stream

KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json', 'topic' ="


def idle_seconds(hint: str, usual: float = 7.0) -> float:
    analysis = analyze(
        Source(
            "job.sql",
            f"CREATE TABLE s (id INT) WITH ({KAFKA} 's'); CREATE TABLE d (id INT) WITH ({KAFKA} 'd');"
            f"INSERT INTO d SELECT id FROM s {hint};",
        )
    )
    assert not analysis.errors
    [scan] = scans(analysis.sinks[0])
    return stream.idle_seconds(scan.table, usual)


def test_findings_b5_the_idle_timeout_of_one_table() -> None:
    assert idle_seconds("") == 7
    assert idle_seconds("/*+ OPTIONS('scan.watermark.idle-timeout' = 'PT1M') */") == 60
    assert idle_seconds("/*+ OPTIONS('scan.watermark.idle-timeout' = '0') */") == 0
