"""Row 12: Spark starts a second attempt beside a writer that sleeps. Part of `make soak`: it needs a cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bench.cluster import cluster as spark_cluster
from tests.faults.oracle import fill, open_ends

from firesteel.dev.record import read_records
from firesteel.spark.fault import VARIABLE

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not os.environ.get("FIRESTEEL_SOAK"), reason="part of make soak"),
]

ROWS = 20_000

SCRIPT = """
SET 'spark.speculation' = 'true';
SET 'spark.speculation.interval' = '100ms';
SET 'spark.speculation.task.duration.threshold' = '2s';
CREATE TABLE src (id BIGINT, k STRING) WITH ('connector' = 'kafka', 'topic' = '{source}', {common}, 'format' = 'json',
  'properties.group.id' = 'g-{source}', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');
CREATE TABLE snk (id BIGINT, k STRING) WITH ('connector' = 'kafka', 'topic' = '{sink}', {common}, 'format' = 'json',
  'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO snk SELECT id, k FROM src;
"""


def test_a_second_attempt_beside_a_writer_that_sleeps(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    source, sink = make_topic(partitions=2), make_topic(partitions=2)
    fill(cluster, source, 0, ROWS)
    common = f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"
    script = tmp_path / "twice.sql"
    script.write_text(SCRIPT.format(source=source, sink=sink, common=common))
    fault = tmp_path / "fault"
    fault.write_text("m3 * stop 1")
    # Spark starts no second attempt on the host of the first.
    with spark_cluster(tmp_path, ("127.0.0.1", "127.0.0.2")) as (master, _):
        ended = subprocess.run(
            [sys.executable, "-m", "firesteel.cli.main", "run", str(script), "--quiet", "--master", master],
            env={**os.environ, VARIABLE: str(fault)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    assert not fault.exists(), "the writer did not sleep"
    ids = sorted(json.loads(record.value or b"{}")["id"] for record in read_records(cluster, sink))
    assert ids == list(range(ROWS))
    assert open_ends(cluster, sink) == []
