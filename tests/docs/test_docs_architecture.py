"""ARCHITECTURE.md is true to the tree: its tables of modules are those of the files, its journeys name functions that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.docs.modules import BEGIN, PACKAGE, PAGE, package_order, summarize, written_page

TEXT = PAGE.read_text(encoding="utf-8")
#: `sql/script.py:parse_script`, `spark/job/checkpoint.py:Checkpoint.open`
NAMED = sorted(set(re.findall(r"`([\w/]+\.py):([\w.]+)`", TEXT)))
DESIGN = PAGE.parent / "docs" / "design"
ADVICE = "Run: python -m tests.docs.modules --write"


def test_the_tables_of_modules_are_those_of_the_files() -> None:
    assert BEGIN in TEXT
    assert written_page(TEXT) == TEXT, ADVICE


def test_every_package_is_in_the_first_table() -> None:
    present = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert present - {"__init__", "__pycache__"} == set(package_order(TEXT))


def test_every_module_says_in_one_sentence_what_it_does() -> None:
    silent = [path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py" and not summarize(path)]
    assert silent == []


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_journey_names_a_function_that_exists(file: str, name: str) -> None:
    body: list[ast.stmt] = ast.parse((PACKAGE / file).read_text(encoding="utf-8")).body
    for part in name.split("."):
        found = [node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == part]
        assert found, f"{file} has no {name}"
        body = found[0].body


def test_each_step_of_an_insert_is_at_most_three_lines_and_ends_in_a_function() -> None:
    journey = TEXT.partition("## One INSERT's journey")[2].partition("\n## ")[0]
    steps = re.split(r"^\d+\. ", journey, flags=re.MULTILINE)[1:]
    assert len(steps) >= 10
    for step in steps:
        assert len(step.strip().splitlines()) <= 3
        assert re.search(r"`[\w/]+\.py:[\w.]+`$", step.strip()), step


@pytest.mark.parametrize("page", sorted(DESIGN.glob("*.md")), ids=lambda page: page.stem)
def test_a_decision_says_its_context_and_its_cost_and_is_listed(page: Path) -> None:
    if page.name == "README.md":
        return
    assert re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE) == ["Context", "Decision", "Cost"]
    assert f"(docs/design/{page.name})" in TEXT
