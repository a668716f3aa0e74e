"""What a worker is told of a table, without any Spark."""

from __future__ import annotations

from firesteel.errors import Source
from firesteel.plan.analyze import analyze
from firesteel.plan.node.relation import scans
from firesteel.spark.connector.kafka.runtime import bind_source
from firesteel.storage.local import LocalFolder

KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json', 'topic' ="


def idle_seconds(hint: str) -> float | None:
    analysis = analyze(
        Source(
            "job.sql",
            f"CREATE TABLE s (id INT) WITH ({KAFKA} 's'); CREATE TABLE d (id INT) WITH ({KAFKA} 'd');"
            f"INSERT INTO d SELECT id FROM s {hint};",
        )
    )
    assert not analysis.errors
    [scan] = scans(analysis.sinks[0])
    return bind_source(scan, 0, LocalFolder("/nowhere"), 1, cold=False, in_rocksdb=False).idle_seconds


def test_findings_b5_the_idle_timeout_of_one_table() -> None:
    assert idle_seconds("") is None
    assert idle_seconds("/*+ OPTIONS('scan.watermark.idle-timeout' = 'PT1M') */") == 60
    assert idle_seconds("/*+ OPTIONS('scan.watermark.idle-timeout' = '0') */") == 0
