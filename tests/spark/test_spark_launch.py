"""Spark's JVM that is started before Python is ready."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firesteel.java import find_java
from firesteel.spark.start import early_jvm as room
from firesteel.spark.start import fork_program as python
from firesteel.spark.start.class_archive import Command, find_command
from firesteel.spark.start.configuration import SOCKET_FOLDER
from firesteel.spark.start.early_jvm import Launched, launch
from firesteel.spark.start.spark_home import find_home

_OWN_PROCESS = """
import sys
from pathlib import Path
from firesteel.spark.start.early_jvm import launch
log = Path(sys.argv[1])
launched = launch(None, {"spark.sql.shuffle.partitions": "3"}, log)
from firesteel.spark.start.session import open_session
session = open_session(None, {}, log, launched=launched)
assert session.sparkContext._gateway.proc is launched._process
print(session.range(5).count(), session.conf.get("spark.sql.shuffle.partitions"), session.sparkContext.master)
"""


@pytest.fixture
def no_spark(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that has not begun with Spark yet, on a machine on which `firesteel warm` has run."""
    for name in ("SPARK_HOME", "SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(room, "_has_gateway", lambda: False)
    monkeypatch.setattr(python, "_server", None)
    command = Command(str(find_java()), f"{find_home()}/jars/*", ())
    monkeypatch.setattr(room, "find_command", lambda: command)
    yield
    python.stop_fork_server()


def _launch(log: Path, **settings: str) -> Launched | None:
    return launch(None, {key.replace("_", "."): value for key, value in settings.items()}, log)


def test_a_jvm_that_nobody_needs_leaves_nothing(tmp_path: Path, no_spark: None) -> None:
    launched = _launch(tmp_path / "new" / ".firesteel" / "job.log")
    assert launched is not None
    sockets = Path(launched.conf[SOCKET_FOLDER])
    assert sockets.is_dir() and (tmp_path / "new").is_dir()
    server = python._server
    assert server is not None and server.is_alive
    launched.abandon()
    assert launched._process.poll() is not None
    assert not server.is_alive and not Path(server.program).parent.exists()
    assert not any(folder.exists() for folder in launched.folders.all()) and not sockets.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_for_sockets_that_the_user_has_named_stays(tmp_path: Path, no_spark: None) -> None:
    (tmp_path / "sockets").mkdir()
    launched = launch(None, {SOCKET_FOLDER: str(tmp_path / "sockets")}, tmp_path / "job.log")
    assert launched is not None and launched.conf[SOCKET_FOLDER] == str(tmp_path / "sockets")
    launched.abandon()
    assert (tmp_path / "sockets").is_dir()


def test_an_older_log_stays(tmp_path: Path, no_spark: None) -> None:
    log = tmp_path / "job.log"
    log.write_text("of yesterday\n")
    launched = _launch(log)
    assert launched is not None
    launched.abandon()
    assert log.read_text().startswith("of yesterday\n")


def test_a_jvm_that_ends_is_left_to_pyspark(tmp_path: Path, no_spark: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "find_command", lambda: Command(sys.executable, "none", ()))
    launched = _launch(tmp_path / "job.log")
    assert launched is not None
    began = time.monotonic()
    launched.connect()
    assert time.monotonic() - began < 30
    launched.abandon()
    assert Path(launched.conf[SOCKET_FOLDER]).is_dir(), "the next JVM has it"
    launched.folders.remove()


def test_a_folder_that_cannot_be_made_is_not_its_to_say(tmp_path: Path, no_spark: None) -> None:
    (tmp_path / "file").touch()
    assert _launch(tmp_path / "file" / "job.log") is None


@pytest.mark.parametrize("variable", ["SPARK_CONF_DIR", "HADOOP_CONF_DIR", "PYSPARK_SUBMIT_ARGS"])
def test_what_spark_looks_at_itself(
    tmp_path: Path, no_spark: None, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "something")
    assert _launch(tmp_path / "job.log") is None


def test_settings_that_spark_makes_a_command_of(tmp_path: Path, no_spark: None) -> None:
    assert _launch(tmp_path / "job.log", spark_driver_extraClassPath="some.jar") is None


def test_a_cluster_is_asked_first_whether_it_is_there(tmp_path: Path, no_spark: None) -> None:
    assert launch("spark://127.0.0.1:1", {}, tmp_path / "job.log") is None


def test_a_session_on_it(tmp_path: Path) -> None:
    """In a process of its own, with the command that `firesteel warm` has kept."""
    if find_command() is None:
        pytest.skip("firesteel warm has not been run")
    # Spark has left its variables in this process.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    command = [sys.executable, "-c", _OWN_PROCESS, str(tmp_path / "job.log")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert ended.stdout.split()[:2] == ["5", "3"], ended.stderr
    assert "local[" in ended.stdout
