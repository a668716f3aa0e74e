"""The development broker through the command line, as processes of their own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firesteel.dev.broker.jars import kafka_jars
from firesteel.dev.broker.port import HOST, free_port
from firesteel.dev.broker.process import birth

Firesteel = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def firesteel(tmp_path: Path) -> Iterator[Firesteel]:
    """Runs `firesteel …` with a cache of its own, which borrows the jars of the ordinary one."""
    (tmp_path / "kafka-4.2.0").symlink_to(kafka_jars())
    environment = {**os.environ, "FIRESTEEL_CACHE": str(tmp_path)}
    environment.pop("FIRESTEEL_BOOTSTRAP", None)

    def call(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "firesteel.cli.main", *words]
        return subprocess.run(
            command, env={**environment, **changes}, capture_output=True, text=True, timeout=120, check=False
        )

    yield call
    call("broker", "stop")


@pytest.mark.kafka
def test_the_life_of_the_development_broker(firesteel: Firesteel) -> None:
    assert firesteel("broker", "status").returncode == 3
    port = str(free_port())
    started = firesteel("broker", "start", "--port", port)
    assert (started.returncode, started.stderr) == (0, "")
    assert started.stdout.startswith(f"Kafka 4.2.0 runs at 127.0.0.1:{port} (pid ")

    again = firesteel("broker", "start")
    assert again.returncode == 0 and f"already runs at 127.0.0.1:{port}" in again.stdout

    status = json.loads(firesteel("broker", "status", "--json").stdout)
    assert status["bootstrap"] == f"127.0.0.1:{port}" and status["version"] == "4.2.0"
    assert birth(status["pid"]) is not None and Path(status["data"]).is_dir()
    assert f"address  127.0.0.1:{port}" in firesteel("broker", "status").stdout

    # The topic commands find the broker by themselves.
    assert firesteel("topic", "create", "mine").returncode == 0
    assert "mine" in firesteel("topic", "list").stdout

    assert "is stopped" in firesteel("broker", "stop").stdout
    assert birth(status["pid"]) is None
    assert firesteel("broker", "stop").stdout == "No broker is running.\n"

    # On another port, with the topics of before; --fresh forgets them.
    assert firesteel("broker", "start", "--port", str(free_port())).returncode == 0
    assert "mine" in firesteel("topic", "list").stdout
    firesteel("broker", "stop")
    assert firesteel("broker", "start", "--port", port, "--fresh").returncode == 0
    assert "There are no topics." in firesteel("topic", "list").stdout


@pytest.mark.kafka
def test_a_broker_on_a_taken_port_is_refused(firesteel: Firesteel) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, free_port()))
        taken.listen()
        refused = firesteel("broker", "start", "--port", str(taken.getsockname()[1]))
    assert refused.returncode == 3 and "is taken" in refused.stderr


@pytest.mark.kafka
def test_the_usual_port_is_taken(firesteel: Firesteel) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((HOST, 9092))
            taken.listen()
        except OSError:
            pass  # somebody else has it, which is as good
        started = firesteel("broker", "start")
    assert started.returncode == 0
    assert started.stderr == "Port 9092 is taken, so the broker has another.\n"
    assert ":9092" not in started.stdout


def test_a_broker_without_java_is_refused_in_one_line(firesteel: Firesteel, tmp_path: Path) -> None:
    missing = firesteel("broker", "start", PATH=str(tmp_path / "empty"), JAVA_HOME="")
    assert missing.returncode == 3
    assert missing.stderr.startswith("Java is missing") and missing.stderr.count("\n") == 1


def test_a_record_of_a_process_that_is_gone_is_ignored(firesteel: Firesteel, tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    # This very process, but born at another time: a pid that is used again.
    record = {"pid": os.getpid(), "born": "1", "port": 1, "since": 0, "version": "4.2.0", "folder": str(tmp_path)}
    (tmp_path / "broker" / "broker.json").write_text(json.dumps(record))
    assert firesteel("broker", "status").returncode == 3
    assert firesteel("broker", "stop").stdout == "No broker is running.\n"
    (tmp_path / "broker" / "broker.json").write_text("{")
    assert firesteel("broker", "status").returncode == 3
