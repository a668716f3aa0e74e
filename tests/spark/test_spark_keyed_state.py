"""What operators of the state engine keep is told while a job runs, and can be read when it has stopped."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.record import write_records
from firesteel.errors import JobError
from firesteel.observe.snapshot import JobSnapshot
from firesteel.ui.text import render_json, render_summary

SCRIPT = """
SET 'parallelism.default' = '2';
SET 'table.exec.state.ttl' = '{ttl}';
CREATE TABLE src (k STRING, v BIGINT, p AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = '{name}-in', {common},
  'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');
CREATE TABLE dest (k STRING, n BIGINT, d BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = '{name}-out', {common}, 'key.format' = 'json', 'value.format' = 'json');
"""
GROUPED = "INSERT INTO dest SELECT k, COUNT(*), COUNT(DISTINCT v) FROM src GROUP BY k;"
#: Two operators of the engine, one of which is only a part of its node.
ABOVE = """INSERT INTO dest SELECT /*+ STATE_TTL('t' = '0') */ k, COUNT(*), COUNT(DISTINCT v) FROM (
  SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, v ORDER BY p) AS n FROM src) WHERE n = 1) AS t GROUP BY k;
"""


class Runs:
    """A job over a topic of its own, run again and again."""

    def __init__(self, folder: Path, cluster: dict[str, str], spark: SparkSession, insert: str, ttl: str) -> None:
        self.cluster, self.spark, self.script = cluster, spark, folder / "job.sql"
        self.name = re.sub(r"\W", "-", f"keyed-{folder.name}")
        for side in ("in", "out"):
            create_topic(cluster, f"{self.name}-{side}")
        common = f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"
        self.script.write_text(SCRIPT.format(name=self.name, common=common, ttl=ttl) + insert)

    def run(self, rows: list[tuple[str, int]]) -> JobSnapshot:
        records = [(None, json.dumps({"k": k, "v": v}).encode()) for k, v in rows]
        write_records(self.cluster, f"{self.name}-in", records)
        job = firesteel.start(self.script, spark=self.spark)
        try:
            assert job.wait(120)
        finally:
            job.stop()
        return job.snapshot()


@pytest.mark.spark
def test_the_snapshot_tells_what_an_operator_keeps_and_what_expired(
    tmp_path: Path, cluster: dict[str, str], spark: SparkSession
) -> None:
    runs = Runs(tmp_path, cluster, spark, GROUPED, "1 s")
    (kept,) = runs.run([("a", 1), ("a", 2), ("b", 1), ("c", 1)]).operators
    # Three groups and four distinct values.
    assert kept.operator == "GroupAggregate by k" and kept.query == "1-dest"
    assert kept.rows == 7 and kept.segments >= 2 and 0 < kept.bytes <= kept.written
    assert kept.oldest is not None and kept.expired == 0
    later = runs.run([("a", 1), ("b", 1), ("c", 1)])
    (kept,) = later.operators
    assert kept.expired > 0
    told = json.loads(render_json(later))["operators"]
    assert [one["operator"] for one in told] == ["GroupAggregate by k"] and told[0]["expired"] == kept.expired
    assert "  kept     GroupAggregate by k" in render_summary(later)


@pytest.mark.spark
@pytest.mark.parametrize("place", [0.1, 0.5])
def test_a_job_on_damaged_state_says_so_in_one_sentence(
    tmp_path: Path, cluster: dict[str, str], spark: SparkSession, place: float
) -> None:
    runs = Runs(tmp_path, cluster, spark, GROUPED, "1 h")
    runs.run([("a", 1), ("b", 1), ("c", 1)])
    # Spark still has the state of the first run in its hands: a copy is read from the files.
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / ".firesteel", copy / ".firesteel")
    runs.script = Path(shutil.copy(runs.script, copy))
    for path in (copy / ".firesteel" / "job" / "1-dest" / "state").glob("0/*/SSTs/*"):
        content = bytearray(path.read_bytes())
        content[int(len(content) * place)] ^= 255
        path.write_bytes(bytes(content))
    with pytest.raises(JobError) as caught:
        runs.run([("a", 1), ("b", 1), ("c", 1)])
    assert str(caught.value) == (
        "The state of 'GroupAggregate by k' in '1-dest' is damaged: Spark's store finds that it is not what was written."
        " Bring a copy back, or start over with --fresh."
    )


@pytest.mark.spark
def test_operators_above_each_other_are_told_each_once(
    tmp_path: Path, cluster: dict[str, str], spark: SparkSession
) -> None:
    kept = Runs(tmp_path, cluster, spark, ABOVE, "1 h").run([("a", 1), ("a", 1), ("a", 2), ("b", 1)]).operators
    assert {one.operator: one.rows for one in kept} == {"KeepFirst by k, v": 3, "DistinctParts by k, v": 3}
    assert len(kept) == 2
