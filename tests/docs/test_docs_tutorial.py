"""docs/tutorial.md shows what the commands say: its plan, its two mistakes, its messages."""

from __future__ import annotations

import re
from pathlib import Path

from firesteel.errors import Source, render_problem
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.show.explain import render_plan

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
JOB, WINDOW = re.findall(r"^```sql\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def _analyze(text: str) -> Analysis:
    return analyze(Source("job.sql", text))


def test_the_plan_of_the_tutorial_is_that_of_its_job() -> None:
    [sink] = _analyze(JOB).sinks
    assert render_plan(sink) in PAGE


def test_the_tutorial_shows_what_check_says_to_its_two_mistakes() -> None:
    wrong = _analyze(JOB.replace("scan.startup.mode", "scan.startup.mod").replace("SELECT customer", "SELECT custmer"))
    assert len(wrong.errors) == 2
    assert "\n\n".join(render_problem(problem, wrong.source) for problem in wrong.errors) in PAGE


def test_the_window_of_the_tutorial_only_inserts() -> None:
    [sink] = _analyze(WINDOW).sinks
    assert "changelog=[I]" in render_plan(sink).splitlines()[0]
