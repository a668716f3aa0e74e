from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from firesteel.cli.main import main

SOURCE = (
    "CREATE TABLE s (k STRING, n INT) WITH ('connector' = 'kafka', 'topic' = 's',"
    " 'properties.bootstrap.servers' = 'b:9092', 'properties.group.id' = 'g', 'format' = 'json');\n"
)
SINK = (
    "CREATE TABLE d (k STRING, n INT) WITH ('connector' = 'kafka', 'topic' = 'd',"
    " 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json');\n"
)
RIGHT = SOURCE + SINK + "INSERT INTO d SELECT k, n FROM s;\n"
WRONG = SOURCE + SINK + "INSERT INTO d SELECT k, m FROM s;\n"
WARNED = RIGHT.replace(" 'properties.group.id' = 'g',", "")

TEN_MISTAKES = """\
CREATE TABLE s (k STRING, n INT) WITH ('connector' = 'kafka', 'topic' = 's',
  'properties.bootstrap.servers' = 'b:9092', 'properties.group.id' = 'g', 'format' = 'json');
CREATE TABLE d (k STRING, n INT) WITH ('connector' = 'kafka', 'topic' = 'd',
  'properties.bootstrap.servers' = 'b:9092', 'format' = 'json');
CREATE TABLE no_topic (k STRING) WITH ('connector' = 'kafka', 'format' = 'json', 'properties.bootstrap.servers' = 'b');
CREATE TABLE bad_mode (k STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',
  'properties.bootstrap.servers' = 'b', 'scan.startup.mode' = 'earliest');
CREATE TABLE no_key (k STRING) WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'key.format' = 'json',
  'value.format' = 'json', 'properties.bootstrap.servers' = 'b');
CREATE TABLE bad_type (k STRNG) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',
  'properties.bootstrap.servers' = 'b');
CREATE VIEW v AS SELECT nope FROM s;
SELEC 1;
INSERT INTO d SELECT n, n FROM s WHERE k;
INSERT INTO nowhere SELECT k, n FROM s;
SET 'table.exec.state.ttl' = 'soon';
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "job.sql"
    path.write_text(RIGHT, encoding="utf-8")
    return path


def test_a_right_script_has_no_mistakes(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(script)]) == 0
    assert capsys.readouterr().out == "1 script checked: no mistakes, no warnings.\n"


def test_ten_mistakes_in_file_order(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(TEN_MISTAKES)
    assert main(["check", "--format", "json", str(script)]) == 2
    (checked,) = json.loads(capsys.readouterr().out)["scripts"]
    places = [(problem["line"], problem["column"]) for problem in checked["problems"]]
    messages = [problem["message"] for problem in checked["problems"] if problem["severity"] == "error"]
    assert places == sorted(places)
    assert len(messages) == len(set(messages)) == 10, messages


def test_check_takes_folders_and_files_and_tells_what_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.sql").write_text(WRONG)
    (tmp_path / "a.sql").write_text(WARNED)
    (tmp_path / "latin.sql").write_bytes("-- \xe9\n".encode("latin-1"))
    (tmp_path / "empty").mkdir()
    words = ["check", str(tmp_path), str(tmp_path / "a.sql"), str(tmp_path / "nowhere.sql"), str(tmp_path / "empty")]
    assert main(words) == 2
    shown = capsys.readouterr().out
    assert shown.count("a.sql:") == 1
    assert "b.sql:3:25: 'm' is not a column." in shown
    assert "latin.sql' is not UTF-8 text.\n    Save it as UTF-8." in shown
    assert f"There is no file '{tmp_path / 'nowhere.sql'}'." in shown
    assert "has no *.sql file in it." in shown
    assert shown.endswith("2 scripts checked: 1 mistake, 1 warning; 3 could not be read.\n")


def test_strict_makes_mistakes_of_warnings(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(WARNED)
    assert main(["check", str(script)]) == 0
    assert "warning: 'scan.startup.mode' is 'group-offsets'" in capsys.readouterr().out
    assert main(["check", "--strict", str(script)]) == 2
    assert "1 mistake, no warnings." in capsys.readouterr().out


def test_json_tells_the_place_of_a_mistake(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(WRONG)
    assert main(["check", "--format", "json", str(script)]) == 2
    shown = json.loads(capsys.readouterr().out)
    assert shown["mistakes"] == 1 and shown["warnings"] == 0
    (problem,) = shown["scripts"][0]["problems"]
    assert problem["severity"] == "error" and problem["message"] == "'m' is not a column."
    assert (problem["line"], problem["column"], problem["end_line"], problem["end_column"]) == (3, 25, 3, 26)


def test_sarif_tells_the_place_of_a_mistake_and_what_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my job.sql").write_text(WRONG)
    assert main(["check", "--format", "sarif", "my job.sql", "nowhere.sql"]) == 2
    shown = json.loads(capsys.readouterr().out)
    assert shown["version"] == "2.1.0" and shown["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = shown["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    mistake, unreadable = run["results"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"] and result["message"]["text"]
        assert result["level"] == "error"
    place = mistake["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "my%20job.sql"}
    assert place["region"] == {"startLine": 3, "startColumn": 25, "endLine": 3, "endColumn": 26}
    assert unreadable["ruleId"] == "unreadable" and "region" not in unreadable["locations"][0]["physicalLocation"]


def test_check_starts_nothing_heavy(script: Path) -> None:
    code = (
        "import sys; from firesteel.cli.main import main; main(sys.argv[1:]);"
        "assert not {'pyspark', 'pyarrow', 'polars', 'confluent_kafka', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, "check", str(script)], check=True, timeout=60)


def test_a_long_script_is_quick(script: Path) -> None:
    columns = ",\n".join(f"  c{number} {'BIGINT' if number % 3 else 'STRING'}" for number in range(24))
    options = "'properties.bootstrap.servers' = 'b:9092',\n 'properties.group.id' = 'g'"
    tables = [
        f"CREATE TABLE s{number} (\n{columns}\n) WITH ('connector' = 'kafka', 'format' = 'json',\n"
        f" 'topic' = 's{number}',\n {options}\n);"
        for number in range(30)
    ] + [
        f"CREATE TABLE d{number} (\n{columns},\n  PRIMARY KEY (c0) NOT ENFORCED\n) WITH ('connector' = 'upsert-kafka',\n"
        f" 'topic' = 'd{number}',\n 'key.format' = 'json',\n 'value.format' = 'json',\n {options}\n);"
        for number in range(30)
    ]
    values = ",\n".join(f"  MAX(c{number})" for number in range(1, 24))
    inserts = [
        f"INSERT INTO d{number % 30} /*+ OPTIONS('topic' = 'x{number}') */\nSELECT c0,\n{values}\nFROM s{number % 30} GROUP BY c0;"
        for number in range(60)
    ]
    script.write_text("\n".join([*tables, *inserts]))
    assert script.read_text().count("\n") > 2000
    started = time.perf_counter()
    assert main(["check", str(script)]) == 0
    # On a quiet machine it takes a third of a second; a build machine may be slow, a quadratic would be slower.
    assert time.perf_counter() - started < 2
