"""`firesteel explain JOB.sql`: the plan of each INSERT, each line ending in its changelog mode, and what follows from it."""

from __future__ import annotations

import argparse
import json

from firesteel.api import analyze_script
from firesteel.cli.command import Subparsers, add_command
from firesteel.cli.script import add_python_functions, add_settings, print_warnings, settings
from firesteel.errors import printable_json
from firesteel.options.secret import mask
from firesteel.plan.show.explain import explanation_document, render_explanation


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "explain",
        "show the plan of a script, with changelog modes",
        "Show the plan of each INSERT: its nodes with their changelog modes, what tells its rows apart, what it has to\n"
        "remember, which columns it reads, and from which of them each column of the sink comes. Starts nothing.",
    )
    parser.add_argument("script", metavar="JOB.sql", help="the script")
    parser.add_argument("--format", choices=("human", "json"), default="human", help="default: human")
    add_settings(parser)
    add_python_functions(parser)


def run(args: argparse.Namespace) -> int:
    analysis = analyze_script(args.script, settings(args), args.python_functions)
    analysis.raise_errors()
    print_warnings(analysis)
    if args.format == "json":
        document = {"inserts": [explanation_document(sink) for sink in analysis.sinks]}
        shown = printable_json(json.dumps(document, ensure_ascii=False, indent=2))
    elif analysis.sinks:
        shown = "\n\n\n".join(render_explanation(sink) for sink in analysis.sinks)
    else:
        shown = "The script has no INSERT, so there is no plan."
    # A secret of a table may also be in a literal of a query.
    print(mask(shown, analysis.catalog.secrets))
    return 0
