"""Processes that were started by another run: is this pid still the same process, and how to end it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path


def birth(pid: int) -> str | None:
    """When the process was started, in the system's own words; None when there is no such process.

    A pid is used again after its process has ended: pid and birth together name one process for good.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None if Path("/proc/self").exists() else _birth_told_by_ps(pid)
    state, ticks_since_boot = fields[0], fields[19]
    return None if state in "ZX" else ticks_since_boot


def _birth_told_by_ps(pid: int) -> str | None:
    told = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, started = told.stdout.strip().partition(" ")
    return started.strip() if started and not state.startswith("Z") else None


def end_process(pid: int, born: str, patience: float = 15.0) -> None:
    """Ask the process to end, and end it after some seconds. Does nothing when the pid is another process by now."""
    for sign, wait in ((signal.SIGTERM, patience), (signal.SIGKILL, 5.0)):
        if birth(pid) != born:
            return
        try:
            os.kill(pid, sign)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + wait
        while birth(pid) == born and time.monotonic() < deadline:
            time.sleep(0.05)
