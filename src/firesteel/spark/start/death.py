"""Explains why Spark's JVM ended, from its exit status and the end of Spark's log.

>>> explain_end(Path("/nowhere/job.log"), -9)
"Spark's JVM was killed (signal 9), perhaps by the kernel for want of memory."
>>> explain_end(Path("/nowhere/job.log"), 143)
"Spark's JVM was ended by signal 15 (SIGTERM)."
"""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

#: The exit statuses of `-XX:+ExitOnOutOfMemoryError`, and of Spark when an OutOfMemoryError reaches it.
_OUT_OF_MEMORY = (3, 52)

#: The exit status of a JVM that handles a signal is this plus the signal's number.
_BY_SIGNAL = 128

_CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT}

#: The length of the log's end that is read. The JVM's last message is there.
_END = 64 * 1024

_MORE_MEMORY = "SET 'spark.driver.memory' to more than it may take now, or 'state.backend.type' = 'rocksdb' with a start with --fresh."

#: Messages of an OutOfMemoryError that is not about the heap, with a hint for each.
_OTHER_MEMORY = (
    ("native thread", "It could not start a thread: raise the limit of processes (ulimit -u), or of the container."),
    ("Metaspace", "It had no memory left for classes: the operator can give it more with -XX:MaxMetaspaceSize."),
)


def explain_end(log: Path | None, status: int | None) -> str:
    """Explains in a sentence why a JVM ended by itself. `status` is its exit status as `subprocess` gives it: a
    negative number is a signal, None is unknown.
    """
    if status is None:
        return "Spark's JVM has ended."
    if status in _OUT_OF_MEMORY:
        return _explain_memory(_last_words(log))
    number = -status if status < 0 else status - _BY_SIGNAL
    if number == signal.SIGKILL:
        return "Spark's JVM was killed (signal 9), perhaps by the kernel for want of memory."
    name = _signal_name(number)
    if number in _CRASHES:
        if "insufficient memory for the Java Runtime" in _last_words(log):
            return "Spark's JVM ended: the machine has no memory left for it. Give it more, or SET 'spark.driver.memory' to less."
        return (
            f"Spark's JVM crashed (signal {number}, {name}). A file hs_err_pid….log in the current folder says where."
        )
    if name is not None:
        return f"Spark's JVM was ended by signal {number} ({name})."
    return f"Spark's JVM ended by itself, with exit status {status}."


def _explain_memory(words: str) -> str:
    reasons = re.findall(r"java\.lang\.OutOfMemoryError: ([^\n]+)", words)
    for pattern, cure in _OTHER_MEMORY:
        if reasons and pattern in reasons[-1]:
            return f"Spark's JVM ran out of memory. {cure}"
    return f"Spark's JVM ran out of memory: the job's state needs more than it may take. {_MORE_MEMORY}"


def _signal_name(number: int) -> str | None:
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def _last_words(log: Path | None) -> str:
    if log is None:
        return ""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _END))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
