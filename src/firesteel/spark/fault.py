"""Failures on demand, for tests of what a failure does. Without its variable this does nothing.

`FIRESTEEL_FAULT` = `moment:batch:action:file` lets the process that reaches that moment of that batch do something to
itself, once: `file` is made first, and whoever finds it made already does nothing. `*` is any batch. The moments:

    m1  driver: the batch is planned                m5  writer: the commit is sent, nobody knows yet
    m2  writer: the past is fenced                  m6  writer: committed, the task is not done yet
    m3  writer: in the middle of the rows           m7  driver: written, Spark does not know yet
    m4  writer: flushed, not committed              m8  driver: Spark knows, the group does not yet

Actions: `kill` (this process, as `kill -9` does), `kill-driver`, `stop` (this process, as SIGSTOP does), `raise`.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

_VARIABLE = "FIRESTEEL_FAULT"
_DRIVER = "FIRESTEEL_FAULT_DRIVER"

#: A commit takes some milliseconds; at m5 the end comes somewhere among them.
_COMMIT_SECONDS = 0.02


class Fault(Exception):
    """What `raise` raises."""


def arm() -> None:
    """Tells the workers-to-be which process the driver is. They inherit its environment."""
    if _VARIABLE in os.environ:
        os.environ[_DRIVER] = str(os.getpid())


def reach(moment: str, batch: int) -> None:
    """The moment has come."""
    said = os.environ.get(_VARIABLE)
    if said is None:
        return
    wanted, number, action, file = said.split(":", 3)
    if wanted != moment or number not in ("*", str(batch)):
        return
    try:
        Path(file).open("x").close()
    except FileExistsError:
        return
    if moment == "m5":
        threading.Thread(target=_later, args=(action,), daemon=True).start()
    else:
        _act(action)


def _later(action: str) -> None:
    time.sleep(random.uniform(0.0, _COMMIT_SECONDS))
    _act(action)


def _act(action: str) -> None:
    match action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "kill-driver":
            os.kill(int(os.environ[_DRIVER]), signal.SIGKILL)
            # The driver's end is not seen at once; nothing more may happen here until it is.
            time.sleep(60)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "raise":
            raise Fault("This failure was asked for.")
