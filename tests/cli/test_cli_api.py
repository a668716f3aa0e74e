"""What `import firesteel` shows, and what it takes for a script."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import firesteel
from firesteel.api import analyze_script, read_script
from firesteel.errors import TEXT_NAME, UsageError
from firesteel.spark.place import job_name

TABLES = """\
CREATE TABLE s (a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 's', 'properties.bootstrap.servers' = 'b:9092',
  'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json');
"""


def test_findings_c10_dir_lists_the_functions() -> None:
    assert {"check", "run", "start", "Problem", "ScriptError"} <= set(dir(firesteel))


def test_findings_c10_run_shows_its_parameters() -> None:
    run, start = inspect.signature(firesteel.run), inspect.signature(firesteel.start)
    assert list(run.parameters) == list(start.parameters)
    assert {"settings", "name", "fresh", "master", "spark", "python_functions"} <= set(run.parameters)


def test_findings_c10_a_problem_has_its_line_and_column() -> None:
    (problem,) = firesteel.check(TABLES + "INSERT INTO t\n  SELECT nope FROM s;")
    assert (problem.line, problem.column) == (5, 10)
    (warning,) = firesteel.check(TABLES, settings={"foo": "x"})
    assert warning.line is None and warning.column is None


def test_findings_c10_changed_text_is_another_job() -> None:
    def name(query: str, settings: dict[str, str] | None = None) -> str:
        return job_name(analyze_script(TABLES + query, settings), None)

    first = name("INSERT INTO t SELECT a FROM s;")
    assert first.startswith("script-") and name("INSERT INTO t SELECT a  FROM s; -- again") == first
    assert name("INSERT INTO t SELECT b FROM s;") != first
    assert name("INSERT INTO t SELECT a FROM s WHERE b > 1;") != first
    assert name("INSERT INTO t SELECT a FROM s;", {"pipeline.name": "mine"}) == "mine"


def test_a_job_of_a_file_has_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "orders.sql"
    path.write_text(TABLES)
    assert job_name(analyze_script(path), None) == "orders"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a INT) WITH ('connector' = 'kafka'); INSERT INTO t SELECT 1;",
        "CREATE TABLE t (a INT) WITH ('topic' = 'a/b.sql', 'x' = '" + "y" * 5000 + "');",
        "SELECT 1",
        "insert into t select 1",
        "-- nothing",
        "INSERT INTO t SELECT a FROM s; -- job.sql",
        "a;b",
        "SELECT '\0';",
    ],
)
def test_findings_c12_text_on_one_line_is_sql(text: str) -> None:
    assert read_script(text).name == TEXT_NAME


@pytest.mark.parametrize("path", ["job.sql", "select me.sql", "jobs/orders", "settings", "x" * 5000, "a\0b"])
def test_findings_c12_a_path_is_no_sql(path: str) -> None:
    with pytest.raises(UsageError):
        read_script(path)


def test_findings_c12_a_file_with_a_semicolon(tmp_path: Path) -> None:
    path = tmp_path / "a;b.sql"
    path.write_text("SELECT 1;")
    assert read_script(str(path)).name == str(path)
