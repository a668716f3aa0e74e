"""Runs the development broker of `firesteel broker start` in the background until `firesteel broker stop`.

There is one per cache folder. A file there names its process, so that it is found and no other process is ended.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from firesteel.dev.broker.jars import KAFKA_VERSION, Watcher, kafka_jars
from firesteel.dev.broker.lock import held
from firesteel.dev.broker.port import HOST, free_port, is_free
from firesteel.dev.broker.process import birth, end_process
from firesteel.dev.broker.server import PortTaken, Server, await_answer, java_command, prepare
from firesteel.errors import OutsideError
from firesteel.folder import cache_folder
from firesteel.java import find_java

USUAL_PORT = 9092


@dataclass(frozen=True)
class Daemon:
    pid: int
    born: str
    port: int
    since: float
    version: str
    folder: str

    @property
    def bootstrap(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def data(self) -> Path:
        return Path(self.folder) / "data"

    @property
    def log(self) -> Path:
        return Path(self.folder) / "broker.log"

    @property
    def uptime(self) -> float:
        return max(0.0, time.time() - self.since)


def find_daemon() -> Daemon | None:
    """Finds the development broker if it is running."""
    try:
        daemon = Daemon(**json.loads(_record().read_text()))
    except (OSError, ValueError, TypeError):
        # There is no file, or one of another version of Firesteel.
        return None
    return daemon if birth(daemon.pid) == daemon.born else None


def start_daemon(watcher: Watcher, *, port: int | None = None, fresh: bool = False, heap: str = "512m") -> Daemon:
    """Starts the development broker, or finds it running.

    Without `port` the usual one is used, or a free one if that is taken. `fresh` deletes the data of earlier runs.
    """
    with held(_folder() / "lock"):
        running = find_daemon()
        if running is not None:
            return running
        java, jars = find_java(), kafka_jars(watcher)
        taken = OutsideError(
            f"Port {port} is taken.", hint="Choose another with --port, or leave it out for a free one."
        )
        if port is not None and not is_free(port):
            raise taken
        if fresh:
            shutil.rmtree(_folder() / "data", ignore_errors=True)
        chosen = port or (USUAL_PORT if is_free(USUAL_PORT) else free_port())
        while True:
            try:
                return _start(Server(_folder(), chosen, free_port(chosen), heap), java, jars)
            except PortTaken:
                if port is not None:
                    raise taken from None
                chosen = free_port()


def stop_daemon() -> Daemon | None:
    """Stops the development broker. Returns it, or None if none was running."""
    with held(_folder() / "lock"):
        daemon = find_daemon()
        if daemon is not None:
            end_process(daemon.pid, daemon.born)
        _record().unlink(missing_ok=True)
        return daemon


def _folder() -> Path:
    return cache_folder() / "broker"


def _record() -> Path:
    return _folder() / "broker.json"


def _start(server: Server, java: Path, jars: Path) -> Daemon:
    server.log.unlink(missing_ok=True)
    prepare(server, java, jars)
    log_start = server.log.stat().st_size if server.log.exists() else 0
    with server.log.open("ab") as log:
        process = subprocess.Popen(
            java_command(server, java, jars),
            cwd=server.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # A session of its own, so that the broker outlives this terminal.
            start_new_session=True,
        )
    try:
        born = birth(process.pid)
        await_answer(server, lambda: process.poll() is None, log_start)
        assert born is not None
    except BaseException:
        process.kill()
        process.wait()
        raise
    daemon = Daemon(process.pid, born, server.port, time.time(), KAFKA_VERSION, str(server.folder))
    unfinished = _record().with_suffix(".new")
    unfinished.write_text(json.dumps(asdict(daemon), indent=2) + "\n")
    unfinished.rename(_record())
    return daemon
