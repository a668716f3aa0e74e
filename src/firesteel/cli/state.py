"""`firesteel state JOB.sql`: what the operators of a stopped job keep, and what they keep for a key."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel.api import analyze_script
from firesteel.cli.command import Subparsers, add_command
from firesteel.cli.script import add_python_functions, add_settings, settings
from firesteel.errors import UsageError, one_line, printable_json

if TYPE_CHECKING:
    from firesteel.spark.job.checkpoint import Checkpoint
    from firesteel.spark.job.stored_state import FoundRow, StoredOperator

#: The mark of an operator of the state engine in the plans that are kept with the state.
_ENGINE = " on the state engine"


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "state",
        "show what a stopped job keeps, and look a key up",
        "Show what the operators of a stopped job keep in the state engine: rows, bytes, segments, the oldest row.\n"
        "With --key, show what they keep for a key. Starts Spark on this machine to read it, which takes some seconds.",
    )
    parser.add_argument("script", metavar="JOB.sql", help="the script")
    parser.add_argument("--name", metavar="NAME", help="the job's name, as for 'run'")
    parser.add_argument(
        "--key",
        metavar="COLUMN=VALUE,…",
        help="show the rows whose columns have these values; NULL is NULL. All state is read for it",
    )
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    add_settings(parser)
    add_python_functions(parser)


def run(args: argparse.Namespace) -> int:
    from firesteel.spark.job.checkpoint import Checkpoint
    from firesteel.spark.place import job_name, log_file, state_folder
    from firesteel.storage.local import LocalFolder

    key = None if args.key is None else parse_key(args.key)
    analysis = analyze_script(args.script, settings(args), args.python_functions)
    analysis.raise_errors()
    name = job_name(analysis, args.name)
    folder = state_folder(analysis, Path(args.script).resolve().parent, name)
    checkpoint = Checkpoint(LocalFolder(str(folder)))
    if not checkpoint.exists:
        raise UsageError(
            f"'{name}' has no state: there is no '{folder}'.", hint="Run it first, or name another job with --name."
        )
    checkpoint.take()
    try:
        inserts = _read(checkpoint, log_file(folder), key)
    finally:
        checkpoint.close()
    if key is not None:
        _check_key(key, inserts)
    if args.json:
        document = {"job": name, "checkpoint": str(folder), "inserts": [_document(*one) for one in inserts.items()]}
        print(printable_json(json.dumps(document, ensure_ascii=False, default=str)))
    else:
        print("\n".join(one_line(line) for one in inserts.items() for line in _lines(*one, key)))
    return 0


def _check_key(key: Mapping[str, str], inserts: Mapping[str, tuple[StoredOperator, ...] | None]) -> None:
    """Refuses a key that no operator has: it would find nothing in silence."""
    operators = [operator for found in inserts.values() for operator in found or ()]
    if not operators or any(operator.columns.issuperset(key) for operator in operators):
        return
    known = ", ".join(sorted({column for operator in operators for column in operator.columns}))
    raise UsageError(f"No operator keeps rows with the columns {', '.join(key)}.", hint=f"There are {known or 'none'}.")


def _read(
    checkpoint: Checkpoint, log: Path, key: Mapping[str, str] | None
) -> dict[str, tuple[StoredOperator, ...] | None]:
    """Reads the state of each INSERT; None for those that keep nothing in the state engine."""
    plans = checkpoint.plans
    found: dict[str, tuple[StoredOperator, ...] | None] = dict.fromkeys(plans)
    on_engine = [name for name, plan in plans.items() if _ENGINE in plan]
    if not on_engine:
        return found
    from firesteel.spark.job.stored_state import read_operators
    from firesteel.spark.rescale.layout import ROCKSDB, store_format
    from firesteel.spark.start.jvm import end_jvm
    from firesteel.spark.start.session import job_session, open_session

    form = store_format(map(checkpoint.query_folder, on_engine), in_rocksdb=True)
    store = {
        "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        "spark.sql.streaming.stateStore.checkpointFormatVersion": str(form),
    }
    try:
        session = job_session(open_session(None, {}, log), store)
        for name in on_engine:
            found[name] = read_operators(session, checkpoint.query_folder(name), key)
    finally:
        end_jvm()
    return found


def parse_key(text: str) -> dict[str, str]:
    """Reads a key.

    >>> parse_key("k = a,v=b=c")
    {'k': 'a', 'v': 'b=c'}
    """
    key = {}
    for part in text.split(","):
        column, equals, value = part.partition("=")
        if not equals or not column.strip():
            raise UsageError("'--key' needs COLUMN=VALUE.", hint="Write for example --key 'user_id=7,region=eu'.")
        key[column.strip()] = value.strip()
    return key


def _lines(name: str, operators: tuple[StoredOperator, ...] | None, key: Mapping[str, str] | None) -> list[str]:
    if operators is None:
        return [name, "  keeps nothing in the state engine: what state it has is Spark's own"]
    lines = [name]
    for operator in operators:
        lines.append(
            f"  {operator.name}: {_sizes(operator.total)}, in {operator.buckets} buckets, format {operator.format}"
        )
        lines += [f"    {table}: {_sizes(report)}" for table, report in operator.tables.items()]
        if key is not None:
            lines += [f"    {_row(row)}" for row in operator.found] or ["    nothing for this key"]
    return lines if operators else [*lines, "  has no finished batch"]


def _sizes(report: Any) -> str:
    from firesteel.ui.text import render_bytes, render_count

    parts = [
        render_count(report.rows, "row", "rows"),
        render_bytes(report.bytes),
        render_count(report.segments, "segment", "segments"),
    ]
    if report.merging:
        parts.append(f"{render_count(report.merging, 'merge', 'merges')} on the way")
    if report.oldest is not None:
        parts.append(f"oldest of {_moment(report.oldest)}")
    return ", ".join(parts)


def _moment(milliseconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(milliseconds / 1000))


def _row(row: FoundRow) -> str:
    changed = "" if row.changed is None else f"  (written {_moment(row.changed)})"
    return f"{row.table}: {json.dumps(row.values, ensure_ascii=False, default=str)}{changed}"


def _document(name: str, operators: tuple[StoredOperator, ...] | None) -> dict[str, Any]:
    return {
        "insert": name,
        "operators": None if operators is None else [_operator(operator) for operator in operators],
    }


def _operator(operator: StoredOperator) -> dict[str, Any]:
    return {
        "operator": operator.name,
        "format": operator.format,
        "buckets": operator.buckets,
        **_numbers(operator.total),
        "tables": {table: _numbers(report) for table, report in operator.tables.items()},
        "found": [
            {
                "table": row.table,
                "row": dict(row.values),
                "written": None if row.changed is None else row.changed / 1000,
            }
            for row in operator.found
        ],
    }


def _numbers(report: Any) -> dict[str, Any]:
    return {
        "rows": report.rows,
        "bytes": report.bytes,
        "segments": report.segments,
        "merging": report.merging,
        "oldest": None if report.oldest is None else report.oldest / 1000,
    }
