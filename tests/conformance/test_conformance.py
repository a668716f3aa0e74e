"""Every recorded case: what Flink refuses is refused by `check`, what Flink writes is written, byte for byte.

`not_yet.txt` lists the cases that need something that is not supported yet. Such a script has to be refused by `check`
with a position; once it is not refused any more, its line has to go.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

import pytest
from tests.conformance.corpus import Case, load_cases

from firesteel.errors import Source
from firesteel.plan.analyze import analyze

CASES = [case for case in load_cases() if not case.differs]
NOT_YET = set((Path(__file__).parent / "not_yet.txt").read_text().split())
REFUSED = [case for case in CASES if case.error_phase in ("ddl", "plan")]
RUN = [case for case in CASES if case.error_phase in (None, "run")]


def _named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", REFUSED, ids=_named)
def test_what_flink_refuses_is_refused(case: Case) -> None:
    analysis = analyze(Source("case.sql", case.script("b:9092", "run")))
    assert analysis.errors
    if case.name not in NOT_YET:
        assert not [problem for problem in analysis.errors if "not supported yet" in problem.message]


@pytest.mark.parametrize("case", [case for case in RUN if case.name in NOT_YET], ids=_named)
def test_what_is_not_supported_yet_is_refused(case: Case) -> None:
    analysis = analyze(Source("case.sql", case.script("b:9092", "run")))
    assert analysis.errors, f"{case.name} is supported now: take it out of not_yet.txt"
    assert all(problem.span is not None for problem in analysis.errors)


@pytest.mark.spark
@pytest.mark.parametrize("case", [case for case in RUN if case.name not in NOT_YET], ids=_named)
def test_case(case: Case, conformance: Mapping[str, Future[list[str]]]) -> None:
    assert conformance[case.name].result() == []
