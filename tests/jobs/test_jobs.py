"""Each folder of `cases/` says what a script makes of some messages, and it does.

The jobs run several at once behind the other tests, which mostly wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

import pytest
from tests.jobs.case import Case, read_case

CASES = [read_case(path.parent) for path in sorted((Path(__file__).parent / "cases").glob("*/job.sql"))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_says_what_it_is_about_and_what_it_expects(case: Case) -> None:
    assert case.sql.startswith("-- ")
    assert case.expected or case.failure


@pytest.mark.spark
@pytest.mark.behind
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_job_writes_what_its_case_expects(case: Case, outcomes: Mapping[str, Future[list[str]]]) -> None:
    differences = outcomes[case.name].result()
    assert not differences, "\n".join(differences)
