"""A small process between Firesteel and the broker it started, so that the broker cannot outlive Firesteel.

Firesteel may end in any way, even by `kill -9`; the system then closes the pipe that this process reads, and it ends
the broker and removes its folder. It is run as a program of its own, with nothing but the standard library:

    python -I -S watchdog.py FOLDER-TO-REMOVE-OR-EMPTY LOG-FILE COMMAND…

One letter on standard input is one command: (k)ill -9, (t)erminate, (s)tart again. The answer is a line with the pid of
the process, or 0. The end of the input means: end everything.
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys

_PR_SET_PDEATHSIG = 1


def _die_with_watchdog() -> None:
    # The watchdog may be killed too. On Linux that ends the broker; elsewhere the broker stays if both are killed.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _start(command: list[str], log: str) -> subprocess.Popen[bytes]:
    with open(log, "ab") as out:  # noqa: PTH123  # pathlib would double the start time of this process
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=_die_with_watchdog
        )


def _end(child: subprocess.Popen[bytes], sign: int) -> None:
    if child.poll() is None:
        child.send_signal(sign)
    try:
        child.wait(timeout=15)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _obey(order: str, child: subprocess.Popen[bytes], command: list[str], log: str) -> subprocess.Popen[bytes]:
    match order:
        case "k":
            _end(child, signal.SIGKILL)
        case "t":
            _end(child, signal.SIGTERM)
        case "s" if child.poll() is not None:
            return _start(command, log)
    return child


def main(folder: str, log: str, *command: str) -> None:
    parent = os.getppid()
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, lambda *_: sys.exit(0))
    child = _start(list(command), log)
    try:
        print(child.pid, flush=True)
        while True:
            ready, _, _ = select.select([0], [], [], 0.5)
            if ready:
                orders = os.read(0, 64).decode()
                if not orders:
                    return
                for order in orders:
                    child = _obey(order, child, list(command), log)
                    print(child.pid if child.poll() is None else 0, flush=True)
            # A child of the parent holds the pipe open too; then only the parent's pid shows that the parent has ended.
            if os.getppid() != parent:
                return
    finally:
        _end(child, signal.SIGKILL if folder else signal.SIGTERM)
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
