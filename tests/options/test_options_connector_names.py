"""What a connector does is said by its `ConnectorSpec`: nobody else asks what it is called, or reads its options."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import firesteel
from firesteel.connectors.builtin import CONNECTORS

_ROOT = Path(firesteel.__file__).parent
_NAMES = {name for spec in CONNECTORS for name in (spec.name, *spec.other_names)}

#: Modules that compare a text with a connector's name, each with its reason.
COMPARE = {
    "catalog/with_clause/dialect.py": "tells Huawei DLI's tables from Flink 1.10's, both of which have names of their own",
    "connectors/kafka/start.py": "is Kafka's own: where 'kafka' and 'upsert-kafka' begin to read",
    "spark/connector/kafka/runtime.py": "is Kafka's own run time, of both connectors",
}


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(_ROOT.rglob("*.py")):
        yield path.relative_to(_ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts that a value is compared with."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _compared(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                if isinstance(side, ast.Constant | ast.Tuple | ast.Set | ast.List):
                    found.update(_texts(side))
        elif isinstance(node, ast.MatchValue):
            found.update(_texts(node))
    return found & _NAMES


def _imported(tree: ast.Module, package: str) -> set[str]:
    """Gives the connectors, or formats, of whose folders something is imported."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name.split(".")[2] for name in names if name.startswith(f"firesteel.{package}."))
    return found & {path.name for path in (_ROOT / package).iterdir() if path.is_dir()}


def test_nobody_compares_with_a_connectors_name_but_those_who_have_a_reason() -> None:
    assert {path for path, tree in _modules() if _compared(tree)} == set(COMPARE)


def test_what_checks_a_script_knows_no_connector() -> None:
    rooms = ("options/", "formats/", "catalog/", "plan/", "sql/")
    found = {(path, name) for path, tree in _modules() for name in _imported(tree, "connectors")}
    assert {(path, name) for path, name in found if path.startswith(rooms)} == set()


def test_a_run_time_is_a_module_of_its_own_that_a_check_does_not_load() -> None:
    for spec in CONNECTORS:
        assert (_ROOT / "spark" / "connector" / f"{spec.runtime.replace(chr(46), chr(47))}.py").is_file(), spec.name
