"""`firesteel check JOB.sql …`: every mistake at once. No JVM, no broker, no network."""

from __future__ import annotations

import argparse
from pathlib import Path

from firesteel.api import analyze_script
from firesteel.cli.command import Subparsers, add_command
from firesteel.cli.script import add_settings, settings
from firesteel.errors import Blame, UsageError, render_problem


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "check",
        "find every mistake in scripts; starts nothing",
        "Find every mistake in scripts, each with its position and a suggestion. Needs no Java and no broker.\n"
        "The exit status is 2 if there is a mistake.",
    )
    parser.add_argument("scripts", metavar="JOB.sql", nargs="+", help="scripts, or folders of them")
    add_settings(parser)


def run(args: argparse.Namespace) -> int:
    mistakes = warnings = 0
    files = _files(args.scripts)
    for file in files:
        analysis = analyze_script(file, settings(args))
        for problem in analysis.problems:
            print(render_problem(problem, analysis.source), end="\n\n")
        mistakes += len(analysis.errors)
        warnings += len(analysis.warnings)
    print(f"{_count(len(files), 'script')} checked: {_count(mistakes, 'mistake')}, {_count(warnings, 'warning')}.")
    return Blame.USER.value if mistakes else 0


def _files(names: list[str]) -> list[Path]:
    files: list[Path] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            found = sorted(path.rglob("*.sql"))
            if not found:
                raise UsageError(f"The folder '{name}' has no *.sql file in it.")
            files += found
        else:
            files.append(path)
    return files


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
