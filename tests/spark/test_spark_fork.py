"""Python processes that are forked instead of started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.deadline import wait_for

from firesteel.dev.broker.process import birth
from firesteel.spark.start import fork_program as room
from firesteel.spark.start.fork_program import ForkServer, start_fork_server, stop_fork_server

#: What the forked process tells about itself.
_MODULE = """
import json, os, sys
print(json.dumps({
    "name": __name__, "words": sys.argv[1:], "folder": os.getcwd(), "variable": os.environ.get("FIRESTEEL_FORK"),
    "path": sys.path[-1], "given": sys.stdin.read(), "loaded": "pyspark.worker" in sys.modules, "parent": os.getppid(),
    "others": "ANOTHER" in os.environ,
}))
print("to errors", file=sys.stderr)
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForkServer]:
    """One of its own, beside that of the session."""
    monkeypatch.setattr(room, "_server", None)
    monkeypatch.setenv("ANOTHER", "1")
    found = start_fork_server(tmp_path / "fork.log")
    monkeypatch.delenv("ANOTHER")
    assert found is not None
    yield found
    stop_fork_server()


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "asked_for.py").write_text(_MODULE)
    return tmp_path


def _run(server: ForkServer, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FIRESTEEL_FORK": "ü"}
    command = [server.program, *words]
    return subprocess.run(
        command,
        input="some input",
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=60,
        check=False,
    )


def test_a_forked_process_is_as_one_that_was_started(server: ForkServer, module: Path) -> None:
    ended = _run(server, module, "-m", "asked_for", "a", "b c")
    told = json.loads(ended.stdout)
    assert told == {
        "name": "__main__",
        "words": ["a", "b c"],
        "folder": str(module),
        "variable": "ü",
        "path": str(module),
        "given": "some input",
        "loaded": True,
        "parent": server._process.pid,
        "others": False,
    }
    assert "to errors" in ended.stderr and ended.returncode == 0


def test_a_process_that_fails_says_why_and_the_server_goes_on(server: ForkServer, module: Path) -> None:
    failed = _run(server, module, "-m", "nowhere")
    assert "No module named nowhere" in failed.stderr and failed.returncode == 1
    (module / "says_three.py").write_text("raise SystemExit(3)")
    assert _run(server, module, "-m", "says_three").returncode == 3
    (module / "is_killed.py").write_text("import os; os.kill(os.getpid(), 9)")
    assert _run(server, module, "-m", "is_killed").returncode == 1
    assert json.loads(_run(server, module, "-m", "asked_for").stdout)["loaded"]
    # Nothing that has ended is left over.
    children = Path(f"/proc/{server._process.pid}/task/{server._process.pid}/children")
    wait_for(lambda: children.read_text() == "", 20)


def test_the_servers_files_are_not_swept_from_a_temporary_folder(server: ForkServer, module: Path) -> None:
    os.utime(server.program, (0, 0))
    _run(server, module, "-m", "asked_for")
    wait_for(lambda: Path(server.program).stat().st_mtime > 0, 20)


def test_without_a_server_python_is_started(server: ForkServer, module: Path) -> None:
    server._process.kill()
    server._process.wait()
    told = json.loads(_run(server, module, "-m", "asked_for", "a").stdout)
    assert (told["loaded"], told["words"], told["given"]) == (False, ["a"], "some input")


def test_what_is_no_module_is_started(server: ForkServer, module: Path) -> None:
    assert _run(server, module, "-c", "print(6 * 7)").stdout == "42\n"


def test_a_server_ends_with_who_started_it(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path; from firesteel.spark.start.fork_program import start_fork_server\n"
        "server = start_fork_server(Path(sys.argv[1]))\n"
        "print(server._process.pid, server.program, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "fork.log")], stdout=subprocess.PIPE, text=True
    ) as starter:
        assert starter.stdout is not None
        pid, program = starter.stdout.readline().split()
        assert birth(int(pid)) and Path(program).is_file()
        starter.send_signal(signal.SIGKILL)
    wait_for(lambda: birth(int(pid)) is None and not Path(program).parent.exists(), 20)


def test_no_server_where_its_log_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_server", None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "file").touch()
    assert start_fork_server(tmp_path / "file" / "fork.log") is None
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_no_server_where_a_script_cannot_name_its_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_server", None)
    monkeypatch.setattr(sys, "executable", "/a folder/python")
    assert start_fork_server(tmp_path / "fork.log") is None
    assert list(tmp_path.iterdir()) == []


def test_sparks_workers_are_forked(spark: SparkSession) -> None:
    """The daemon that workers are forked from is a child of the server."""

    def grandparent(batches: Iterator[object]) -> Iterator[object]:
        import pyarrow as pa

        status = Path(f"/proc/{os.getppid()}/status").read_text()
        [parent] = [int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:")]
        for _ in batches:
            yield pa.RecordBatch.from_arrays([pa.array([parent])], names=["id"])

    server = room._server
    assert server is not None and server.is_alive
    found = {row.id for row in spark.range(1).mapInArrow(grandparent, "id long").collect()}
    assert found == {server._process.pid}
