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
    "spark/connector/kafka.py": "is Kafka's own run time, of both connectors",
}

#: Modules of `catalog` and `plan` that read the options of one connector, each with its reason.
READ = {
    "catalog/key.py": "'key.fields' and 'value.fields-include' say what a message is made of, wherever there are messages",
    "catalog/metadata.py": "whether the metadata 'topic' can be written depends on how many topics there are",
    "catalog/subject.py": "a subject of the schema registry is named after the topic",
    "catalog/table.py": "the name of a job that has none is made of the topics it writes: it must stay the same",
    "plan/check/advice.py": "a partitioner of the user's own keeps the changes of a row together",
    "plan/resolve/partitioner.py": "a partitioner of the user's own is checked as a function is",
    "plan/fact/delivery.py": "'sink.delivery-guarantee' is only a Kafka table's so far",
    "plan/show/explain.py": "'sink.delivery-guarantee' is only a Kafka table's so far",
}
_OPTIONS = ("kafka", "upsert_kafka", "dynamic_kafka", "datagen", "print", "blackhole")


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


def _imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name.split(".")[2] for name in names if name.startswith("firesteel.options."))
    return found & set(_OPTIONS)


def test_nobody_compares_with_a_connectors_name_but_those_who_have_a_reason() -> None:
    assert {path for path, tree in _modules() if _compared(tree)} == set(COMPARE)


def test_catalog_and_plan_read_no_connectors_options_but_for_a_reason() -> None:
    rooms = ("catalog/", "plan/")
    assert {path for path, tree in _modules() if path.startswith(rooms) and _imported(tree)} == set(READ)


def test_a_run_time_is_a_module_of_its_own_that_a_check_does_not_load() -> None:
    for spec in CONNECTORS:
        assert (_ROOT / "spark" / "connector" / f"{spec.runtime}.py").is_file(), spec.name
