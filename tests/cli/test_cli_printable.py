"""Whatever stands in a script, a record or a name, a terminal gets text: no escape sequence, no forged line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from firesteel.cli.main import main
from firesteel.errors import JobError, Problem, Source, Span, one_line, printable, printable_json, render_problem
from firesteel.observe.snapshot import JobSnapshot, SinkSnapshot, SourceSnapshot, State
from firesteel.ui.text import render_json, render_line, render_summary

NASTY = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2028\x7f\r\x0b\ud800"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
TABLES = """\
CREATE TABLE s (a STRING) WITH ('connector' = 'kafka', 'topic' = 's', 'properties.bootstrap.servers' = 'b:9092',
  'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE t (a STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json');
"""


def test_findings_d10_no_text_keeps_an_escape_sequence() -> None:
    assert (
        not RAW.search(printable(NASTY)) and not RAW.search(one_line(NASTY)) and not RAW.search(printable_json(NASTY))
    )
    assert printable("a\n\tb") == "a\n\tb" and one_line("a\n\tb") == "a\\n\\tb"
    assert one_line(one_line(NASTY)) == one_line(NASTY)
    assert one_line("größe 日本 😀") == "größe 日本 😀"


def test_findings_d10_json_stays_the_same_json() -> None:
    document = {"a": NASTY, NASTY: ["x"]}
    assert json.loads(printable_json(json.dumps(document, ensure_ascii=False))) == document


def test_findings_d10_an_error_forges_no_line() -> None:
    error = JobError(f"The record has '{NASTY}\n\nERROR: everything is lost'.", hint="Look\nat it.")
    assert not RAW.search(str(error)) and "\n" not in str(error)
    assert error.message.endswith("ERROR: everything is lost'.") and "\n" in error.message


def test_findings_d10_a_caret_stands_below_what_it_means() -> None:
    text = "SELECT '\x1b[2J', \x07nope FROM s"
    start = text.index("nope")
    shown = render_problem(Problem(f"'{NASTY}\n' is wrong.", Span(start, start + 4), hint=NASTY), Source(NASTY, text))
    head, line, caret, hint = shown.split("\n")
    assert not RAW.search(shown) and hint.startswith("    ")
    assert line[caret.index("^") : caret.rindex("^") + 1] == "nope"
    assert head.startswith("\\x1b[2J")


def test_findings_d10_a_job_in_words() -> None:
    snapshot = JobSnapshot(
        f"job{NASTY}\nERROR",
        State.FAILED,
        sources=(
            SourceSnapshot(
                f"s{NASTY}\n", "", 1, 1.0, 1, {"bad": 1}, first_reject=f"x{NASTY}\n", dead_letters={NASTY: 1}
            ),
        ),
        sinks=(SinkSnapshot(f"t{NASTY}\n", "", 1),),
        error=NASTY,
    )
    for text in (render_line(snapshot), render_summary(snapshot), render_json(snapshot)):
        assert not RAW.search(text)
    assert "\n" not in render_line(snapshot)
    assert len(render_summary(snapshot).splitlines()) == 5


@pytest.mark.parametrize("command", ["check", "explain"])
@pytest.mark.parametrize("form", ["human", "json"])
def test_findings_d10_no_command_prints_an_escape_sequence(
    command: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nasty = NASTY.replace("\ud800", "")
    script = tmp_path / "job.sql"
    script.write_text(
        TABLES + f"SET 'x\x1b[2J' = 'x'; INSERT INTO t SELECT '{nasty}\nERROR: lost' || a FROM s WHERE a <> '{nasty}';"
    )
    assert main([command, str(script), "--format", form]) == 0
    out, err = capsys.readouterr()
    assert not RAW.search(out) and not RAW.search(err)
    assert "\nERROR" not in out and "\nERROR" not in err
    script.write_text(TABLES + f"INSERT INTO t SELECT `no{nasty}` FROM s; INSERT INTO t SELECT a FROM `{nasty}`;")
    assert main([command, str(script), "--format", form]) == 2
    out, err = capsys.readouterr()
    assert not RAW.search(out) and not RAW.search(err)


def test_findings_d10_a_name_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "explain", "run"):
        assert main([command, "no\x1b[2Jfile.sql"]) == 2
        out, err = capsys.readouterr()
        assert not RAW.search(out) and not RAW.search(err)
    assert main(["chec\x1b[2Jk"]) == 2
    assert not RAW.search(capsys.readouterr().err)
