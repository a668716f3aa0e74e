"""Every file in `mistakes/` is one mistake (or one combination) in a CREATE TABLE, with the exact text that `check` prints.

`name.sql` is the script; its first line says how its last table is used: `-- read`, `-- written` or `-- declared`.
`name.txt` is what people see. Adding a case is adding the two files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.catalog.catalog import Catalog, declare
from firesteel.errors import Problem, Source, render_problem
from firesteel.options.secret import mask_script
from firesteel.sql.script import parse_script

MISTAKES = Path(__file__).parent / "mistakes"
CASES = sorted(MISTAKES.glob("*.sql"))


def problems_of(text: str) -> tuple[Problem, ...]:
    script, problems = parse_script(Source("job.sql", text))
    catalog = Catalog()
    found = list(problems)
    for statement in script.statements:
        catalog, more = declare(statement, catalog, environment={"FIRESTEEL_ALLOWED_ENV": "KAFKA_*"})
        found += more
    use = text.splitlines()[0].removeprefix("-- ")
    table = list(catalog.tables.values())[-1] if catalog.tables else None
    if table is not None and use != "declared":
        found += table.problems_as_source if use == "read" else table.problems_as_sink
    return tuple(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_text_is_exactly_this(case: Path) -> None:
    text = case.read_text()
    shown = Source("job.sql", mask_script(text))
    rendered = "\n\n".join(render_problem(problem, shown) for problem in problems_of(text)) + "\n"
    assert rendered == case.with_suffix(".txt").read_text()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_every_sentence_has_the_house_form(case: Path) -> None:
    for problem in problems_of(case.read_text()):
        assert problem.span is not None
        assert problem.message.endswith(".")
        assert "Please" not in problem.message
        assert problem.hint is None or problem.hint.endswith((".", "…"))
        assert "'" in problem.message or "PRIMARY KEY" in problem.message or "WATERMARK" in problem.message


def test_there_are_many() -> None:
    assert len(CASES) >= 80
