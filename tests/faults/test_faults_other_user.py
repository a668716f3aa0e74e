"""What another user of the machine can do to a running job (findings d4, d8): read none of its files, talk to none of its ports."""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from tests.deadline import wait_for
from tests.faults.process import descendants

from firesteel.dev.record import write_records
from firesteel.spark.start.scratch import is_left

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
]

NOBODY = 65534
SECRET = "canary-6b1f"

SCRIPT = """
CREATE TABLE src (id BIGINT, k STRING) WITH ('connector' = 'kafka', 'topic' = '{source}', {common}, 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset');
CREATE TABLE counts (k STRING, n BIGINT, ids BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = '{counts}', {common}, 'key.format' = 'raw', 'value.format' = 'json',
  'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO counts SELECT k, COUNT(*), COUNT(DISTINCT id) FROM src GROUP BY k;
"""

RUNNER = """
import sys, firesteel
firesteel.run(sys.argv[1], settings={"spark.hadoop.fs.s3a.secret.key": sys.argv[2][::-1]})
"""


def as_nobody(look: Callable[[], object]) -> object:
    """What a function finds in a process of another user."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            told = json.dumps(look())
        except BaseException:
            told = json.dumps(traceback.format_exc())
        os.write(writing, told.encode()[:60_000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        found = json.loads(answer.read())
    os.waitpid(child, 0)
    return found


class RunningJob:
    """A job of root's whose temporary files lie in a folder that everybody can look into, as /tmp is."""

    def __init__(self, folder: Path, cluster: dict[str, str], source: str, counts: str) -> None:
        self.folder, self.cluster, self.source, self.counts = folder, cluster, source, counts
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self.temporary.chmod(0o1777)
        common = f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"
        script, runner = folder / "job.sql", folder / "runner.py"
        script.write_text(SCRIPT.format(source=source, counts=counts, common=common))
        runner.write_text(RUNNER)
        with (folder / "out").open("ab") as out:
            self.process = subprocess.Popen(
                # Turned round, so that it is not in this command of the test's own.
                [sys.executable, str(runner), str(script), SECRET[::-1]],
                stdout=out,
                stderr=out,
                cwd=folder,
                env={**os.environ, "TMPDIR": str(self.temporary)},
            )
        self.offsets = folder / ".firesteel" / "job" / "1-counts" / "commits"

    def fill(self, rows: int = 5_000) -> None:
        values = (json.dumps({"id": n, "k": f"k{n % 1000}"}).encode() for n in range(rows))
        write_records(self.cluster, self.source, ((None, value) for value in values))

    def batches(self) -> int:
        assert self.process.poll() is None, (self.folder / "out").read_text()
        return sum(path.name.isdecimal() for path in self.offsets.iterdir()) if self.offsets.is_dir() else 0

    def has_more(self, before: int) -> bool:
        return self.batches() > before

    def family(self) -> set[int]:
        # What is forked from the server of processes is below it, and all of it below the job.
        return {self.process.pid, *descendants(self.process.pid)}

    def files(self) -> list[str]:
        """Files in its folders, and all that its processes have open for writing."""
        found = {str(path) for path in self.folder.rglob("*") if path.is_file()}
        for pid in self.family():
            for number in Path(f"/proc/{pid}/fd").glob("*"):
                try:
                    flags = Path(f"/proc/{pid}/fdinfo/{number.name}").read_text().split("flags:")[1].split()[0]
                    target = os.readlink(number)  # noqa: PTH115
                except OSError:
                    continue
                if int(flags, 8) & os.O_ACCMODE and target.startswith("/") and Path(target).is_file():
                    found.add(target)
        mine = ("job.sql", "runner.py", "out")
        return sorted(path for path in found if Path(path).parent != self.folder or Path(path).name not in mine)

    def ports(self) -> set[int]:
        """The TCP ports on which one of its processes listens."""
        inodes = set()
        for pid in self.family():
            for number in Path(f"/proc/{pid}/fd").glob("*"):
                try:
                    target = os.readlink(number)  # noqa: PTH115
                except OSError:
                    continue
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
        found = set()
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            for line in Path(table).read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == "0A" and words[9] in inodes:
                    found.add(int(words[1].rpartition(":")[2], 16))
        return found


