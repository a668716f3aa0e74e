"""Ends processes that an earlier run started, if the pid is still the same process."""

from __future__ import annotations

import os
import signal
import time

from firesteel.spark.start.birth import birth as birth


def end_process(pid: int, born: str, patience: float = 15.0) -> None:
    """Asks the process to end, and kills it after some seconds. Does nothing if the pid belongs to another process by now."""
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
