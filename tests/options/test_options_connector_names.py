"""What a connector or a format does is said by its spec: nobody else asks what it is called, or reads its options."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import firesteel
from firesteel.connectors.builtin import CONNECTORS
from firesteel.formats.builtin import FORMATS

_ROOT = Path(firesteel.__file__).parent
_CONNECTORS = {name for spec in CONNECTORS for name in (spec.name, *spec.other_names)}
_FORMATS = {spec.name for spec in FORMATS}

#: Modules that compare a text with a connector's name, each with its reason.
COMPARE = {
    "catalog/with_clause/dialect.py": "tells Huawei DLI's tables from Flink 1.10's, both of which have names of their own",
    "connectors/kafka/start.py": "is Kafka's own: where 'kafka' and 'upsert-kafka' begin to read",
}
#: Modules that compare a text with a word that is a format's name too, each with its reason.
COMPARE_FORMAT = {
    "cli/check.py": "compares its own --format",
    "cli/explain.py": "compares its own --format",
    "cli/options.py": "compares its own --format",
    "cli/topic.py": "compares its own --value-format, of commands that show messages of no table",
}
#: Modules outside a connector's folder that import it, each with its reason. The registry is `connectors/builtin.py`.
IMPORT = {
    "connectors/builtin.py": "is the registry",
    "cli/demo.py": "is about Kafka by name: it makes topics on a broker of its own",
    "cli/topic.py": "is about Kafka by name: it looks into topics",
    "dev/broker/server.py": "is about Kafka by name: it starts a broker and waits until it answers",
    "dev/pageviews.py": "is about Kafka by name: it fills a topic with page views",
    "dev/record.py": "is about Kafka by name: it writes and reads the records of topics by hand",
}


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(_ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        try:
            tree = ast.parse(text)
        except SystemError:
            # CPython 3.11 miscounts its depth when another thread parses at the same moment.
            tree = ast.parse(text)
        yield path.relative_to(_ROOT).as_posix(), tree


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
    return found


def _imported(tree: ast.Module, package: str, folders: set[str]) -> set[str]:
    """Gives the connectors, or formats, of whose folders something is imported."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    begin = f"firesteel.{package}."
    return {name.removeprefix(begin).split(".")[0] for name in found if name.startswith(begin)} & folders


def _connector_folders() -> set[str]:
    return {path.name for path in (_ROOT / "connectors").iterdir() if path.is_dir()} - {"__pycache__"}


def _format_folders() -> set[str]:
    """The folders that belong to one format. `cdc`, `column` and `java` are what several share."""
    return {name.partition(".")[0] for spec in FORMATS for name in (spec.decoder, spec.encoder)}


def _home(path: str) -> tuple[str, ...]:
    """The connector in whose folder, or whose run time's, a module stands."""
    parts = Path(path).with_suffix("").parts
    for begin in (("connectors",), ("spark", "connector")):
        if parts[: len(begin)] == begin:
            return parts[len(begin) : len(begin) + 1]
    return ()


def test_nobody_compares_with_a_connectors_name_but_those_who_have_a_reason() -> None:
    assert {path for path, tree in _modules() if _compared(tree) & _CONNECTORS} == set(COMPARE)


def test_nobody_compares_with_a_formats_name_but_those_who_have_a_reason() -> None:
    found = {path for path, tree in _modules() if _compared(tree) & _FORMATS}
    assert {path for path in found if not path.startswith("formats/")} == set(COMPARE_FORMAT)


def test_nobody_imports_a_connector_but_its_own_folders_and_those_who_have_a_reason() -> None:
    found = {
        path
        for path, tree in _modules()
        for name in _imported(tree, "connectors", _connector_folders())
        if _home(path) != (name,)
    }
    assert found == set(IMPORT)


def test_nobody_imports_the_run_time_of_a_connector() -> None:
    found = {
        (path, name)
        for path, tree in _modules()
        for name in _imported(tree, "spark.connector", _connector_folders())
        if _home(path) != (name,)
    }
    assert found == set()


def test_nobody_imports_a_format_outside_the_package_of_formats() -> None:
    found = {(path, name) for path, tree in _modules() for name in _imported(tree, "formats", _format_folders())}
    assert {path for path, _ in found if not path.startswith("formats/")} == set()


def test_a_run_time_is_a_class_in_a_module_of_its_own_that_a_check_does_not_load() -> None:
    folder = _ROOT / "spark" / "connector"
    for spec in CONNECTORS:
        module, _, name = spec.runtime.partition(":")
        text = folder.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
        assert f"class {name}(Runtime):" in text, spec.name
        for needed in spec.worker_modules:
            assert folder.joinpath(*needed.split(".")).with_suffix(".py").is_file(), needed
