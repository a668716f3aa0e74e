"""Row 12: Spark starts a second attempt beside a writer or a task of the state engine that sleeps. Part of `make soak`: it needs a cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from bench.cluster import cluster as spark_cluster
from tests.faults.oracle import fill, open_ends
from tests.oracle.topic import upserted
from tests.script import BOUNDED, EARLIEST, UPSERT, create_table
from tests.spark.test_spark_fault import faults

from firesteel.dev.record import read_records, write_records
from firesteel.spark.fault import VARIABLE

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not os.environ.get("FIRESTEEL_SOAK"), reason="part of make soak"),
]

ROWS = 20_000

SPECULATION = """
SET 'spark.speculation' = 'true';
SET 'spark.speculation.interval' = '100ms';
SET 'spark.speculation.task.duration.threshold' = '2s';
"""
SCRIPT = """
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
    script.write_text(SPECULATION + SCRIPT.format(source=source, sink=sink, common=common))
    fault = tmp_path / "fault"
    fault.write_text("m3 * stop 1")
    ended = run_on_two_hosts(script, tmp_path, {VARIABLE: str(fault)})
    assert ended.returncode == 0, ended.stderr
    assert not fault.exists(), "the writer did not sleep"
    ids = sorted(json.loads(record.value or b"{}")["id"] for record in read_records(cluster, sink))
    assert ids == list(range(ROWS))
    assert open_ends(cluster, sink) == []


def test_a_second_attempt_beside_a_task_of_the_state_engine_that_sleeps(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first attempt sleeps before its state is read, between two pieces of it, behind its commit and behind its output."""
    source, sink = make_topic(partitions=2), make_topic()
    rows = [{"k": row % 40, "v": row % 7} for row in range(1_000)]
    write_records(cluster, source, [(None, json.dumps(row).encode()) for row in rows])
    script = tmp_path / "groups.sql"
    script.write_text(
        SPECULATION
        + "SET 'parallelism.default' = '2';\nSET 'table.exec.state.ttl' = '1 d';\n"
        + create_table(cluster, "src", "k INT, v INT", source, EARLIEST, BOUNDED, "'scan.max-rows-per-batch' = '100'")
        + create_table(cluster, "snk", "k INT, n BIGINT, d BIGINT, PRIMARY KEY (k) NOT ENFORCED", sink, UPSERT)
        + "INSERT INTO snk SELECT k, COUNT(*), COUNT(DISTINCT v) FROM src GROUP BY k;\n"
    )
    asked = [f"{moment} {batch} stop" for batch, moment in enumerate(("s1", "s2", "s3", "s4"), start=2)]
    with faults(tmp_path / "fault", asked, monkeypatch) as done:
        ended = run_on_two_hosts(script, tmp_path, {})
    assert ended.returncode == 0, ended.stderr
    assert done == asked
    found = {row["k"]: (row["n"], row["d"]) for row in upserted(cluster, sink)}
    sizes = Counter(row["k"] for row in rows)
    distinct = Counter(key for key, _ in {(row["k"], row["v"]) for row in rows})
    assert found == {key: (size, distinct[key]) for key, size in sizes.items()}


def run_on_two_hosts(script: Path, folder: Path, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a job on a cluster of two hosts: Spark starts no second attempt on the host of the first."""
    with spark_cluster(folder, ("127.0.0.1", "127.0.0.2")) as (master, _):
        return subprocess.run(
            [sys.executable, "-m", "firesteel.cli.main", "run", str(script), "--quiet", "--master", master],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
