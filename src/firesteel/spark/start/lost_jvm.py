"""Finds out that the JVM has ended while a job ran on it, from its process or from calls to it that fail."""

from __future__ import annotations

import subprocess
from contextlib import suppress

from py4j.protocol import Py4JNetworkError

from firesteel.errors import FiresteelError, JobError
from firesteel.spark.start.death import explain_end
from firesteel.spark.start.jvm import find_jvm
from firesteel.spark.start.session import session_log

#: How long to wait for the JVM's process to end after a call to it has failed.
_PATIENCE = 4.0


def check_jvm() -> None:
    """Raises `JobError` if the JVM has ended."""
    process = find_jvm()
    if process is not None and process.poll() is not None:
        raise JobError(explain_end(session_log(), process.returncode))


def explain_lost_jvm(error: Exception) -> FiresteelError:
    """Returns the error to show when a call to the JVM fails. Mostly the JVM has ended, which its process shows a
    moment later.
    """
    process = find_jvm()
    if process is not None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        if process.poll() is not None:
            return JobError(explain_end(session_log(), process.returncode))
    if isinstance(error, Py4JNetworkError | OSError):
        return JobError("Spark's JVM does not answer any more: it has ended, or its SparkContext was stopped.")
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return JobError(f"The job cannot be followed any more: {first}")
