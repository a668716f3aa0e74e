"""Makes the parser of a command, and finds the cluster that it talks to.

A command is a module with two functions: `add_parser(subparsers)` describes its arguments, `run(args)` does the work
and returns the exit status. `main` imports the module of the command that was asked for, and no other.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import NoReturn, TypeAlias

from firesteel.errors import UsageError

#: The exit status of a shell for a command that Ctrl-C ended.
INTERRUPTED = 130


class CommandParser(argparse.ArgumentParser):
    """Reports a mistake on the command line like all others: a sentence, exit status 2."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", hint=f"'{self.prog} --help' shows what it takes.")


Subparsers: TypeAlias = "argparse._SubParsersAction[CommandParser]"


def add_command(subparsers: Subparsers, name: str, summary: str, description: str | None = None) -> CommandParser:
    """Adds a parser for a command, whose help text keeps its line breaks."""
    return subparsers.add_parser(
        name,
        help=summary,
        description=description or f"{summary[:1].upper()}{summary[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that name the cluster."""
    parser.add_argument(
        "--bootstrap",
        metavar="HOST:PORT",
        help="the cluster; else FIRESTEEL_BOOTSTRAP, else the broker of 'firesteel broker start', else 127.0.0.1:9092",
    )
    parser.add_argument(
        "--property",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a setting of the Kafka client (librdkafka's name), for example security.protocol=SSL; may be repeated",
    )


def cluster(args: argparse.Namespace) -> dict[str, str]:
    """Makes the client configuration from these arguments."""
    return {"bootstrap.servers": args.bootstrap or usual_bootstrap(), **pairs(args.property, "--property")}


def usual_bootstrap(environment: Mapping[str, str] = os.environ) -> str:
    """Finds the cluster when no argument names one."""
    chosen = environment.get("FIRESTEEL_BOOTSTRAP")
    if chosen:
        return chosen
    from firesteel.dev.broker.daemon import USUAL_PORT, find_daemon

    daemon = find_daemon()
    return daemon.bootstrap if daemon else f"127.0.0.1:{USUAL_PORT}"


#: An example for each argument that takes pairs.
_EXAMPLES = {"--set": "parallelism.default=2", "--config": "retention.ms=-1", "--property": "security.protocol=SSL"}


def pairs(texts: list[str], argument: str) -> dict[str, str]:
    """Splits `['a=b', 'c=d=e']` into `{'a': 'b', 'c': 'd=e'}`."""
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            # The text may hold a password, so it is not shown.
            raise UsageError(
                f"'{argument}' needs KEY=VALUE.",
                hint=f"Write for example {argument} {_EXAMPLES.get(argument, 'key=value')}.",
            )
        found[key.strip()] = value.strip()
    return found


def at_least_one(text: str) -> int:
    """Parses an argument that counts something."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return number
