"""What a Python worker that could not even begin means, and what a worker machine needs."""

from __future__ import annotations

import os
import re
import sys

from firesteel.errors import OutsideError

#: What a worker imports: Firesteel and what it stands on.
_OURS = ("firesteel", "pyspark", "pyarrow", "pandas", "numpy", "polars", "confluent_kafka", "fastavro", "orjson")


def _python() -> str:
    """Gives the Python that workers are started with."""
    return os.environ.get("PYSPARK_PYTHON") or sys.executable


def install_hint() -> str:
    return f"Install Firesteel with its dependencies on every worker machine, for the Python at '{_python()}'."


def explain_worker(text: str) -> OutsideError | None:
    """Writes the sentence for a worker that could not even begin."""
    missing = re.search(r"ModuleNotFoundError: No module named '(\w+)", text)
    if missing is not None:
        theirs = missing[1] not in _OURS
        hint = f"Put '{missing[1]}' where the Python of every worker machine finds it." if theirs else install_hint()
        return OutsideError(f"Spark's workers cannot import '{missing[1]}'.", hint=hint)
    other = re.search(r"PYTHON_VERSION_MISMATCH\][^\n]*?(\d+\.\d+)[^\n]*?(\d+\.\d+)", text)
    if other is not None:
        return OutsideError(
            f"Spark's workers run Python {other[1]}, and this is Python {other[2]}.",
            hint="Set PYSPARK_PYTHON to the Python that has Firesteel, before Spark is started.",
        )
    if "port number from firesteel.spark.start.worker_daemon" in text:
        # The process that workers are forked from ended before it began.
        return OutsideError("Spark's workers cannot import 'firesteel'.", hint=install_hint())
    if re.search(r'Cannot run program "[^"]+"', text):
        return OutsideError(f"Spark's workers have no Python at '{_python()}'.", hint=install_hint())
    return None
