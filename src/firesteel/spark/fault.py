"""Failures on demand, for tests of what a failure does. Without its variable this does nothing.

`FIRESTEEL_FAULT` names a file. While it is there it holds one line, `moment batch action number`, and the process that
reaches that moment of that batch takes the file away and does something to itself, once. `*` is any batch; the number
tells one failure from the next. The moments:

    m1  driver: the batch is planned                m5  writer: the commit is sent, nobody knows yet
    m2  writer: the past is fenced                  m6  writer: committed, the task is not done yet
    m3  writer: in the middle of the rows           m7  driver: written, Spark does not know yet
    m4  writer: flushed, not committed              m8  driver: Spark knows, the group does not yet
    s1  engine: a bucket's rows are there           s3  engine: the bucket's state is written
    s2  engine: a piece of its state is written     s4  engine: its output is given, the task is not done yet

Actions: `kill` (this process, as `kill -9` does), `kill-driver`, `stop` (this process, as SIGSTOP does), `raise`.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "FIRESTEEL_FAULT"

#: A commit takes some milliseconds; at m5 the end comes somewhere among them.
_COMMIT_SECONDS = 0.03
#: In the middle of the rows some should be on the broker: longer than the client waits for more of them.
_LINGER_SECONDS = 0.1


class FaultError(Exception):
    """What `raise` raises."""


@dataclass(frozen=True)
class Fault:
    """What is to go wrong."""

    file: str
    text: str
    driver: int

    @property
    def moment(self) -> str:
        return self.text.split()[0]

    @property
    def batch(self) -> str:
        return self.text.split()[1]

    @property
    def action(self) -> str:
        return self.text.split()[2]


@dataclass(frozen=True)
class FaultFile:
    """Travels from the driver to the writing task: a worker's environment is older than the test."""

    file: str
    driver: int

    def read(self) -> Fault | None:
        try:
            return Fault(self.file, Path(self.file).read_text(), self.driver)
        except OSError:
            return None


def fault_file() -> FaultFile | None:
    file = os.environ.get(VARIABLE)
    return FaultFile(file, os.getpid()) if file is not None else None


def planned_fault() -> Fault | None:
    """Gives the fault that is planned, as the driver sees it now."""
    faults = fault_file()
    return faults.read() if faults is not None else None


def reach(fault: Fault | None, moment: str, batch: int) -> None:
    """Carries out the planned fault if its moment is this one."""
    if fault is None or fault.moment != moment or fault.batch not in ("*", str(batch)):
        return
    file = Path(fault.file)
    try:
        # A task that runs again must not take what is meant for another batch.
        if file.read_text() != fault.text:
            return
        file.rename(f"{file}.{os.getpid()}")
    except FileNotFoundError:
        return
    if moment == "m5":
        threading.Thread(target=_later, args=(fault,), daemon=True).start()
        return
    if moment == "m3":
        time.sleep(_LINGER_SECONDS)
    _act(fault)


def _later(fault: Fault) -> None:
    time.sleep(random.uniform(0.0, _COMMIT_SECONDS))
    _act(fault)


def _act(fault: Fault) -> None:
    match fault.action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "kill-driver":
            os.kill(fault.driver, signal.SIGKILL)
            # It takes Spark a moment to see that; nothing more may happen here until it has.
            time.sleep(60)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "raise":
            raise FaultError("This failure was asked for.")
