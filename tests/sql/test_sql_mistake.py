"""Each file of `mistake/` is a script, a line of dashes, and what is said about it, to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import Source, render_problem
from firesteel.sql.script import parse_script

CASES = sorted((Path(__file__).parent / "mistake").glob("*.case"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_mistake_is_told_to_the_letter(path: Path) -> None:
    sql, _, expected = path.read_text(encoding="utf-8").partition("\n-----\n")
    source = Source("job.sql", sql)
    _, problems = parse_script(source)
    assert "\n".join(render_problem(problem, source) for problem in problems) + "\n" == expected


def test_a_text_in_quotes_is_never_repeated() -> None:
    for sql in (
        "CREATE TABLE t (a INT) WITH ('password' 'canary')",
        "CREATE TABLE t (a INT) WITH ('password' = canary)",
        "CREATE TABLE t (a INT) WITH ('password' = 'x' 'canary')",
        "SET 'password' 'canary'",
        "SELECT 1 FROM 'canary'",
    ):
        _, problems = parse_script(Source("job.sql", sql))
        assert problems
        assert not any("canary" in f"{problem.message} {problem.hint}" for problem in problems), sql


def test_other_statements_are_read_on() -> None:
    script, problems = parse_script(Source("job.sql", "SELECT 1; SELEC 2; SELECT 3 FORM t; SELECT 4;"))
    assert len(script.statements) == 2
    assert len(problems) == 2


def test_names_of_refused_tables_are_kept() -> None:
    script, problems = parse_script(
        Source("job.sql", "CREATE TABLE a (x STRNG) WITH ('k' = 'v'); CREATE VIEW b SELECT 1; CREATE TABLE c (x INT);")
    )
    assert [name.name.text for name in script.refused] == ["a", "b"]
    # A table whose only mistakes are types is still there for its options to be checked.
    assert [type(statement).__name__ for statement in script.statements] == ["CreateTable", "CreateTable"]
    assert len(problems) == 2
