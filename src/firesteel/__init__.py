"""Firesteel runs Flink SQL jobs between Kafka topics, unchanged, on Spark Structured Streaming.

import firesteel

problems = firesteel.check("job.sql")      # every mistake at once; no JVM
job = firesteel.run("job.sql")             # blocks until a bounded job ends
job = firesteel.start("job.sql")           # returns at once: job.snapshot(), job.stop(), job.wait()
"""

from __future__ import annotations

from firesteel.api import check, run, start
from firesteel.errors import Blame, FiresteelError, JobError, OutsideError, Problem, ScriptError, UsageError

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
