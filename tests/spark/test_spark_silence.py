"""Time goes on where no rows come: windows of processing time are answered, and state that has expired is cleared away."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.deadline import wait_for

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.record import write_records

SCRIPT = """
SET 'parallelism.default' = '2';
SET 'table.exec.state.ttl' = '2 s';
CREATE TABLE src (k STRING, pt AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = '{name}-in', {common}, 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset');
CREATE TABLE grouped (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '{name}-grouped',
  {common}, 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE windows (k STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = '{name}-windows', {common}, 'format' = 'json');
INSERT INTO grouped SELECT k, COUNT(*) FROM src GROUP BY k;
INSERT INTO windows SELECT k, SUM(n) FROM (SELECT k, pt, 1 AS n FROM src WHERE k <> 'c')
  GROUP BY k, TUMBLE(pt, INTERVAL '3' SECOND);
"""


@pytest.mark.spark
def test_time_goes_on_without_rows(tmp_path: Path, cluster: dict[str, str], spark: SparkSession) -> None:
    for side in ("in", "grouped", "windows"):
        create_topic(cluster, f"silence-{side}")
    common = f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"
    script = tmp_path / "job.sql"
    script.write_text(SCRIPT.format(name="silence", common=common))
    write_records(cluster, "silence-in", [(None, json.dumps({"k": k}).encode()) for k in "aabc"])
    job = firesteel.start(script, spark=spark)
    try:

        def written(table: str) -> int:
            return sum(sink.rows for sink in job.snapshot().sinks if sink.table == table)

        def kept() -> int:
            return sum(operator.rows for operator in job.snapshot().operators)

        wait_for(lambda: written("grouped") == 3, 120)
        # No row comes any more.
        wait_for(lambda: written("windows") == 2, 60)
        wait_for(lambda: kept() == 0, 60)
        assert sum(operator.expired for operator in job.snapshot().operators) == 3
        # Nothing waits for the clock now, so no batch is run.
        before = job.snapshot().batches
        time.sleep(5)
        assert job.snapshot().batches <= before + 2
    finally:
        job.stop()
