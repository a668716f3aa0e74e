"""What the commands that take a script share."""

from __future__ import annotations

import argparse

import pytest

from firesteel.cli.script import settings
from firesteel.errors import UsageError


def test_findings_d8_a_secret_setting_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_KEY", "hunter22=")
    monkeypatch.delenv("NOT_THERE", raising=False)
    given = argparse.Namespace(set=["spark.hadoop.fs.s3a.secret.key=${env:S3_KEY}", "a=b"])
    assert settings(given) == {"spark.hadoop.fs.s3a.secret.key": "hunter22=", "a": "b"}
    with pytest.raises(UsageError, match=r"--set a: '\$\{env:NOT_THERE\}' has no value\."):
        settings(argparse.Namespace(set=["a=${env:NOT_THERE}"]))
