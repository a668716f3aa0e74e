"""`firesteel check JOB.sql …`: every mistake at once. No JVM, no broker, no network."""

from __future__ import annotations

import argparse
import json
from typing import Any

from firesteel.cli.check_finding import Checked, check_files
from firesteel.cli.command import Subparsers, add_command
from firesteel.cli.script import add_python_functions, add_settings, settings
from firesteel.errors import Blame, Problem, Source, printable_json, render_problem


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "check",
        "find every mistake in scripts; starts nothing",
        "Find every mistake in scripts, each with its position and a suggestion. Needs no Java and no broker.\n"
        "The exit status is 2 if there is a mistake.",
    )
    parser.add_argument("scripts", metavar="JOB.sql", nargs="+", help="scripts, or folders of them")
    parser.add_argument("--strict", action="store_true", help="take warnings for mistakes")
    parser.add_argument("--format", choices=("human", "json", "sarif"), default="human", help="default: human")
    add_settings(parser)
    add_python_functions(parser)


def run(args: argparse.Namespace) -> int:
    checked = [
        file.strict() if args.strict else file
        for file in check_files(args.scripts, settings(args), args.python_functions)
    ]
    match args.format:
        case "json":
            print(printable_json(render_json(checked)))
        case "sarif":
            from firesteel.cli.check_sarif import render_sarif

            print(printable_json(render_sarif(checked)))
        case _:
            print(render_human(checked))
    return Blame.USER.value if any(file.errors for file in checked) else 0


def render_human(checked: list[Checked]) -> str:
    shown = [_render(problem, file) for file in checked for problem in file.problems]
    return "\n\n".join([*shown, _summary(checked)])


def _render(problem: Problem, file: Checked) -> str:
    if file.readable:
        return render_problem(problem, file.source)
    # The message has the file's name already.
    return render_problem(problem, None)


def _summary(checked: list[Checked]) -> str:
    read = sum(file.readable for file in checked)
    unread = len(checked) - read
    mistakes = sum(len(file.errors) for file in checked if file.readable)
    warnings = sum(len(file.warnings) for file in checked)
    counts = f"{_count(read, 'script')} checked: {_count(mistakes, 'mistake')}, {_count(warnings, 'warning')}"
    return f"{counts}; {unread} could not be read." if unread else f"{counts}."


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def render_json(checked: list[Checked]) -> str:
    document = {
        "scripts": [
            {"file": file.source.name, "problems": [_problem(problem, file.source) for problem in file.problems]}
            for file in checked
        ],
        "mistakes": sum(len(file.errors) for file in checked),
        "warnings": sum(len(file.warnings) for file in checked),
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def _problem(problem: Problem, source: Source) -> dict[str, Any]:
    """Makes the JSON of a problem. Lines and columns count from 1; the end is exclusive."""
    shown: dict[str, Any] = {"severity": problem.severity.value, "message": problem.message, "hint": problem.hint}
    if problem.span is not None:
        shown["line"], shown["column"] = source.position(problem.span.start)
        shown["end_line"], shown["end_column"] = source.position(problem.span.end)
    return shown
