"""Every recorded case: what Flink refuses is refused by `check`, what Flink writes is written, byte for byte.

What Flink finds out while a job runs, `check` may find before it starts: `EARLIER` names those cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future

import pytest
from tests.conformance.recorded import EARLIER, load_cases
from tests.jobs.case import Case

from firesteel.errors import Source
from firesteel.plan.analyze import analyze

CASES = [case for case in load_cases() if not case.differs]
REFUSED = [case for case in CASES if case.error_phase in ("ddl", "plan")]
RUN = [case for case in CASES if case.error_phase in (None, "run")]


def _named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", REFUSED, ids=_named)
def test_what_flink_refuses_is_refused(case: Case) -> None:
    analysis = analyze(Source("case.sql", case.script("b:9092", "run")))
    assert analysis.errors
    assert not [problem for problem in analysis.errors if "not supported yet" in problem.message]


@pytest.mark.parametrize("case", [case for case in RUN if case.name in EARLIER], ids=_named)
def test_what_flink_finds_later_is_refused(case: Case) -> None:
    assert case.error_phase == "run"
    analysis = analyze(Source("case.sql", case.script("b:9092", "run")))
    assert analysis.errors
    assert all(problem.span is not None for problem in analysis.errors)


@pytest.mark.spark
@pytest.mark.behind
@pytest.mark.parametrize("case", [case for case in RUN if case.name not in EARLIER], ids=_named)
def test_a_job_writes_what_flink_wrote(case: Case, outcomes: Mapping[str, Future[list[str]]]) -> None:
    differences = outcomes[case.name].result()
    assert not differences, "\n".join(differences)
