"""The processes of a job, as a test sees them from outside: by their parents and their command lines."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def descendants(ancestor: int) -> set[int]:
    """Every process below this one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            fields = _stat(int(entry.name))
            if fields is not None:
                parents[int(entry.name)] = int(fields[1])
    found: set[int] = set()
    waiting = [ancestor]
    while waiting:
        above = waiting.pop()
        below = [pid for pid, parent in parents.items() if parent == above]
        found.update(below)
        waiting += below
    return found


def alive(pids: set[int]) -> set[int]:
    return {pid for pid in pids if (fields := _stat(pid)) is not None and fields[0] != "Z"}


def jvm_of(pid: int) -> int | None:
    """Spark's JVM below this process."""
    return next((one for one in sorted(descendants(pid)) if "SparkSubmit" in _command(one)), None)


def workers_of(pid: int) -> list[int]:
    """The Python processes that Spark has had forked: they read sources, and run tasks."""
    servers = [one for one in descendants(pid) if "fork_server" in _command(one)]
    top = [one for one in servers if _parent(one) == pid]
    return sorted(below for one in top for below in descendants(one))


def send(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if fields is not None else 0


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _stat(pid: int) -> list[str] | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
