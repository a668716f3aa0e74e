"""Which archive of classes is for which PySpark, and which of its jars Spark is started with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firesteel.spark.start import spark_home as home
from firesteel.spark.start.class_archive import archive_path
from firesteel.spark.start.spark_home import find_home


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PySpark that is installed nowhere else, and an empty cache folder."""
    package = tmp_path / "pyspark"
    for name in ("bin/spark-submit", "jars/spark-core_2.13-1.jar", "jars/spark-mllib_2.13-1.jar"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(home, "package", lambda: package)
    monkeypatch.setattr("firesteel.spark.start.class_archive.package", lambda: package)
    return package


def test_a_pyspark_that_is_installed_again_has_another_archive(installed: Path) -> None:
    """The JVM leaves an archive alone whose jars have other times: it has to be made anew, though the place is the same."""
    before = archive_path()
    assert archive_path() == before
    os.utime(installed / "jars", (1, 1))
    after = archive_path()
    assert after != before
    assert after.stem.rpartition("-")[0] == before.stem.rpartition("-")[0]


def test_the_archive_is_the_same_once_spark_has_been_told_its_home(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = archive_path()
    monkeypatch.setenv("SPARK_HOME", find_home() or "")
    assert archive_path() == before


def test_the_home_has_all_jars_but_one(installed: Path) -> None:
    """And those of an older PySpark are gone."""
    found = Path(find_home() or "")
    assert (found / "bin" / "spark-submit").is_file()
    assert [jar.name for jar in (found / "jars").iterdir()] == ["spark-core_2.13-1.jar"]
    (installed / "jars/spark-core_2.13-1.jar").rename(installed / "jars/spark-core_2.13-2.jar")
    assert find_home() == str(found)
    assert [jar.name for jar in (found / "jars").iterdir()] == ["spark-core_2.13-2.jar"]
