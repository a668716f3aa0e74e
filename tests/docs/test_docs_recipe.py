"""The recipes of CONTRIBUTING.md name files that are there, and the one for a function is followed to its end."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Recipes")[2].partition("\n## ")[0]
RECIPES: dict[str, str] = dict(re.findall(r"^\*\*… ([^*]+)\*\*(.*?)(?=^\*\*…|\Z)", TEXT, re.MULTILINE | re.DOTALL))


def _files(steps: str) -> list[str]:
    """Files and folders named in a recipe, but for those that whoever follows it makes (`options/<name>.py`)."""
    return re.findall(r"`([a-z][\w-]*(?:/[\w.-]+)+)`", steps)


def test_the_recipes_are_those_that_people_ask_for() -> None:
    wanted = {
        "connector option",
        "setting",
        "connector",
        "format",
        "scalar function",
        "aggregate",
        "plan node",
        "command",
    }
    assert wanted <= set(RECIPES)


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_names_files_that_exist(title: str) -> None:
    named = _files(RECIPES[title])
    assert named
    missing = [name for name in named if not ((SOURCE / "firesteel" / name).exists() or (ROOT / name).exists())]
    assert missing == []


def test_a_function_added_by_its_recipe_is_known_to_check_and_to_spark(tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    modules = [name for name in _files(RECIPES["scalar function"]) if name.endswith("function/string.py")]
    assert modules == ["plan/function/string.py", "spark/lower/function/string.py"]
    rows = ('    Function("SHOUT", (TEXT,), like_first),\n', '    "SHOUT": plain(F.upper),\n')
    for name, row, after in zip(modules, rows, ('    Function("UPPER"', '    "UPPER"'), strict=True):
        path = tmp_path / "src" / "firesteel" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(after) == 1, (name, after)
        path.write_text(text.replace(after, row + after), encoding="utf-8")
    script = """
from firesteel import check
from firesteel.spark.lower.function.table import TRANSLATIONS
table = "CREATE TABLE {} (a STRING) WITH ('connector' = 'kafka', 'topic' = '{}', 'properties.bootstrap.servers' = 'b:1',"
table += " 'scan.startup.mode' = 'earliest-offset', 'format' = 'json');"
print([problem.message for problem in check(table.format("s", "s") + table.format("t", "t") + "INSERT INTO t SELECT SHOUT(a) FROM s;")])
print("SHOUT" in TRANSLATIONS)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["[]", "True"]
