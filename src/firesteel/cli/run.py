"""`firesteel run JOB.sql`: run the job of a script until it ends, or until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING

from firesteel.api import analyze_script, prepare_job
from firesteel.cli.command import INTERRUPTED, Subparsers, add_command
from firesteel.cli.script import add_python_functions, add_settings, print_warnings, settings
from firesteel.errors import FiresteelError, one_line
from firesteel.observe.snapshot import JobSnapshot
from firesteel.plan.resolve.mistake import count
from firesteel.spark.place import job_name
from firesteel.ui.terminal import Output, View, open_view

if TYPE_CHECKING:
    from firesteel.spark.job.job import Job


_MOST_SECONDS = 86_400.0


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "run",
        "run the job of a script",
        "Run the INSERTs of a script. A job goes on where it stopped; a bounded one ends by itself.\n"
        "Ctrl-C and SIGTERM stop it when its batch has ended, and nothing is lost or repeated. A second one ends it at once.",
    )
    parser.add_argument("script", metavar="JOB.sql", help="the script")
    add_settings(parser)
    add_python_functions(parser)
    fresh = parser.add_mutually_exclusive_group()
    fresh.add_argument("--fresh", action="store_true", help="start over: forget state and progress")
    fresh.add_argument(
        "--fresh-state",
        dest="fresh",
        action="store_const",
        const="state",
        help="forget the state, and read on from where the job stopped: for a changed script, whose old state does not fit",
    )
    parser.add_argument(
        "--master", metavar="URL", help="Spark's master, for example spark://host:7077; else this machine"
    )
    parser.add_argument("--name", metavar="NAME", help="the job's name; else 'pipeline.name', else the file's name")
    parser.add_argument(
        "--stop-timeout",
        metavar="SECONDS",
        type=_seconds,
        default=25.0,
        help="how long a stop lets the running batch end before it is torn off and repeated at the next start (25)",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--quiet", action="store_true", help="only the closing summary")
    output.add_argument("--json", action="store_true", help="progress as JSON lines on standard output")


def _seconds(text: str) -> float:
    """Parses a length of time in seconds.

    >>> _seconds("2.5"), _seconds("0")
    (2.5, 0.0)
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds from 0 to {_MOST_SECONDS:,.0f}")
    return seconds


def run(args: argparse.Namespace) -> int:
    analysis = analyze_script(args.script, settings(args), args.python_functions)
    analysis.raise_errors()
    print_warnings(analysis)
    output = Output.JSON if args.json else Output.QUIET if args.quiet else Output.PROGRESS
    view = open_view(output)
    with _Signals() as signals:
        view.show(JobSnapshot(job_name(analysis, args.name), started=time.time(), doing="loads Spark"))
        job = prepare_job(analysis, name=args.name, fresh=args.fresh, master=args.master)
        job.on_shown = view.print
        return _follow(job, view, output, signals, args.stop_timeout)


def _follow(job: Job, view: View, output: Output, signals: _Signals, stop_timeout: float) -> int:
    from firesteel.spark.start.jvm import end_jvm, kill_jvm

    starter = _Starter(job)
    is_announced = output is not Output.PROGRESS
    failure: FiresteelError | None = None
    try:
        while not job.wait(0.2):
            view.show(job.snapshot())
            if not is_announced and starter.has_begun:
                verb = "goes on where it stopped" if job.resumed else "starts"
                if job.moved_to is not None:
                    verb += f", with its state dealt anew to {count(job.moved_to, 'task')}"
                places = f"State: {job.checkpoint.folder}. Spark's log: {job.log}."
                print(one_line(f"{job.name} {verb}. {places}"), file=sys.stderr)
                is_announced = True
            if signals.count > 1:
                job.tear()
            elif signals.count:
                job.request_stop(stop_timeout)
    except FiresteelError as error:
        failure = error
    view.close(job.snapshot())
    if signals.count > 1:
        kill_jvm()
    end_jvm()
    job.release()
    if starter.surprise is not None:
        raise starter.surprise
    if failure is not None:
        if job.log is not None and starter.has_begun:
            failure.hint = f"{failure.hint or ''} Spark's log: {job.log}".strip()
        raise failure
    return INTERRUPTED if signals.count > 1 else 0


class _Starter(threading.Thread):
    """Starts the job in a thread, while the main thread shows progress and handles signals. `surprise` is an unexpected
    error.
    """

    def __init__(self, job: Job) -> None:
        super().__init__(name="start", daemon=True)
        self._job = job
        self.has_begun = False
        self.surprise: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self._job.begin()
            self.has_begun = True
        except FiresteelError:
            # `job.wait` raises this error.
            pass
        except Exception as error:
            self.surprise = error


class _Signals:
    """Counts Ctrl-C, SIGTERM and SIGHUP. The first asks the job to stop, the second kills it. Handlers only count, so
    that no code is interrupted.
    """

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> _Signals:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # Keep ignoring what `nohup` has ignored.
            if signal.getsignal(number) is not signal.SIG_IGN or number == signal.SIGINT:
                signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        # A late signal must not interrupt the end.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
