"""`firesteel COMMAND …`: find the command, run it, and turn whatever it raises into a sentence and an exit status."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType

from firesteel.cli.command import INTERRUPTED, CommandParser
from firesteel.errors import FiresteelError, UsageError

#: Name, module, one line of help. A module is imported when its command is asked for: `check` must not wait for Kafka.
COMMANDS = (
    ("run", "firesteel.cli.run", "run the job of a script"),
    ("check", "firesteel.cli.check", "find every mistake in scripts; starts nothing"),
    ("explain", "firesteel.cli.explain", "show the plan of a script, with changelog modes"),
    ("state", "firesteel.cli.state", "show what a stopped job keeps, and look a key up"),
    ("options", "firesteel.cli.options", "show every option of a connector or a format, and every setting"),
    ("demo", "firesteel.cli.demo", "see it work: a broker, generated page views, the reference job"),
    ("broker", "firesteel.cli.broker", "start, stop or look at the development broker"),
    ("topic", "firesteel.cli.topic", "list, create, read, write or delete topics"),
    ("warm", "firesteel.cli.warm", "make later starts shorter: keep Spark's classes ready"),
)

_USAGE = """\
Firesteel runs Flink SQL jobs between Kafka topics, unchanged, on Spark.

usage: firesteel COMMAND [ARGUMENTS]

{commands}

'firesteel COMMAND --help' shows what a command takes; 'firesteel --version' tells the version.
Exit status: 0 done, 1 the job failed, 2 the script or the command is wrong, 3 something outside is missing.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the console script and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        # Print a question mark for a character that the terminal cannot show.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        status = _dispatch(words)
        sys.stdout.flush()
        return status
    except FiresteelError as error:
        print(error, file=sys.stderr)
        return error.blame.value
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (`| head`) has closed the pipe. Python would fail again when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("FIRESTEEL_DEBUG") == "1":
            raise
        print(_surprise(error), file=sys.stderr)
        return 1


def render_usage() -> str:
    width = max(len(name) for name, _, _ in COMMANDS)
    return _USAGE.format(commands="\n".join(f"  {name:<{width}}  {summary}" for name, _, summary in COMMANDS))


def _dispatch(words: list[str]) -> int:
    match words:
        case [] | ["-h" | "--help" | "help"]:
            print(render_usage(), end="")
            return 0
        case ["--version" | "-V" | "version"]:
            from importlib.metadata import version

            print(f"firesteel {version('firesteel')}")
            return 0
        case ["help", *rest]:
            words = [*rest, "--help"]
    command = _load(words[0])
    parser = CommandParser(prog="firesteel", allow_abbrev=False)
    subparsers = parser.add_subparsers(dest="command", required=True, parser_class=CommandParser)
    command.add_parser(subparsers)
    try:
        args = parser.parse_args(words)
    except SystemExit as ended:
        # argparse has printed the help.
        return ended.code if isinstance(ended.code, int) else 0
    status: int = command.run(args)
    return status


def _load(name: str) -> ModuleType:
    module = next((module for known, module, _ in COMMANDS if known == name), None)
    if module is None:
        near = get_close_matches(name, [known for known, _, _ in COMMANDS], n=1)
        hint = f"Did you mean '{near[0]}'?" if near else "'firesteel --help' lists the commands."
        raise UsageError(f"'{name}' is not a command of firesteel.", hint=hint)
    return importlib.import_module(module)


def _surprise(error: Exception) -> str:
    """Makes the sentence for an error in Firesteel itself. The traceback is written to a file, for a report."""
    text = "".join(traceback.format_exception(error))
    kind = type(error).__name__
    try:
        with tempfile.NamedTemporaryFile("w", prefix="firesteel-error-", suffix=".txt", delete=False) as file:
            file.write(text)
        return (
            f"Firesteel met an unexpected {kind}: this is a mistake of its own. The details are in {Path(file.name)}."
        )
    except OSError:
        return f"Firesteel met an unexpected {kind}: this is a mistake of its own. FIRESTEEL_DEBUG=1 shows the details."


if __name__ == "__main__":
    sys.exit(main())
