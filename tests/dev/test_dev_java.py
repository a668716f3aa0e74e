from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import Blame, OutsideError
from firesteel.java import find_java, java_version


def pretend_java(folder: Path, answer: str, status: int = 0) -> Path:
    """A home with a java program that says only its version."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{answer}' >&2\nexit {status}\n")
    java.chmod(0o755)
    return folder


def test_the_java_of_this_machine_is_found() -> None:
    version = java_version(find_java())
    assert version is not None and version >= 17


def test_java_home_goes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(pretend_java(tmp_path, 'openjdk version "21.0.1"')))
    assert find_java() == tmp_path / "bin" / "java"


def test_no_java_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OutsideError, match=r"no 'java' on the PATH.*Install Java 17") as caught:
        find_java()
    assert caught.value.blame is Blame.OUTSIDE


def test_a_java_home_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(OutsideError, match=r"JAVA_HOME is .* no bin/java"):
        find_java()


@pytest.mark.parametrize(
    ("answer", "status", "told"),
    [('java version "1.8.0_402"', 0, "is Java 8; Java 17 or later"), ("No Java runtime present", 1, "does not start")],
)
def test_a_java_that_will_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int, told: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(pretend_java(tmp_path, answer, status)))
    with pytest.raises(OutsideError, match=told):
        find_java()
