"""Shows a running job: a live table on a terminal, plain lines elsewhere, JSON on request.

view = open_view()
view.show(snapshot)      # as often as something changes
view.close(snapshot)     # the closing summary
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from enum import Enum
from typing import IO, TYPE_CHECKING, Protocol

from firesteel.errors import one_line
from firesteel.observe.shown import ShownRows, print_rows
from firesteel.observe.snapshot import JobSnapshot, State
from firesteel.ui.text import (
    render_bytes,
    render_doing,
    render_json,
    render_line,
    render_milliseconds,
    render_seconds,
    render_summary,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live


class Output(Enum):
    """The kind of output chosen on the command line."""

    PROGRESS = "progress"
    QUIET = "quiet"
    JSON = "json"


class View(Protocol):
    """Shows a job. `show` is fast and may be called at any rate; `close` ends the view, is called once, and shows the
    summary of the job unless it failed before it did anything.
    """

    def show(self, snapshot: JobSnapshot) -> None: ...

    def print(self, shown: ShownRows) -> None:
        """Prints rows of a `print` table. Any thread may call it."""
        ...

    def close(self, snapshot: JobSnapshot) -> None: ...


def open_view(output: Output = Output.PROGRESS, stream: IO[str] | None = None) -> View:
    """Opens the view for this output: progress goes to standard error, JSON lines to standard output."""
    match output:
        case Output.JSON:
            return JsonLines(stream or sys.stdout)
        case Output.QUIET:
            return SummaryOnly(stream or sys.stderr)
        case Output.PROGRESS:
            out = stream or sys.stderr
            return LiveTable(out) if out.isatty() else PlainLines(out)


class SummaryOnly:
    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def show(self, snapshot: JobSnapshot) -> None:
        pass

    def print(self, shown: ShownRows) -> None:
        print_rows(shown, self._out)

    def close(self, snapshot: JobSnapshot) -> None:
        if snapshot.has_run:
            print(render_summary(snapshot), file=self._out, flush=True)


#: An idle job prints a line after so many seconds.
_HEARTBEAT = 10.0


class PlainLines:
    """For a log file: at most one line per second, each with time and level, and one from time to time if nothing changes."""

    def __init__(
        self, out: IO[str], clock: Callable[[], float] = time.monotonic, now: Callable[[], float] = time.time
    ) -> None:
        self._out = out
        self._clock = clock
        self._now = now
        self._next = 0.0
        self._last = ""
        self._said = 0.0
        self._doing = ""

    def print(self, shown: ShownRows) -> None:
        print_rows(shown)

    def show(self, snapshot: JobSnapshot) -> None:
        line, now = render_line(snapshot), self._clock()
        doing = render_doing(snapshot)
        is_news = line != self._last and (now >= self._next or doing != self._doing)
        if is_news or now >= self._said + 6 * _HEARTBEAT:
            self._print("WARN" if snapshot.waiting is not None else "INFO", line)
            self._last, self._next, self._said, self._doing = line, now + 1.0, now, doing

    def close(self, snapshot: JobSnapshot) -> None:
        if not snapshot.has_run:
            return
        failed = snapshot.state is State.FAILED
        self._print("ERROR" if failed else "WARN" if snapshot.torn else "INFO", render_summary(snapshot))

    def _print(self, level: str, text: str) -> None:
        moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self._now()))
        print(f"{moment} {level:<5} {text}", file=self._out, flush=True)


class JsonLines:
    """Prints one line for each snapshot that differs from the one before, and one from time to time. The last line has
    the final state of the job.
    """

    def __init__(self, out: IO[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        self._last: tuple[object, ...] | None = None
        self._next = 0.0

    def print(self, shown: ShownRows) -> None:
        # Standard output is for programs only.
        print_rows(shown, sys.stderr)

    def show(self, snapshot: JobSnapshot) -> None:
        # Ignore changes of the time alone.
        news = (snapshot.state, snapshot.batches, snapshot.doing, snapshot.idle, snapshot.waiting, snapshot.restarts)
        if news != self._last or self._clock() >= self._next:
            print(render_json(snapshot), file=self._out, flush=True)
            self._last, self._next = news, self._clock() + _HEARTBEAT

    def close(self, snapshot: JobSnapshot) -> None:
        self.show(snapshot)


class LiveTable:
    """A table that is redrawn in place. `show` only replaces what is drawn next."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._live: Live | None = None

    def show(self, snapshot: JobSnapshot) -> None:
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            # The table disappears when the job ends, since the summary replaces it.
            self._live = Live(console=Console(file=self._out), refresh_per_second=4, transient=True)
            self._live.start()
        self._live.update(render_table(snapshot))

    def print(self, shown: ShownRows) -> None:
        """Prints above the table, if both go to the terminal."""
        aside = not shown.standard_error and not sys.stdout.isatty()
        if self._live is None or aside:
            print_rows(shown)
            return
        self._live.console.out("\n".join(shown.texts), highlight=False)

    def close(self, snapshot: JobSnapshot) -> None:
        if self._live is not None:
            self._live.stop()
        if snapshot.has_run:
            print(render_summary(snapshot), file=self._out, flush=True)


_COLOURS = {
    "starting": "yellow",
    "running": "green",
    "stopping": "yellow",
    "stopped": "green",
    "finished": "green",
    "failed": "red",
}


def render_table(snapshot: JobSnapshot) -> RenderableType:
    """Renders the live view of a snapshot, for rich."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    state = snapshot.state.value
    head = Text.assemble((one_line(snapshot.name), "bold"), "  ", (state, _COLOURS[state]))
    if snapshot.started:
        head.append(f"  {render_seconds(snapshot.seconds)}")
    if snapshot.batch_id is not None and snapshot.batch_ms is not None:
        head.append(f"  batch {snapshot.batch_id}, {render_milliseconds(snapshot.batch_ms)}", "dim")
    if snapshot.late:
        head.append(f"  {snapshot.late:,} late", "red")
    doing = render_doing(snapshot)
    if doing:
        head.append(f"\n{doing}", "red" if snapshot.waiting is not None else "dim")
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("table")
    for title in ("rows", "rows/s", "lag", "bad"):
        table.add_column(title, justify="right")
    for source in snapshot.sources:
        lag, bad = "?" if source.lag is None else f"{source.lag:,}", sum(source.rejects.values())
        table.add_row(
            Text("read", "dim"),
            Text(one_line(source.table)),
            f"{source.rows:,}",
            f"{source.rows_per_second:,.0f}",
            lag,
            Text(f"{bad:,}", "red" if bad else "dim"),
        )
    for kept in snapshot.operators:
        size = Text(render_bytes(kept.bytes), "dim")
        table.add_row(Text("kept", "dim"), Text(one_line(kept.operator)), f"{kept.rows:,}", "", "", size)
    for sink in snapshot.sinks:
        table.add_row(Text("written", "dim"), Text(one_line(sink.table)), f"{sink.rows:,}", "", "", "")
    return Group(head, *([table] if table.row_count else []))
