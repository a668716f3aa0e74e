"""`firesteel run JOB.sql`: run the job of a script until it ends, or until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

from firesteel.api import analyze_script, start_analyzed
from firesteel.cli.command import Subparsers, add_command
from firesteel.cli.script import add_python_functions, add_settings, print_warnings, settings
from firesteel.errors import FiresteelError, one_line
from firesteel.ui.terminal import Output, open_view

if TYPE_CHECKING:
    from firesteel.spark.job import Job


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "run",
        "run the job of a script",
        "Run the INSERTs of a script. A job goes on where it stopped; a bounded one ends by itself.\n"
        "Ctrl-C and SIGTERM stop it, and nothing is lost.",
    )
    parser.add_argument("script", metavar="JOB.sql", help="the script")
    add_settings(parser)
    add_python_functions(parser)
    parser.add_argument("--fresh", action="store_true", help="start over: forget state and progress")
    parser.add_argument(
        "--master", metavar="URL", help="Spark's master, for example spark://host:7077; else this machine"
    )
    parser.add_argument("--name", metavar="NAME", help="the job's name; else 'pipeline.name', else the file's name")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--quiet", action="store_true", help="only the closing summary")
    output.add_argument("--json", action="store_true", help="progress as JSON lines on standard output")


def run(args: argparse.Namespace) -> int:
    analysis = analyze_script(args.script, settings(args), args.python_functions)
    analysis.raise_errors()
    print_warnings(analysis)
    output = Output.JSON if args.json else Output.QUIET if args.quiet else Output.PROGRESS
    with _Signals() as signals:
        job = start_analyzed(analysis, name=args.name, fresh=args.fresh, master=args.master)
        return _follow(job, output, signals)


def _follow(job: Job, output: Output, signals: _Signals) -> int:
    if output is Output.PROGRESS:
        verb = "goes on where it stopped" if job.resumed else "starts"
        print(one_line(f"{job.name} {verb}. State: {job.checkpoint.folder}. Spark's log: {job.log}."), file=sys.stderr)
    view = open_view(output)
    failure: FiresteelError | None = None
    try:
        while not job.wait(0.2):
            view.show(job.snapshot())
            if signals.received:
                job.stop()
    except FiresteelError as error:
        failure = error
    view.close(job.snapshot())
    if failure is not None:
        if job.log is not None:
            failure.hint = f"{failure.hint or ''} Spark's log: {job.log}".strip()
        raise failure
    return 0


class _Signals:
    """Ctrl-C and SIGTERM ask the job to stop, and do not tear it apart. A second one does.

    One that comes while Spark starts is obeyed as soon as it has: an exception in the middle of a call to the JVM would
    leave the two out of step.
    """

    def __init__(self) -> None:
        self.received = False

    def __enter__(self) -> _Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.received:
            raise KeyboardInterrupt
        self.received = True
