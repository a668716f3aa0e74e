"""Firesteel runs Flink SQL jobs between Kafka topics, unchanged, on Spark Structured Streaming.

import firesteel

problems = firesteel.check("job.sql")      # every mistake at once; no JVM
job = firesteel.run("job.sql")             # blocks until a bounded job ends
job = firesteel.start("job.sql")           # returns at once: job.snapshot(), job.stop(), job.wait()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firesteel.errors import Blame, FiresteelError, JobError, OutsideError, Problem, ScriptError, UsageError

if TYPE_CHECKING:
    from firesteel.api import check, run, start

__all__ = [
    "Blame",
    "FiresteelError",
    "JobError",
    "OutsideError",
    "Problem",
    "ScriptError",
    "UsageError",
    "check",
    "run",
    "start",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """The functions are imported when they are asked for: Spark's workers import this package too, and need none of them."""
    if name in ("check", "run", "start"):
        from firesteel import api

        return getattr(api, name)
    raise AttributeError(f"module 'firesteel' has no attribute '{name}'")
