"""Processes that were started by another run: is this pid still the same process, and how to end it."""

from __future__ import annotations

import os
import signal
import time

from firesteel.spark.start.birth import birth as birth


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
