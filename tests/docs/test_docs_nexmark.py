"""docs/nexmark.md says which of the queries run: `check` has to say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import firesteel

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| \[(q\d+)\].*\| (runs|refused)", (ROOT / "docs" / "nexmark.md").read_text(encoding="utf-8"), re.M
)


def test_every_script_has_a_row() -> None:
    assert sorted(name for name, _ in ROWS) == sorted(
        path.stem for path in (ROOT / "examples" / "nexmark").glob("*.sql")
    )


@pytest.mark.parametrize(("name", "verdict"), ROWS)
def test_check_says_what_the_page_says(name: str, verdict: str) -> None:
    problems = firesteel.check(ROOT / "examples" / "nexmark" / f"{name}.sql")
    assert any(problem.is_error for problem in problems) == (verdict == "refused")
