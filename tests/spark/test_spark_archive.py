"""Which archive of classes is for which PySpark."""

from __future__ import annotations

import os
from pathlib import Path

import pyspark
import pytest

from firesteel.spark.archive import archive_path


def test_a_pyspark_that_is_installed_again_has_another_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JVM leaves an archive alone whose jars have other times: it has to be made anew, though the place is the same."""
    (tmp_path / "jars").mkdir()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setattr(pyspark, "__file__", str(tmp_path / "__init__.py"))
    before = archive_path()
    assert archive_path() == before
    os.utime(tmp_path / "jars", (1, 1))
    after = archive_path()
    assert after != before
    assert after.stem.rpartition("-")[0] == before.stem.rpartition("-")[0]
