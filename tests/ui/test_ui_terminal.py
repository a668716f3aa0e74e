from __future__ import annotations

import io
import json
from dataclasses import replace

from rich.console import Console

from firesteel.observe.snapshot import JobSnapshot, SinkSnapshot, SourceSnapshot, State
from firesteel.ui.terminal import LiveTable, Output, PlainLines, open_view, render_table
from firesteel.ui.text import render_line, render_summary

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


def test_the_closing_summary() -> None:
    assert render_summary(replace(JOB, state=State.FINISHED)) == (
        "pv_per_region finished after 10.0 s, 10 batches, 500,000 rows/s.\n"
        "  read     pageviews                  5,000,000 rows\n"
        "  refused  pageviews                          1 rows  bad-value\n"
        "  refused  pageviews                          3 rows  malformed\n"
        "  written  pageviews_per_region              80 rows\n"
        "  state    state/pv"
    )
    assert render_summary(JobSnapshot("pv", State.FAILED)) == "pv failed after 0.0 s, 0 batches."


def test_plain_lines_are_rare_and_never_the_same_twice() -> None:
    out, now = io.StringIO(), [0.0]
    view = PlainLines(out, lambda: now[0])
    for second, job in ((0.0, JOB), (0.5, replace(JOB, batch_ms=1)), (1.5, JOB), (3.0, replace(JOB, batch_ms=2))):
        now[0] = second
        view.show(job)
    assert [line.rsplit("batch ")[1][:4] for line in out.getvalue().splitlines()] == ["480 ", "2 ms"]
    view.close(JOB)
    assert out.getvalue().endswith("state/pv\n")


def test_quiet_says_only_the_summary() -> None:
    out = io.StringIO()
    view = open_view(Output.QUIET, out)
    view.show(JOB)
    assert out.getvalue() == ""
    view.close(JOB)
    assert out.getvalue() == render_summary(JOB) + "\n"


def test_json_lines() -> None:
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


def test_the_live_table() -> None:
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
