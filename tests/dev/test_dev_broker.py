from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.deadline import wait_for

from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.broker.port import HOST, free_port, is_free
from firesteel.dev.broker.process import birth, end_process
from firesteel.dev.broker.server import Server, render_properties
from firesteel.dev.record import read_records, write_records
from firesteel.errors import OutsideError

# A shell that starts the tests in the background has them ignore Ctrl-C, and their children too.
_PARENT = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from firesteel.dev.broker.broker import start_broker
broker = start_broker()
print(broker.pid, broker.data_dir, flush=True)
time.sleep(600)
"""


def wait_until_gone(pid: int, folder: Path) -> None:
    wait_for(lambda: birth(pid) is None and not folder.exists(), 10, "the broker or its folder is not gone")


@pytest.mark.kafka
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_the_broker_dies_with_its_parent(sign: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert parent.stdout is not None
    pid, folder = parent.stdout.readline().split()
    assert birth(int(pid)) is not None and Path(folder).exists()
    parent.send_signal(sign)
    parent.communicate()
    wait_until_gone(int(pid), Path(folder))


@pytest.mark.kafka
def test_records_survive_a_kill_and_a_restart_on_the_same_port(tmp_path: Path) -> None:
    with start_broker(tmp_path) as broker:
        config, address, pid = {"bootstrap.servers": broker.bootstrap}, broker.bootstrap, broker.pid
        create_topic(config, "kept")
        write_records(config, "kept", [(None, b"one")])
        broker.kill()
        assert birth(pid) is None and broker.pid == 0
        broker.restart()
        assert broker.bootstrap == address and broker.pid != pid
        assert [record.value for record in read_records(config, "kept")] == [b"one"]
        last = broker.pid
    assert birth(last) is None
    # A folder that was given is not ours to remove.
    assert (tmp_path / "data").is_dir()


@pytest.mark.kafka
def test_a_taken_port_is_refused(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind((HOST, free_port()))
        taken.listen()
        with pytest.raises(OutsideError, match="is taken"):
            start_broker(port=taken.getsockname()[1])


@pytest.mark.kafka
def test_a_broker_that_cannot_start_names_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(OutsideError, match=r"Kafka could not .*Invalid value many.*log is in (.*)\.$") as caught:
        start_broker(settings={"node.id": "many"})
    log = Path(str(caught.value).rsplit(" ", 1)[1].removesuffix("."))
    assert "Invalid value many" in log.read_text()
    assert not list(tmp_path.iterdir())


def test_nothing_but_this_machine_can_reach_it() -> None:
    text = render_properties(Server(Path("x"), 1234, 1235))
    lines = dict(line.split("=", 1) for line in text.splitlines())
    assert lines["listeners"] == "PLAINTEXT://127.0.0.1:1234,CONTROLLER://127.0.0.1:1235"
    assert lines["auto.create.topics.enable"] == "false"


def test_a_free_port_is_free() -> None:
    assert is_free(free_port())


def test_a_process_is_known_by_its_birth() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    born = birth(process.pid)
    assert born is not None
    end_process(process.pid, "another")
    assert process.poll() is None
    end_process(process.pid, born)
    assert birth(process.pid) is None
    assert process.wait() == -signal.SIGTERM
    assert birth(os.getpid()) is not None
