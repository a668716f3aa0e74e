"""`firesteel explain JOB.sql`: the plan of each INSERT, each line ending in its changelog mode."""

from __future__ import annotations

import argparse

from firesteel.api import analyze_script
from firesteel.cli.command import Subparsers, add_command
from firesteel.cli.script import add_settings, print_warnings, settings
from firesteel.plan.explain import render_plan


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "explain", "show the plan of a script, with changelog modes")
    parser.add_argument("script", metavar="JOB.sql", help="the script")
    add_settings(parser)


def run(args: argparse.Namespace) -> int:
    analysis = analyze_script(args.script, settings(args))
    analysis.raise_errors()
    print_warnings(analysis)
    print("\n\n".join(render_plan(sink) for sink in analysis.sinks))
    return 0
