"""The Chinese pages are as true as the English ones: the same names stand in the rows of their table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
WORKS, WORKS_ZH = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("supported.md", "supported.zh.md"))
ROWS = {
    "sources": "源表",
    "sinks": "结果表",
    "formats": "格式",
    "security": "安全",
    "delivery": "交付保证",
    "statements": "语句",
    "aggregates": "聚合函数",
    "functions": "函数",
}


def names(document: str, row: str) -> list[list[str]]:
    (line,) = re.findall(rf"^\| {row} \|(.*)\|$", document, re.MULTILINE)
    return [sorted(set(re.findall(r"`([^`]+)`", cell))) for cell in line.split(" | ")]


@pytest.mark.parametrize(("english", "chinese"), ROWS.items())
def test_findings_c13_the_tables_say_the_same(english: str, chinese: str) -> None:
    assert names(WORKS_ZH, chinese) == names(WORKS, english)


def test_findings_c13_every_command_of_the_readme_is_in_the_chinese_one() -> None:
    commands = {found for found in re.findall(r"firesteel (\w+)", ENGLISH) if found.islower()}
    known = {"run", "check", "explain", "options", "broker", "topic", "warm"}
    assert commands & known <= set(re.findall(r"firesteel (\w+)", CHINESE))
