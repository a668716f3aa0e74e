"""Makes the program that Spark on this machine uses as Python: it asks a fork server for each process.

The server starts with Spark's JVM and ends with this process, however that ends. If there can be none, and on clusters,
Spark starts Python itself.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from firesteel.spark.place import open_log
from firesteel.spark.start.configuration import SAFE_PATH, can_have_sockets
from firesteel.spark.start.fork_client import SOCKET
from firesteel.spark.start.scratch import PRIVATE, make_scratch, remove_scratch

_PROGRAM = "python"
#: Old systems limit the first line of a script to about a hundred bytes.
_LONGEST_LINE = 120


class ForkServer:
    """A running server. `program` is the one that Spark starts. `stop` ends the server; the processes it has forked go on."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self.program = str(folder / _PROGRAM)
        self._folder = folder
        self._process = process

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()
        remove_scratch(self._folder)


#: This process's server, if there is one.
_server: ForkServer | None = None


def start_fork_server(log: Path) -> ForkServer | None:
    """Returns this process's server, after starting it if necessary; None if there cannot be one."""
    global _server
    if _server is None or not _server.is_alive:
        _server = _start(log) if _can_start() else None
    return _server


def stop_fork_server() -> None:
    global _server
    if _server is not None:
        _server.stop()
        _server = None


def _first_line() -> str:
    # `-S`: the site modules take most of a Python's start.
    return f"#!{sys.executable} -IS\n"


def _can_start() -> bool:
    return (
        hasattr(os, "fork") and can_have_sockets() and len(_first_line()) <= _LONGEST_LINE and " " not in sys.executable
    )


def _start(log: Path) -> ForkServer | None:
    try:
        folder = make_scratch()
    except OSError:
        # The server is optional. An error that matters will be reported by other code.
        return None
    try:
        program = folder / _PROGRAM
        program.write_text(_first_line() + Path(__file__).with_name("fork_client.py").read_text())
        program.chmod(0o700)
        # Some folders do not allow programs to be executed.
        if os.access(program, os.X_OK):
            return ForkServer(folder, _serve(folder, log))
    except OSError:
        pass
    remove_scratch(folder)
    return None


def _serve(folder: Path, log: Path) -> subprocess.Popen[bytes]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / SOCKET))
        listener.listen(64)
        errors = open_log(log)
        try:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "firesteel.spark.start.fork_server", str(listener.fileno())],
                # The server ends when the last writer has closed its standard input.
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", **os.environ, SAFE_PATH: "1"},
                pass_fds=[listener.fileno()],
                umask=PRIVATE,
                # The server must not receive Ctrl-C.
                start_new_session=True,
            )
        finally:
            os.close(errors)
