"""Renders a page of the reference as Markdown, as text for a terminal, and as JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator

from firesteel.cli.reference.language import Language, Text
from firesteel.cli.reference.tables import REQUIRED, Page, Table

_RULES = Text("Rules", "规则")
_INDEX = Text("Reference", "参考")
_INDEX_INTRO = Text(
    "Every option that Firesteel knows. These pages are made by `firesteel options --write`, from the rows that check a "
    "script; `firesteel options NAME` prints the same.",
    "Firesteel 支持的所有选项。这些页面由 `firesteel options --write` 根据检查脚本所用的数据生成；`firesteel options NAME` "
    "会打印同样的内容。",
)
_OTHER_LANGUAGE = {Language.ENGLISH: ("zh", "中文"), Language.CHINESE: ("en", "English")}
_BETWEEN = {Language.ENGLISH: ": ", Language.CHINESE: "："}


def render_markdown(page: Page, language: Language) -> str:
    folder, label = _OTHER_LANGUAGE[language]
    parts = [
        f"# {page.title.into(language)}",
        f"[{_INDEX.into(language)}](README.md) · [{label}](../{folder}/{page.name}.md)",
        page.intro.into(language),
    ]
    for table in page.tables:
        if len(page.tables) > 1:
            parts.append(f"## {table.title.into(language)}")
        parts.append("\n".join(_markdown_rows(table, language)))
    if page.rules:
        parts.append(f"## {_RULES.into(language)}")
        parts.append("\n".join(f"- {rule.into(language)}" for rule in page.rules))
    return "\n\n".join(parts) + "\n"


def render_index(found: Iterable[Page], language: Language) -> str:
    folder, label = _OTHER_LANGUAGE[language]
    links = "\n".join(f"- [{page.title.into(language)}]({page.name}.md)" for page in found)
    return (
        f"# {_INDEX.into(language)}\n\n[{label}](../{folder}/README.md)\n\n{_INDEX_INTRO.into(language)}\n\n{links}\n"
    )


def _markdown_rows(table: Table, language: Language) -> Iterator[str]:
    yield f"| {' | '.join(column.title.into(language) for column in table.columns)} |"
    yield f"|{'---|' * len(table.columns)}"
    for row in table.rows:
        cells = (cell.into(language).replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"


def render_json(page: Page, language: Language) -> str:
    document = {
        "name": page.name,
        "title": page.title.into(language),
        "tables": [
            {
                "title": table.title.into(language),
                "rows": [
                    {
                        column.title.en: _plain(cell.into(language))
                        for column, cell in zip(table.columns, row, strict=True)
                    }
                    for row in table.rows
                ],
            }
            for table in page.tables
        ],
        "rules": [_plain(rule.into(language)) for rule in page.rules],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def render_text(page: Page, language: Language, width: int, bold: bool = False) -> str:
    """Renders a page for a terminal: each name on a line of its own, its meaning below it, nothing wider than `width`."""
    lines = [_strong(page.title.into(language), bold), "", *wrap(_plain(page.intro.into(language)), width)]
    for table in page.tables:
        if len(page.tables) > 1:
            lines += ["", _strong(table.title.into(language), bold)]
        for row in table.rows:
            lines += ["", _strong(_plain(row[0].into(language)), bold)]
            lines += wrap(_plain(row[-1].into(language)), width, "    ")
            lines += wrap(_plain(_facts(table, row, language)), width, "    ")
    if page.rules:
        lines += ["", _strong(_RULES.into(language), bold)]
        for rule in page.rules:
            lines += wrap(_plain(rule.into(language)), width, "    ")
    return "\n".join(lines)


def _facts(table: Table, row: tuple[Text, ...], language: Language) -> str:
    facts = []
    for column, cell in list(zip(table.columns, row, strict=True))[1:-1]:
        text = cell.into(language)
        if text:
            facts.append(
                text if column.bare or cell == REQUIRED else f"{column.title.into(language)}{_BETWEEN[language]}{text}"
            )
    return " · ".join(facts)


def _strong(text: str, bold: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if bold else text


def _plain(text: str) -> str:
    """Removes Markdown's marks."""
    return text.replace("`", "")


def _columns(text: str) -> int:
    """Counts the columns that a terminal shows: Chinese characters take two columns."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


#: A word with the blank after it, or one Chinese character: a line may end after either.
_PIECE = re.compile(r"[⺀-鿿＀-￯][，。；：、）”]*|[^\s⺀-鿿＀-￯]+\s*|\s+")


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Wraps a text to lines of at most `width` columns.

    >>> wrap("one two three", 9, "  ")
    ['  one two', '  three']
    >>> wrap("消息的格式。", 8)
    ['消息的格', '式。']
    """
    lines: list[str] = []
    line = indent
    for piece in _PIECE.findall(text):
        if line.strip() and _columns(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = indent
        line += piece
    return [*lines, line.rstrip()] if line.strip() else lines
