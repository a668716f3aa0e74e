"""What the commands that take a script share."""

from __future__ import annotations

import argparse
import sys

from firesteel.cli.command import pairs
from firesteel.errors import render_problem
from firesteel.plan.analyze import Analysis


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a setting, as if the script began with SET 'KEY' = 'VALUE'; may be repeated",
    )


def add_python_functions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--python-functions",
        metavar="MODULE",
        action="append",
        default=[],
        help="allow functions of this Python module in CREATE FUNCTION, also FIRESTEEL_PYTHON_FUNCTIONS; may be repeated",
    )


def settings(args: argparse.Namespace) -> dict[str, str]:
    return pairs(args.set, "--set")


def print_warnings(analysis: Analysis) -> None:
    for problem in analysis.warnings:
        print(render_problem(problem, analysis.source), file=sys.stderr)
