"""Finds when a process was started: a pid together with this time identifies one process for ever."""

from __future__ import annotations

import subprocess
from pathlib import Path


def birth(pid: int) -> str | None:
    """Returns when the process was started, as the system prints it; None if there is no such process.

    A pid is used again after its process has ended.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None if Path("/proc/self").exists() else _birth_told_by_ps(pid)
    state, ticks_since_boot = fields[0], fields[19]
    return None if state in "ZX" else ticks_since_boot


def _birth_told_by_ps(pid: int) -> str | None:
    listed = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, started = listed.stdout.strip().partition(" ")
    return started.strip() if started and not state.startswith("Z") else None
