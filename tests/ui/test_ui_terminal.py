from __future__ import annotations

import io
import json
import time
from dataclasses import replace

import pytest
from rich.console import Console

from firesteel.observe.shown import ShownRows
from firesteel.observe.snapshot import JobSnapshot, SinkSnapshot, SourceSnapshot, State, Waiting
from firesteel.ui.terminal import JsonLines, LiveTable, Output, PlainLines, open_view, render_table
from firesteel.ui.text import render_json, render_line, render_summary

JOB = JobSnapshot(
    "pv_per_region",
    State.RUNNING,
    started=100.0,
    updated=110.0,
    sources=(SourceSnapshot("pageviews", "q", 5_000_000, 511_000.4, 1200, {"malformed": 3, "bad-value": 1}),),
    sinks=(SinkSnapshot("pageviews_per_region", "q", 80),),
    batches=10,
    batch_id=9,
    batch_ms=480,
    checkpoint="state/pv",
    warnings=("'pageviews' has no group.",),
)


def test_a_line_while_it_runs() -> None:
    assert render_line(JOB) == (
        "pv_per_region running: 5,000,000 rows read, 511,000 rows/s, lag 1,200, 80 written, last batch 480 ms, "
        "4 bad records"
    )
    assert render_line(JobSnapshot("pv")) == "pv starting"


def test_the_summary_tells_rows_rejects_and_state() -> None:
    assert render_summary(replace(JOB, state=State.FINISHED)) == (
        "pv_per_region finished after 10.0 s, 10 batches, 500,000 rows/s.\n"
        "  read     pageviews                  5,000,000 rows\n"
        "  refused  pageviews                          1 rows  bad-value\n"
        "  refused  pageviews                          3 rows  malformed\n"
        "  written  pageviews_per_region              80 rows\n"
        "  state    state/pv"
    )
    assert render_summary(JobSnapshot("pv", State.FAILED)) == "pv failed after 0.0 s, 0 batches."
    assert render_summary(JobSnapshot("pv", State.STOPPED, batches=1, torn=1)) == (
        "pv stopped after 0.0 s, 1 batch.\n  torn off 1 batch that had not ended in time: the next start repeats it"
    )


def test_findings_c9_what_a_job_does_while_no_rows_come() -> None:
    assert render_line(JobSnapshot("pv", doing="starts Spark")) == "pv starting: starts Spark"
    idle = JobSnapshot("pv", State.RUNNING, idle=True, sources=(SourceSnapshot("v", lag=0),))
    assert render_line(idle) == "pv running: nothing new, 0 rows read, 0 rows/s, lag 0"
    away = replace(JOB, waiting=Waiting(0.0, "127.0.0.1:9092", "Connection refused"))
    told = (
        f"waits for Kafka at 127.0.0.1:9092 since {time.strftime('%H:%M:%S', time.localtime(0))} (Connection refused)"
    )
    assert told in render_line(away)
    assert told in render_json(away)
    assert json.loads(render_json(away))["waiting_for"] == {
        "broker": "127.0.0.1:9092",
        "since": 0.0,
        "why": "Connection refused",
    }


def test_findings_c9_plain_lines_have_times_and_levels() -> None:
    out = io.StringIO()
    view = PlainLines(out, lambda: 0.0, lambda: 0.0)
    view.show(JOB)
    view.show(replace(JOB, waiting=Waiting(0.0, "b:9092", "Connection refused")))
    view.close(replace(JOB, state=State.FAILED))
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(0))
    lines = out.getvalue().splitlines()
    assert [line[: len(moment) + 6] for line in lines[:3]] == [
        f"{moment} {level:<5}" for level in ("INFO", "WARN", "ERROR")
    ]


def test_findings_c9_json_has_a_heartbeat() -> None:
    out, now = io.StringIO(), [0.0]
    view = JsonLines(out, lambda: now[0])
    for second in (0.0, 5.0, 9.0, 11.0, 15.0, 22.0):
        now[0] = second
        view.show(JOB)
    assert len(out.getvalue().splitlines()) == 3


def test_plain_lines_are_rare_and_never_the_same_twice() -> None:
    out, now = io.StringIO(), [0.0]
    view = PlainLines(out, lambda: now[0])
    for second, job in ((0.0, JOB), (0.5, replace(JOB, batch_ms=1)), (1.5, JOB), (3.0, replace(JOB, batch_ms=2))):
        now[0] = second
        view.show(job)
    assert [line.rpartition("batch ")[2][:4] for line in out.getvalue().splitlines()] == ["480 ", "2 ms"]
    view.close(JOB)
    assert out.getvalue().endswith("state/pv\n")


def test_quiet_says_only_the_summary() -> None:
    out = io.StringIO()
    view = open_view(Output.QUIET, out)
    view.show(JOB)
    assert out.getvalue() == ""
    view.close(JOB)
    assert out.getvalue() == render_summary(JOB) + "\n"


def test_a_job_that_failed_before_it_ran_has_no_summary() -> None:
    for output in (Output.QUIET, Output.PROGRESS):
        out = io.StringIO()
        open_view(output, out).close(JobSnapshot("pv", State.FAILED, error="No broker."))
        assert out.getvalue() == ""


def test_json_has_a_line_when_something_changes() -> None:
    out = io.StringIO()
    view = open_view(Output.JSON, out)
    view.show(JOB)
    view.show(JOB)
    view.close(replace(JOB, state=State.FINISHED))
    first, last = map(json.loads, out.getvalue().splitlines())
    assert first["sources"][0]["rejects"] == {"malformed": 3, "bad-value": 1}
    assert (first["state"], last["state"], last["rows_read"]) == ("running", "finished", 5_000_000)


def test_no_terminal_means_plain_lines() -> None:
    assert isinstance(open_view(stream=io.StringIO()), PlainLines)


def test_the_live_view_tells_rows_rates_and_lag() -> None:
    out = io.StringIO()
    Console(file=out, width=100).print(render_table(JOB))
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert lines[0] == ["pv_per_region", "running", "10.0", "s", "batch", "9,", "480", "ms"]
    assert lines[2] == ["read", "pageviews", "5,000,000", "511,000", "1,200", "4"]
    assert lines[3] == ["written", "pageviews_per_region", "80"]
    # Warnings stand above the view already.
    assert len(lines) == 4


def test_the_live_view_ends_with_the_summary() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    view = open_view(stream=out)
    assert isinstance(view, LiveTable)
    view.show(JOB)
    view.close(JOB)
    assert out.getvalue().endswith(render_summary(JOB) + "\n")


def test_rows_of_a_print_table_go_where_people_look(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ShownRows("t", ("p> +I[1, a\nb]",), left_out=1200)
    text = "p> +I[1, a\\nb]\n… and 1,200 more rows of t\n"
    open_view(Output.PROGRESS, io.StringIO()).print(rows)
    open_view(Output.PROGRESS, io.StringIO()).print(replace(rows, standard_error=True))
    assert capsys.readouterr() == (text, text)
    open_view(Output.JSON, io.StringIO()).print(rows)
    assert capsys.readouterr() == ("", text)
    quiet = io.StringIO()
    open_view(Output.QUIET, quiet).print(rows)
    assert quiet.getvalue() == text


def test_rows_stand_above_the_live_table(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    view = LiveTable(out)
    view.show(JOB)
    view.print(ShownRows("t", ("+I[1]", "+I[2]")))
    view.close(JOB)
    assert "+I[1]\n+I[2]\n" in out.getvalue()
