"""The cases that were recorded from real Flink. Nothing in them is written by hand but the input.

tests/jobs/case.py says what is in a folder; `python -m tests.conformance.convert` makes one from a recording.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.jobs.case import Case, read_case

CASES = Path(__file__).parent / "cases"

#: What Flink finds out while a job runs, and `check` finds before it starts.
EARLIER = {"kafka-32-sink-multi-topic-no-metadata"}


@cache
def load_cases() -> tuple[Case, ...]:
    return tuple(read_case(path.parent) for path in sorted(CASES.glob("*/recorded.toml")))
