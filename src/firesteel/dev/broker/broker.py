"""A broker for a test or a demonstration: it lives as long as this process, whatever ends this process.

>>> with start_broker() as broker:                                     # doctest: +SKIP
...     print(broker.bootstrap)
127.0.0.1:23817
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from firesteel.dev.broker import watchdog
from firesteel.dev.broker.download import shown_download
from firesteel.dev.broker.jars import Watcher, kafka_jars
from firesteel.dev.broker.port import HOST, free_port, is_free
from firesteel.dev.broker.process import birth
from firesteel.dev.broker.server import PortTaken, Server, await_answer, java_command, prepare
from firesteel.errors import OutsideError
from firesteel.folder import cache_folder
from firesteel.java import find_java


def start_broker(
    data_dir: Path | None = None,
    port: int | None = None,
    *,
    heap: str = "512m",
    settings: Mapping[str, str] | None = None,
    secured: Sequence[str] = (),
    watcher: Watcher | None = None,
) -> Broker:
    """Starts a broker and waits until it answers.

    Without `data_dir` its data are kept in a temporary folder that is removed with it; without `port` a free one is
    chosen. `settings` are Kafka settings, which override those of `dev/broker/server.py`. `secured` names protocols to
    listen on beside the plain one, such as `SASL_SSL`; their certificates and users are in `settings`.
    """
    java = find_java()
    if watcher is not None:
        jars = kafka_jars(watcher)
    else:
        with shown_download() as shown:
            jars = kafka_jars(shown)
    if port is not None and not is_free(port):
        raise OutsideError(f"Port {port} is taken.", hint="Choose another port, or none to get a free one.")
    for _ in range(3):
        folder = data_dir or Path(tempfile.mkdtemp(prefix="firesteel-broker-"))
        chosen = port or free_port()
        controller, *rest = _free_ports(chosen, 1 + len(secured))
        ports = dict(zip(secured, rest, strict=True))
        server = Server(folder, chosen, controller, heap, settings or {}, ports)
        broker = None
        try:
            prepare(server, java, jars)
            broker = Broker(server, java_command(server, java, jars), keep_data=data_dir is not None)
            broker._await_answer()
            return broker
        except BaseException as error:
            log = server.log if data_dir else _saved_log(server)
            if broker is not None:
                broker.stop()
            elif data_dir is None:
                shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OutsideError):
                raise OutsideError(error.message, hint=f"Its log is in {log}.") from error
            if not isinstance(error, PortTaken):
                raise
    raise OutsideError(
        "Kafka found the port it should listen on taken, three times over.",
        hint="Try again, or choose a port that nobody uses.",
    )


def _free_ports(taken: int, count: int) -> list[int]:
    found = [taken]
    while len(found) <= count:
        found.append(free_port(*found))
    return found[1:]


def _saved_log(server: Server) -> Path:
    """Copies the log of a broker that did not start: its folder is removed, and the error message names the copy."""
    copy = cache_folder() / "broker-failed.log"
    if server.log.exists():
        shutil.copy(server.log, copy)
    return copy


class Broker:
    """A running broker. `kill` and `restart` are for tests of what a job does when its broker goes away."""

    def __init__(self, server: Server, command: list[str], keep_data: bool) -> None:
        self._server = server
        self._log_start = server.log.stat().st_size if server.log.exists() else 0
        self._keeper = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", str(Path(watchdog.__file__))),
                "" if keep_data else str(server.folder),
                *(str(server.log), *command),
            ],
            cwd=server.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            # Ctrl-C in the terminal must only reach Firesteel, which may need its broker while it stops.
            start_new_session=True,
        )
        atexit.register(self.stop)
        self.pid = self._answer()

    @property
    def bootstrap(self) -> str:
        return self._server.bootstrap

    def address(self, protocol: str) -> str:
        """Returns the address of one of the secured listeners."""
        return f"{HOST}:{self._server.secured[protocol]}"

    @property
    def keeper_pid(self) -> int:
        """Returns the pid of the watchdog, which ends the broker when this process ends."""
        return self._keeper.pid

    @property
    def data_dir(self) -> Path:
        return self._server.folder

    @property
    def log(self) -> Path:
        return self._server.log

    def kill(self) -> None:
        """Ends the broker as `kill -9` does; its data are kept for `restart`."""
        self.pid = self._order("k")

    def terminate(self) -> None:
        """Ends the broker with SIGTERM; its data are kept for `restart`."""
        self.pid = self._order("t")

    def restart(self) -> None:
        """Starts the broker again on the same port and data, and waits until it answers."""
        self._log_start = self._server.log.stat().st_size
        self.pid = self._order("s")
        self._await_answer()

    def stop(self) -> None:
        """Ends the broker for good, and removes a temporary folder. A second call does nothing."""
        atexit.unregister(self.stop)
        if self._keeper.poll() is None:
            assert self._keeper.stdin is not None
            self._keeper.stdin.close()
            self._keeper.wait()
        for pipe in (self._keeper.stdin, self._keeper.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _order(self, letter: str) -> int:
        assert self._keeper.stdin is not None
        self._keeper.stdin.write(letter)
        self._keeper.stdin.flush()
        return self._answer()

    def _answer(self) -> int:
        assert self._keeper.stdout is not None
        line = self._keeper.stdout.readline()
        if not line:
            raise OutsideError("The process that watches over Kafka ended.", hint=f"Kafka's log is in {self.log}.")
        return int(line)

    def _await_answer(self) -> None:
        await_answer(self._server, lambda: birth(self.pid) is not None, self._log_start)
