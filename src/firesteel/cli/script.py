"""Adds and reads the arguments of commands that take a script."""

from __future__ import annotations

import argparse
import os
import sys

from firesteel.cli.command import pairs
from firesteel.errors import UsageError, render_problem
from firesteel.options.environment import ALLOWED_ENV, substitute
from firesteel.plan.analyze import Analysis


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a setting, as if the script began with SET 'KEY' = 'VALUE'; ${env:NAME} in it is a variable; may be repeated",
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
    """Reads the settings of `--set`. `${env:NAME}` takes a variable, since every user can read the words of a command; all
    variables are allowed, since the operator writes `--set`.
    """
    environment = {**os.environ, ALLOWED_ENV: "*"}
    found = {}
    for key, text in pairs(args.set, "--set").items():
        substituted = substitute(text, environment)
        for what, cure in substituted.mistakes:
            raise UsageError(f"--set {key}: {what}", hint=cure)
        found[key] = substituted.text
    return found


def print_warnings(analysis: Analysis) -> None:
    for problem in analysis.warnings:
        print(render_problem(problem, analysis.source), file=sys.stderr)
