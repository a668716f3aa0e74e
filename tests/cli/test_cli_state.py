"""`firesteel state`: what a stopped job keeps, and what it says where there is nothing to show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.cli.main import main
from firesteel.storage.local import LocalFolder
from firesteel.storage.lock import Lock

SCRIPT = """
SET 'parallelism.default' = '2';
SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE numbers (v BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '20', 'fields.v.kind' = 'sequence',
  'fields.v.start' = '1', 'fields.v.end' = '20');
CREATE TABLE dest (v BIGINT, n BIGINT, PRIMARY KEY (v) NOT ENFORCED) WITH ('connector' = 'blackhole');
CREATE TABLE copy (v BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO dest SELECT v / 10, COUNT(*) FROM numbers GROUP BY v / 10;
INSERT INTO copy SELECT v FROM numbers;
"""


def keep(folder: Path, plan: str) -> Path:
    """Makes the folder of a job that has such a plan."""
    script = folder / "job.sql"
    script.write_text(SCRIPT)
    state = LocalFolder(str(folder / ".firesteel" / "job"))
    state.write_text(
        "firesteel.json", json.dumps({"version": 1, "fingerprints": {"1-dest": "x"}, "plans": {"1-dest": plan}})
    )
    return script


def test_a_job_that_never_ran_has_no_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "job.sql"
    script.write_text(SCRIPT)
    assert main(["state", str(script)]) == 2
    assert capsys.readouterr().err.startswith("'job' has no state: there is no '")


def test_the_state_of_a_job_that_runs_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = keep(tmp_path, "Scan")
    lock = Lock(LocalFolder(str(tmp_path / ".firesteel" / "job")))
    assert main(["state", str(script)]) == 2
    lock.release()
    assert capsys.readouterr().err.startswith("Another process runs this job: it holds the state in '")


def test_state_of_sparks_own_operators_is_said_to_be_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["state", str(keep(tmp_path, "Aggregate(groupBy=[k])"))]) == 0
    shown = capsys.readouterr().out
    assert shown == "1-dest\n  keeps nothing in the state engine: what state it has is Spark's own\n"


@pytest.mark.parametrize("key", ["", "k", "=a", "k=a,,"])
def test_a_key_needs_columns_and_values(tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str) -> None:
    assert main(["state", str(keep(tmp_path, "Scan")), "--key", key]) == 2
    assert capsys.readouterr().err.startswith("'--key' needs COLUMN=VALUE.")


def firesteel(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "firesteel.cli.main", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.spark
def test_state_is_listed_and_a_key_is_looked_up(tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text(SCRIPT)
    ran = firesteel("run", "--quiet", str(script))
    assert ran.returncode == 0, ran.stderr
    looked = firesteel("state", str(script), "--key", "v / 10=1", "--json")
    assert looked.returncode == 0, looked.stderr
    kept, copied = json.loads(looked.stdout)["inserts"]
    assert copied == {"insert": "2-copy", "operators": None}
    (operator,) = kept["operators"]
    assert kept["insert"] == "1-dest" and operator["rows"] == 3 and operator["tables"]["groups"]["rows"] == 3
    assert operator["format"] == 2 and operator["oldest"] is not None
    (row,) = operator["found"]
    assert row["table"] == "groups" and row["row"]["__rows"] == 10 and row["written"] is not None
