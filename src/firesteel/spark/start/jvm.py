"""Finds and ends the process of Spark's JVM, if this process started it.

The JVM does not receive signals that are meant for the job. A service manager, `timeout` or a shell sends SIGTERM to
every process of a group; a JVM that obeyed would end before the job could finish its batch. It ends when its standard
input is closed, which happens however this process ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from firesteel.spark.start.birth import birth
from firesteel.spark.start.fork_program import stop_fork_server

#: How long a JVM may take to clean up when it is ended.
_PATIENCE = 5.0


def stand_apart() -> None:
    """Makes the new process ignore signals, before it becomes the JVM, which keeps ignoring them."""
    os.setpgid(0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def find_jvm() -> subprocess.Popen[bytes] | None:
    """Returns the process of the JVM that PySpark uses; None if another process started it, or there is none."""
    if "pyspark" not in sys.modules:
        # Do not load PySpark only to look.
        return None
    from firesteel.spark.internals import find_gateway

    process: subprocess.Popen[bytes] | None = getattr(find_gateway(), "proc", None)
    return process


def kill_jvm() -> None:
    """Kills the JVM at once. Calls to it that wait for an answer fail."""
    process = find_jvm()
    if process is not None and process.poll() is None:
        process.kill()


def end_jvm(patience: float = _PATIENCE) -> None:
    """Ends the JVM of this process and all Python processes of Spark, by force if necessary, and waits until they have
    ended.
    """
    process = find_jvm()
    if process is None:
        return
    below = _descendants(os.getpid())
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    if process.poll() is None:
        process.kill()
        process.wait()
    stop_fork_server()
    _end_all(below, patience=1.0)


def _end_all(processes: dict[int, str], patience: float) -> None:
    """Kills those of the processes that still run after a moment."""
    deadline = time.monotonic() + patience
    while any(birth(pid) == born for pid, born in processes.items()):
        if time.monotonic() > deadline:
            for pid, born in processes.items():
                if birth(pid) == born:
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
            return
        time.sleep(0.02)


def _descendants(ancestor: int) -> dict[int, str]:
    """Returns every process below this one with the time of its start; none if the system has no /proc."""
    parents: dict[int, int] = {}
    with suppress(OSError):
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                fields = _stat(int(entry.name))
                if fields is not None:
                    parents[int(entry.name)] = int(fields[1])
    found: dict[int, str] = {}
    waiting = [ancestor]
    while waiting:
        above = waiting.pop()
        for pid, parent in parents.items():
            born = birth(pid) if parent == above else None
            if born is not None:
                found[pid] = born
                waiting.append(pid)
    return found


def _stat(pid: int) -> list[str] | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