@pytest.fixture
def job(cluster: dict[str, str], make_topic: Callable[..., str]) -> Iterator[RunningJob]:
    # pytest's own folders are closed to others.
    folder = Path(tempfile.mkdtemp(prefix="d4-", dir="/tmp"))
    folder.chmod(0o755)
    running = RunningJob(folder, cluster, make_topic(partitions=2), make_topic(partitions=2))
    yield running
    running.process.kill()
    running.process.wait()
    wait_for(lambda: not _blocks(running.temporary), 30)
    shutil.rmtree(folder, ignore_errors=True)


def _blocks(folder: Path) -> list[Path]:
    try:
        return list(folder.glob("fs-*/blockmgr-*"))
    except FileNotFoundError:
        # One went while it was looked at; the others are to be looked at again.
        return [folder]


def readable(paths: list[str]) -> list[str]:
    found = []
    for path in paths:
        try:
            with open(path, "rb"):  # noqa: PTH123
                found.append(path)
        except OSError:
            continue
    return found


def _frame(body: bytes) -> bytes:
    """A request of Spark's own protocol: its length, its kind (3), its number, its body."""
    return struct.pack(">QBQi", 8 + 1 + 8 + 4 + len(body), 3, 7, len(body)) + body


#: Asks Spark for a block, asks it for anything else, asks the JVM for its classes, and Python to run a batch.
QUESTIONS = {
    "block": _frame(b"\x00" + struct.pack(">i", 3) + b"app" + struct.pack(">i", 1) + b"1" + struct.pack(">i", 0)),
    "words": _frame(b"anything"),
    "classes": b"r\nu\njava\nrj\ne\n",
    "batch": b"c\np0\ncall\ne\n",
}
REFUSALS = ("SaslMessage", "Authentication error", "Authentication Error", "!xn\n")


def answer(port: int, question: bytes) -> str:
    """What a port says, where it is no refusal."""
    said = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.settimeout(3)
            connection.sendall(question)
            while chunk := connection.recv(4096):
                said += chunk
    except OSError:
        # Closed, or it waits for more.
        pass
    text = said.decode(errors="replace")
    return "" if any(refusal in text for refusal in REFUSALS) else text[:300]


def answers(ports: set[int]) -> dict[str, str]:
    asked = [(port, name) for port in ports for name in QUESTIONS]
    with ThreadPoolExecutor(len(asked)) as pool:
        told = pool.map(lambda one: answer(one[0], QUESTIONS[one[1]]), asked)
        return {f"{port} {name}": text for (port, name), text in zip(asked, told, strict=True) if text}


def test_findings_d4_d8_another_user_finds_nothing(job: RunningJob) -> None:
    job.fill()
    wait_for(lambda: job.batches() > 0, 90)
    assert as_nobody(lambda: readable(["/etc/passwd"])) == ["/etc/passwd"], "a file that everybody can read"
    for _ in range(3):
        before = job.batches()
        job.fill()
        files = job.files()
        assert as_nobody(partial(readable, files)) == []
        wait_for(partial(job.has_more, before), 60)
    assert any("blockmgr-" in path for path in job.files()), "Spark's blocks are among what was looked at"

    for pid in job.family() - {job.process.pid}:
        # Spark's own short-lived processes may have ended since they were listed.
        with suppress(FileNotFoundError, ProcessLookupError):
            assert SECRET.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()
    ports = job.ports()
    assert ports
    assert as_nobody(lambda: answers(ports)) == {}


def test_findings_d4_d16_what_a_killed_job_leaves_is_swept(job: RunningJob) -> None:
    job.fill()
    wait_for(lambda: job.batches() > 0, 90)
    family = job.family()
    for pid in family:
        os.kill(pid, 9)
    job.process.wait()
    left = list(job.temporary.iterdir())
    assert left and all(path.name.startswith("fs-") for path in left if path.name != "hsperfdata_root"), left
    wait_for(lambda: all(is_left(path) for path in left if path.name.startswith("fs-")), 20)
    again = RunningJob(job.folder, job.cluster, job.source, job.counts)
    try:
        wait_for(lambda: not any(path.exists() for path in left if path.name.startswith("fs-")), 60)
    finally:
        again.process.kill()
        again.process.wait()
