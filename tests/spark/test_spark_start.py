"""What is missing at a start is told in a sentence (finding c6)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.script import BOUNDED
from tests.spark.test_spark_job import Table

import firesteel
from firesteel.errors import OutsideError, UsageError
from firesteel.spark.failure import explain_failure
from firesteel.spark.job.checkpoint import Checkpoint
from firesteel.spark.start import version
from firesteel.spark.start.cluster import check_master
from firesteel.spark.start.version import check_pyspark
from firesteel.storage.local import LocalFolder

SCRIPT = """
CREATE TABLE src (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'nowhere:1',
  'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE snk (id INT) WITH ('connector' = 'kafka', 'topic' = 'u', 'properties.bootstrap.servers' = 'nowhere:1',
  'format' = 'json');
INSERT INTO snk SELECT id FROM src;
"""


@pytest.mark.parametrize("found", ["4.1.4", "3.5.6", "4.4.0", "5.0.0.dev0", None])
def test_findings_c6_another_pyspark_is_refused(found: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "_installed", lambda: found)
    what = f"PySpark {found} is installed" if found else "PySpark is not installed"
    with pytest.raises(OutsideError, match=f"{what}, and Firesteel needs PySpark 4.2 or later, before 4.4"):
        firesteel.start(SCRIPT)


@pytest.mark.parametrize("found", ["4.2.0", "4.2.1", "4.3.0", "4.3.1+vendor"])
def test_a_pyspark_that_will_do(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "_installed", lambda: found)
    check_pyspark()


def test_the_versions_are_those_of_the_package() -> None:
    text = Path("pyproject.toml").read_text(encoding="utf-8")
    oldest, too_new = (".".join(map(str, numbers)) for numbers in (version.OLDEST, version.TOO_NEW))
    assert f'"pyspark>={oldest},<{too_new}"' in text
    check_pyspark()


@pytest.mark.parametrize("place", ["/proc/nope", "{file}/below", "{file}"])
def test_findings_c6_a_state_folder_that_cannot_be_made(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = Path(place.format(file=tmp_path / "file")) / "job"
    with pytest.raises(UsageError, match=f"The folder '{folder}' cannot hold state: ") as failed:
        Checkpoint(LocalFolder(str(folder))).open({"1-a": "plan"}, fresh=False)
    assert failed.value.hint == "Choose another one with 'execution.checkpointing.dir'."


def test_findings_c6_yarn_without_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(OutsideError, match="neither HADOOP_CONF_DIR nor YARN_CONF_DIR is set"):
        check_master("yarn")
    monkeypatch.setenv("YARN_CONF_DIR", "/etc/hadoop")
    check_master("yarn")


@pytest.mark.parametrize("master", ["host:7077", "mesos://a", "Local", "local[2", "http://a:8080", ""])
def test_an_address_that_is_none(master: str) -> None:
    with pytest.raises(UsageError, match="is no address of a Spark master"):
        check_master(master)


def test_workers_with_another_python() -> None:
    text = "pyspark.errors.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.12 than that in driver: 3.11, PySpark cannot run"
    assert explain_failure(text).message == "Spark's workers run Python 3.12, and this is Python 3.11."


JOB = """
import sys, firesteel
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
try:
    print(firesteel.run(sys.argv[1], spark=spark).snapshot().rows_written)
except firesteel.FiresteelError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.spark
@pytest.mark.parametrize("chosen", [False, True])
def test_findings_c6_a_session_whose_python_is_not_first_on_the_path(
    chosen: bool, cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    table = Table(cluster, make_topic, tmp_path)
    table.write(['{"id": 1, "name": "a"}'])
    script = table.script(source=BOUNDED)
    wrong = tmp_path / "bin" / "python3"
    wrong.parent.mkdir()
    wrong.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'firesteel'\" >&2\nexit 1\n")
    wrong.chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    environment["PATH"] = f"{wrong.parent}:{environment['PATH']}"
    if chosen:
        environment["PYSPARK_PYTHON"] = str(wrong)
    (tmp_path / "job.py").write_text(JOB)
    ended = subprocess.run(
        [sys.executable, str(tmp_path / "job.py"), str(script)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if chosen:
        assert ended.stdout.startswith("OutsideError Spark's workers "), ended.stdout + ended.stderr[-2000:]
    else:
        assert ended.stdout == "1\n", ended.stdout + ended.stderr[-2000:]
