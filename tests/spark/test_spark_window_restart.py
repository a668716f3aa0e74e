"""Windows over rows that change are answered once, with what came before a stop and after it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.deadline import wait_for

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.record import read_records, write_records

SCRIPT = """
SET 'parallelism.default' = '{tasks}';
CREATE TABLE src (id INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'kafka',
  'topic' = '{name}-in', {common}, 'format' = 'debezium-json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE dest (s TIMESTAMP(3), n BIGINT, best INT) WITH ('connector' = 'kafka', 'topic' = '{name}-out', {common}, 'format' = 'json');
INSERT INTO dest SELECT window_start, COUNT(*), MAX(v)
  FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
"""


@pytest.mark.spark
@pytest.mark.parametrize("tasks", [2, 3])
def test_windows_go_on_after_a_stop(tmp_path: Path, cluster: dict[str, str], spark: SparkSession, tasks: int) -> None:
    """`tasks`: how many there are after it."""
    for side in ("in", "out"):
        create_topic(cluster, f"restarted-{tasks}-{side}")
    common = f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"
    script = tmp_path / "job.sql"
    name = f"restarted-{tasks}"
    script.write_text(SCRIPT.format(common=common, name=name, tasks=2))

    def row(key: int, value: int, second: int) -> dict[str, object]:
        return {"id": key, "v": value, "ts": f"2024-01-01 00:00:{second:02d}"}

    def write(*changes: tuple[dict[str, object] | None, dict[str, object] | None]) -> None:
        records = [{"before": before, "after": after, "op": "u" if before else "c"} for before, after in changes]
        write_records(cluster, f"{name}-in", [(None, json.dumps(record).encode()) for record in records])

    def answers() -> list[tuple[str, int, int]]:
        found = [json.loads(record.value or b"") for record in read_records(cluster, f"{name}-out")]
        return [(one["s"][-2:], one["n"], one["best"]) for one in found]

    write((None, row(1, 5, 1)), (None, row(2, 9, 2)), (None, row(3, 1, 12)))
    job = firesteel.start(script, spark=spark)
    try:
        wait_for(lambda: len(answers()) == 1, 120)
    finally:
        job.stop()
    assert answers() == [("00", 2, 9)]
    # One change belongs to a window that was answered, one takes a row of an open window back.
    write((row(2, 9, 2), row(2, 4, 3)), (row(3, 1, 12), row(3, 7, 13)), (None, row(4, 2, 14)), (None, row(5, 0, 31)))
    script.write_text(SCRIPT.format(common=common, name=name, tasks=tasks))
    job = firesteel.start(script, spark=spark)
    try:
        wait_for(lambda: len(answers()) == 2, 120)
        wait_for(lambda: job.snapshot().late == 2, 30)
    finally:
        job.stop()
    assert answers() == [("00", 2, 9), ("10", 2, 7)]
