"""The style of CONTRIBUTING.md holds: docstrings begin with a verb, modules and functions are small.

`HELD` are the packages for which it is tested.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.modules import PACKAGE

HELD = (
    "errors.py",
    "types.py",
    "changelog",
    "folder.py",
    "java.py",
    "storage",
    "sql",
    "plan",
    "api.py",
    "formats",
    "catalog",
    "options",
    "connectors",
    "spark",
    "observe",
    "ui",
    "dev",
    "cli",
    "state",
)
MODULES = sorted(
    path for name in HELD for path in ([PACKAGE / name] if name.endswith(".py") else (PACKAGE / name).rglob("*.py"))
)

#: First words with which a docstring says what something is, and not what the function does.
NO_VERBS = frozenset(
    [
        "A",
        "An",
        "All",
        "Any",
        "Each",
        "Every",
        "How",
        "Its",
        "It",
        "None",
        "No",
        "Nothing",
        "Of",
        "One",
        "Only",
        "Same",
        "So",
        "Some",
        "That",
        "The",
        "Their",
        "There",
        "These",
        "They",
        "Those",
        "This",
        "What",
        "When",
        "Where",
        "Whether",
        "Which",
        "Who",
        "Whoever",
        "Whose",
        "Why",
        "Without",
    ]
)
MOST_LINES, MOST_FUNCTION_LINES, MOST_PARAMETERS, MOST_MODULES = 400, 60, 8, 20


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_functions_docstring_begins_with_a_verb(path: Path) -> None:
    opening = {node.name: (ast.get_docstring(node) or ">>>").split()[0] for node in _functions(path)}
    wrong = {
        name: word
        for name, word in opening.items()
        if word != ">>>" and (word in NO_VERBS or not word.isalpha() or not word[0].isupper())
    }
    assert wrong == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_and_functions_are_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    for node in _functions(path):
        assert node.end_lineno is not None
        assert node.end_lineno - node.lineno < MOST_FUNCTION_LINES, node.name
        parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        assert len(parameters) <= MOST_PARAMETERS, node.name


def test_a_folder_has_at_most_twenty_modules() -> None:
    crowded = [
        folder
        for folder in {path.parent for path in MODULES} - {PACKAGE}
        if len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) > MOST_MODULES
    ]
    assert crowded == []
