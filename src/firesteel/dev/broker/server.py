"""Runs one Kafka server as a cluster of one node: its folder, its settings, its command line, and the wait until it
answers.

All files of a server are in its folder: `server.properties`, `broker.log` and `data/`. It listens on 127.0.0.1 only.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, STDOUT
from types import MappingProxyType

from firesteel.connectors.kafka.admin import check_broker
from firesteel.dev.broker.port import HOST, answers
from firesteel.errors import OutsideError

#: A start takes about 3 s; a machine under load may need many times that.
START_TIMEOUT = 90.0

_SETTINGS = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    # Relative to the server's folder, its working directory: Kafka would read a path with a comma as two paths.
    "log.dirs": "data",
    # A missing topic must be an error, not an empty topic of one partition.
    "auto.create.topics.enable": "false",
    # The rows of tests have old timestamps, and retention would delete them at once.
    "log.retention.ms": "-1",
    "group.initial.rebalance.delay.ms": "0",
    # After kill -9, the next start waits until the controller considers the old broker dead: 9 s by default.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    # One node and few partitions for Kafka's own topics: the start creates all of them.
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    # The default is a quarter of the heap.
    "log.cleaner.dedupe.buffer.size": "8388608",
}

_LOG_FLAGS = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS",
    "-Dorg.slf4j.simpleLogger.showThreadName=false",
)


class PortTaken(Exception):
    """Another process took the port between our choice and the server's start."""


@dataclass(frozen=True)
class Server:
    folder: Path
    port: int
    controller_port: int
    heap: str = "512m"
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    #: Listeners beside the plain one, by protocol (SSL, SASL_SSL …), each with its port.
    secured: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def bootstrap(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "broker.log"

    @property
    def data(self) -> Path:
        return self.folder / "data"


def render_properties(server: Server) -> str:
    """Renders the server's settings file."""
    ports = {"PLAINTEXT": server.port, **server.secured}
    addresses = ",".join(f"{protocol}://{HOST}:{port}" for protocol, port in ports.items())
    controller = f"{HOST}:{server.controller_port}"
    settings = {
        **_SETTINGS,
        "listener.security.protocol.map": ",".join(
            (*(f"{protocol}:{protocol}" for protocol in ports), "CONTROLLER:PLAINTEXT")
        ),
        "listeners": f"{addresses},CONTROLLER://{controller}",
        "advertised.listeners": addresses,
        "controller.quorum.voters": f"1@{controller}",
        **server.settings,
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def prepare(server: Server, java: Path, jars: Path) -> None:
    """Writes the settings, and formats the data folder unless an earlier start did."""
    server.folder.mkdir(parents=True, exist_ok=True)
    (server.folder / "server.properties").write_text(render_properties(server))
    if (server.data / "meta.properties").exists():
        return
    # A made-up cluster id: 22 characters, as Kafka wants it.
    arguments = ["kafka.tools.StorageTool", "format", "-t", "firesteel-dev-broker-A", "-c", "server.properties"]
    flags = ["-Xmx128m", "-XX:TieredStopAtLevel=1", *_LOG_FLAGS]
    with server.log.open("a") as log:
        command = [str(java), *flags, "-cp", f"{jars}/*", *arguments]
        output = subprocess.run(command, cwd=server.folder, stdout=PIPE, stderr=STDOUT, text=True, check=False)
        log.write(output.stdout)
    if output.returncode != 0:
        raise OutsideError(
            f"Kafka could not format its data folder '{server.data}': {_last_words(output.stdout)}",
            hint=f"Its log is in {server.log}.",
        )


def java_command(server: Server, java: Path, jars: Path) -> list[str]:
    """Makes the server's command line, to be run inside its folder."""
    flags = [f"-Xmx{server.heap}", "-Djava.awt.headless=true", *_LOG_FLAGS]
    return [str(java), *flags, "-cp", f"{jars}/*", "kafka.Kafka", "server.properties"]


def await_answer(server: Server, is_alive: Callable[[], bool], log_start: int = 0) -> None:
    """Waits until the server answers. If its process ends before, reports its log from `log_start` on."""
    deadline = time.monotonic() + START_TIMEOUT
    while True:
        # Another server may answer on that port, so check afterwards that ours is alive.
        answered = answers(server.port)
        if not is_alive():
            break
        if answered:
            check_broker({"bootstrap.servers": server.bootstrap}, timeout=max(1.0, deadline - time.monotonic()))
            return
        if time.monotonic() > deadline:
            raise OutsideError(
                f"Kafka did not answer on {server.bootstrap} within {START_TIMEOUT:.0f} s.",
                hint=f"Its log is in {server.log}.",
            )
        time.sleep(0.05)
    output = server.log.read_bytes()[log_start:].decode(errors="replace") if server.log.exists() else ""
    if "Address already in use" in output or "Socket server failed to bind" in output:
        raise PortTaken(server.bootstrap)
    raise OutsideError(f"Kafka ended while it was starting: {_last_words(output)}", hint=f"Its log is in {server.log}.")


def _last_words(log: str) -> str:
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith(("\t", " "))]
    output = next((line for line in lines if "ERROR" in line or "Exception" in line), lines[-1] if lines else "")
    return f"{output[:300].rstrip('.')}." if output else "it printed nothing."
