"""Where a job's state is on a machine whose default file system is another one, and what a cluster's Python is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.script import BOUNDED
from tests.spark.test_spark_job import Table

import firesteel
from firesteel.spark.start import session as room
from firesteel.spark.start.configuration import configuration
from firesteel.spark.start.scratch import Folders


@pytest.mark.spark
def test_state_is_a_local_folder_whatever_the_default_file_system(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, spark: SparkSession
) -> None:
    folder = tmp_path / "50% #of {a},[b]"
    folder.mkdir()
    table = Table(cluster, make_topic, folder)
    script = table.script(
        "SELECT name, COUNT(*) FROM src GROUP BY name",
        source=BOUNDED,
        sink="name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED",
    )
    hadoop: Any = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    # Nobody is there: whoever asks it fails.
    hadoop.set("fs.defaultFS", "hdfs://127.0.0.1:1")
    try:
        for number in (1, 2):
            table.write(['{"id": 1, "name": "a"}'])
            firesteel.run(script, spark=spark)
            assert table.read()[-1] == f'{{"name":"a","n":{number}}}'
    finally:
        hadoop.set("fs.defaultFS", before)
    assert (folder / ".firesteel" / "job" / "1-snk" / "commits" / "1").is_file()


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_the_python_of_a_cluster_is_the_users_to_choose(variables: pytest.MonkeyPatch) -> None:
    variables.setenv("PYSPARK_PYTHON", "/nodes/python3.11")
    room._choose_python("yarn")
    assert (os.environ["PYSPARK_PYTHON"], os.environ["PYSPARK_DRIVER_PYTHON"]) == ("/nodes/python3.11", sys.executable)
    # YARN ships parts of the home that the lean one has not.
    assert "SPARK_HOME" not in os.environ


def test_on_one_machine_it_is_ours(variables: pytest.MonkeyPatch) -> None:
    variables.setenv("PYSPARK_PYTHON", "/elsewhere/python3")
    room._choose_python(None)
    assert os.environ["PYSPARK_PYTHON"] == sys.executable and "home-" in os.environ["SPARK_HOME"]


@pytest.mark.parametrize("master", ["yarn", "spark://a:7077", "k8s://b"])
def test_what_makes_a_start_quick_is_for_one_machine(master: str, tmp_path: Path) -> None:
    conf = configuration(master, {}, Folders(tmp_path, (tmp_path,)))
    for key in ("spark.local.dir", "spark.driver.memory", "spark.sql.streaming.checkpointFileManagerClass"):
        assert key not in conf
    assert not any("domain.socket" in key for key in conf) and "spark.authenticate" not in conf
