"""What Flink takes: every statement of `valid/`, and every script that was recorded from Flink."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlglot import exp

from firesteel.errors import Source, Span, render_problem
from firesteel.sql.script import parse_script, span_of
from firesteel.sql.statement import CreateTable, CreateView, Explain, Insert, Query, Script, StatementSet

FILES = sorted((Path(__file__).parent / "valid").glob("*.sql"))
CASES = sorted((Path(__file__).resolve().parents[1] / "conformance" / "cases").glob("*/job.sql"))


def parse(sql: str, name: str = "job.sql") -> Script:
    source = Source(name, sql)
    script, problems = parse_script(source)
    assert not problems, "\n".join(render_problem(problem, source) for problem in problems)
    return script


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_valid_script_is_read(path: Path) -> None:
    script = parse(path.read_text(encoding="utf-8"), path.name)
    assert not script.refused
    assert len(script.statements) > 50


def test_every_recorded_script_is_read() -> None:
    assert CASES
    for path in CASES:
        parse(path.read_text(encoding="utf-8"), path.parent.name)


def trees(script: Script) -> list[exp.Expr]:
    """Every syntax tree of a script."""
    found: list[exp.Expr] = []
    for statement in script.statements:
        inner = statement.statement if isinstance(statement, Explain) else statement
        match inner:
            case CreateTable(columns=columns, watermarks=watermarks):
                found += [column.expression for column in columns if hasattr(column, "expression")]
                found += [watermark.expression for watermark in watermarks]
            case CreateView(query=query) | Insert(query=query) | Query(query=query):
                found.append(query)
            case StatementSet(inserts=inserts):
                found += [insert.query for insert in inserts]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_node_has_a_place_inside_its_parent(path: Path) -> None:
    sql = path.read_text(encoding="utf-8")
    for tree in trees(parse(sql)):
        for node in tree.walk():
            span = span_of(node)
            if span is None:
                # Two nodes that no token stands for: the arrays inside MAP[] and the names of JSON clauses.
                assert isinstance(node, exp.Array | exp.Var | exp.Tuple)
                continue
            text = sql[span.start : span.end]
            assert text == text.strip() and text, (type(node), text)
            parent = span_of(node.parent) if node.parent else None
            if parent is not None:
                assert parent.start <= span.start and span.end <= parent.end, (type(node), text)


@pytest.mark.parametrize(
    ("expression", "node", "text"),
    [
        ("a + b.c * 2", exp.Column, "a"),
        ("a + b.c * 2", exp.Mul, "b.c * 2"),
        ("a + 'x''y'", exp.Literal, "'x''y'"),
        ("a + -1.5", exp.Neg, "-1.5"),
        ("UPPER( x ) || y", exp.Anonymous, "UPPER( x )"),
        ("COUNT(DISTINCT a, b)", exp.Distinct, "DISTINCT a, b"),
        ("COUNT(*)", exp.Star, "*"),
        ("SUM(x) FILTER (WHERE y) OVER (ORDER BY z)", exp.Window, "SUM(x) FILTER (WHERE y) OVER (ORDER BY z)"),
        ("SUM(x) FILTER (WHERE y)", exp.Filter, "SUM(x) FILTER (WHERE y)"),
        ("1 + CAST(a AS DECIMAL(10, 2))", exp.Cast, "CAST(a AS DECIMAL(10, 2))"),
        ("1 + CAST(a AS DECIMAL(10, 2))", exp.DataType, "DECIMAL(10, 2)"),
        ("x + INTERVAL '1' DAY", exp.Interval, "INTERVAL '1' DAY"),
        ("CASE WHEN a THEN 1 ELSE 2 END", exp.If, "WHEN a THEN 1"),
        ("a AND b OR c", exp.And, "a AND b"),
        ("NOT a IS NULL", exp.Is, "a IS NULL"),
        ("a NOT IN (1, 2)", exp.In, "a NOT IN (1, 2)"),
        ("a.b[1].c", exp.Bracket, "a.b[1]"),
        ("(a)", exp.Paren, "(a)"),
        ("`a b`.`c`", exp.Column, "`a b`.`c`"),
    ],
)
def test_a_node_stands_where_its_text_stands(expression: str, node: type[exp.Expr], text: str) -> None:
    sql = f"-- before\nSELECT 1;\nSELECT {expression} FROM t"
    found = trees(parse(sql))[1].find(node)
    assert found is not None
    span = span_of(found)
    assert span is not None
    assert sql[span.start : span.end] == text


def test_a_node_built_later_takes_the_place_of_its_children() -> None:
    sql = "SELECT a, b FROM t"
    select = trees(parse(sql))[0]
    columns = list(select.find_all(exp.Column))
    assert span_of(exp.Add(this=columns[0], expression=columns[1])) == Span(7, 11)
    assert span_of(exp.Literal.number(1)) is None
    assert span_of(columns[0].copy()) == Span(7, 8)
