"""Whatever the text, a script is read or refused: no exception, no long wait, every position inside the text."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import Problem, Source, render_problem
from firesteel.sql.script import parse_script
from firesteel.sql.token import Kind, tokenize

VALID = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "valid").glob("*.sql"))]


def pieces(sql: str) -> list[str]:
    """A script cut at its tokens, so that joining the pieces gives it back."""
    tokens, _ = tokenize(sql)
    starts = [token.start for token in tokens if token.kind is not Kind.END]
    return [sql[start:end] for start, end in zip([0, *starts], [*starts, len(sql)], strict=True)]


PIECES = [pieces(sql) for sql in VALID]
ALL_PIECES = sorted({piece for found in PIECES for piece in found})


def assert_read_or_refused(sql: str) -> tuple[Problem, ...]:
    source = Source("job.sql", sql)
    script, problems = parse_script(source)
    for problem in problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(sql)
        assert problem.message.endswith(".") and problem.message
        render_problem(problem, source)
    for statement in script.statements:
        assert 0 <= statement.span.start < statement.span.end <= len(sql)
    return problems


def mutated(found: list[str], chance: random.Random) -> str:
    found = list(found)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(found))
        match chance.randrange(6):
            case 0:
                del found[at]
            case 1:
                found.insert(at, found[at])
            case 2:
                other = chance.randrange(len(found))
                found[at], found[other] = found[other], found[at]
            case 3:
                found[at] = found[at][: chance.randint(0, len(found[at]))]
            case 4:
                found[at] = chance.choice(ALL_PIECES)
            case _:
                found[at] += chance.choice(
                    ["'", '"', "`", "(", ")", "/*", "*/", "/*+", "\u2028", "\x00", "é", "😀", "--", "["]
                )
        if not found:
            return ""
    return "".join(found)


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(PIECES))
def test_mutated_scripts_are_read_or_refused(chance: random.Random, found: list[str]) -> None:
    assert_read_or_refused(mutated(found, chance))


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused(sql: str) -> None:
    assert_read_or_refused(sql)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(ALL_PIECES), max_size=60))
def test_any_tokens_are_read_or_refused(found: list[str]) -> None:
    assert_read_or_refused(" ".join(found))


@pytest.mark.parametrize("cut", range(0, len(VALID[0]), 97))
def test_cut_scripts_are_read_or_refused(cut: int) -> None:
    assert_read_or_refused(VALID[0][:cut])
    assert_read_or_refused(VALID[0][cut:])


DEEP = 10_000
BIG = 1_000_000


@pytest.mark.parametrize(
    ("name", "sql", "right"),
    [
        ("parentheses", f"SELECT {'(' * DEEP}1{')' * DEEP}", False),
        ("unclosed parentheses", f"SELECT {'(' * DEEP}", False),
        ("subqueries", f"SELECT * FROM {'(SELECT * FROM ' * DEEP}t{')' * DEEP}", False),
        ("queries", f"{'(' * DEEP}SELECT 1{')' * DEEP}", False),
        ("calls", f"SELECT {'f(' * DEEP}1{')' * DEEP}", False),
        ("cases", f"SELECT {'CASE WHEN ' * DEEP}", False),
        ("nots", f"SELECT {'NOT ' * DEEP}a", False),
        ("minuses", f"SELECT {'- ' * DEEP}a", False),
        ("brackets", f"SELECT a{'[a' * DEEP}{']' * DEEP}", False),
        ("arrays", f"CREATE TABLE t (a {'ARRAY<' * DEEP}INT{'>' * DEEP})", False),
        ("array suffixes", f"CREATE TABLE t (a INT {'ARRAY ' * DEEP})", False),
        ("rows", f"CREATE TABLE t (a {'ROW<b ' * DEEP}INT{'>' * DEEP})", False),
        ("grouping sets", f"SELECT 1 FROM t GROUP BY {'GROUPING SETS (' * DEEP}", False),
        ("a long sum", f"SELECT {' + '.join(['1'] * DEEP)}", False),
        ("a long path", f"SELECT {'.'.join(['a'] * DEEP)}", False),
        ("many indexes", f"SELECT a{'[1]' * DEEP}", False),
        ("many predicates", f"SELECT a {'IS NULL ' * DEEP}", False),
        ("a long union", " UNION ALL ".join(["SELECT 1"] * DEEP), False),
        ("many joins", f"SELECT * FROM t{', t' * DEEP}", False),
        ("many conditions", f"SELECT {' AND '.join(['a = 1'] * DEEP)}", True),
        ("many values", f"SELECT a IN ({', '.join(['1'] * DEEP)})", True),
        ("many rows", f"INSERT INTO t VALUES {', '.join(['(1, 2)'] * DEEP)}", True),
        ("many columns", f"CREATE TABLE t ({', '.join(f'a{number} INT' for number in range(DEEP))})", True),
        ("many statements", "SELECT 1;" * DEEP, True),
        ("a big text", f"SELECT '{'x' * BIG}'", True),
        ("a big text of quotes", f"SELECT '{chr(39) * 2 * (BIG // 2)}'", True),
        ("a big text without end", f"SELECT '{chr(39) * 2 * (BIG // 2)}", False),
        ("a big option", f"CREATE TABLE t (a INT) WITH ('k' = '{'x' * BIG}')", True),
        ("a big name", f"SELECT `{'x' * BIG}`", True),
        ("a big word", f"SELECT {'x' * BIG}", True),
        ("a big misspelt word", f"{'x' * BIG} 1", False),
        ("a big number", f"SELECT {'9' * BIG}", True),
        ("a big precision", f"CREATE TABLE t (a DECIMAL({'9' * BIG}))", False),
        ("a big interval", f"SELECT INTERVAL '{'9' * BIG}' DAY", False),
        ("a big comment", f"/*{'*' * BIG}*/ SELECT 1", True),
        ("a big comment without end", f"SELECT 1 /*{'*' * BIG}", False),
        ("many wrong characters", "SELECT " + "#" * BIG, False),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_big_and_deep_scripts_are_read_or_refused_in_seconds(name: str, sql: str, right: bool) -> None:
    started = time.process_time()
    problems = assert_read_or_refused(sql)
    assert (not problems) == right, (name, problems)
    assert len(problems) <= 1
    assert all(len(problem.message) < 300 for problem in problems)
    assert time.process_time() - started < 5


def test_a_deep_stack_is_no_traceback() -> None:
    def down(levels: int) -> tuple[Problem, ...]:
        return down(levels - 1) if levels else parse_script(Source("job.sql", f"SELECT {'(' * 70}1{')' * 70}"))[1]

    problems = assert_read_or_refused(f"SELECT {'(' * 70}1{')' * 70}")
    assert problems == ()
    down(sys.getrecursionlimit() - len_of_stack() - 100)


def len_of_stack() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def test_a_long_script_is_read_within_a_second() -> None:
    sql = "\n".join(
        f"CREATE TABLE t{number} (\n"
        + ",\n".join(f"  column_{column} STRING" for column in range(20))
        + "\n) WITH ('connector' = 'kafka', 'topic' = 'a');\n"
        + f"INSERT INTO t{number}\nSELECT UPPER(a), b + 1,\n  COUNT(*) FROM u\nWHERE c > 1\nGROUP BY a, b;\n"
        for number in range(60)
    )
    started = time.process_time()
    problems = assert_read_or_refused(sql)
    assert not problems
    assert time.process_time() - started < 1
