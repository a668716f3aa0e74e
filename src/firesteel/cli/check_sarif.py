"""Findings as SARIF 2.1.0, the form in which code hosts and editors show them beside the lines they are about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from firesteel.cli.check_finding import Checked
from firesteel.errors import Problem, Source

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

#: Identifier, description, level. A message has no identifier of its own, so each row stands for a group of them.
_RULES = (
    ("mistake", "The script or its options are wrong, and the job would not start.", "error"),
    ("warning", "The script is right and may not do what its author wants.", "warning"),
    ("unreadable", "The file could not be read.", "error"),
)
_INDEX = {name: number for number, (name, _, _) in enumerate(_RULES)}


def render_sarif(checked: Iterable[Checked]) -> str:
    run = {
        "tool": {
            "driver": {
                "name": "firesteel",
                "version": version("firesteel"),
                "rules": [
                    {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
                    for name, text, level in _RULES
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(problem, file) for file in checked for problem in file.problems],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=False, indent=2)


def _result(problem: Problem, file: Checked) -> dict[str, Any]:
    rule = "unreadable" if not file.readable else "mistake" if problem.is_error else "warning"
    text = f"{problem.message} {problem.hint}" if problem.hint else problem.message
    return {
        "ruleId": rule,
        "ruleIndex": _INDEX[rule],
        "level": _RULES[_INDEX[rule]][2],
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(problem, file.source)}],
    }


def _location(problem: Problem, source: Source) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(source.name)}}
    if problem.span is not None:
        line, column = source.position(problem.span.start)
        end_line, end_column = source.position(problem.span.end)
        location["region"] = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return location


def _uri(name: str) -> str:
    """Writes a path as a URI: relative ones stay relative, to the folder the command ran in."""
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="replace")
