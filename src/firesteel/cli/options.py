"""`firesteel options [NAME]`: the reference tables, and the pages under `docs/reference/` made of them."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from firesteel.cli.command import Subparsers, add_command
from firesteel.cli.reference.functions import render_functions
from firesteel.cli.reference.language import Language, Text
from firesteel.cli.reference.page import render_index, render_json, render_markdown, render_text
from firesteel.cli.reference.tables import Page, pages
from firesteel.errors import UsageError
from firesteel.options.spelling import nearest

#: The limits of the line width on narrow and wide terminals: longer lines are hard to read.
_NARROWEST, _WIDEST, _USUAL = 60, 120, 100


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "options",
        "show every option of a connector or a format, and every setting",
        "Show what can be set, with its type, its default, where it applies and its other spellings.\n"
        "Without a name, list the names.",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a page, for example kafka, json, settings, properties, metadata, or an option, for example scan.startup.mode",
    )
    parser.add_argument("--lang", choices=[language.value for language in Language], default="en", help="default: en")
    parser.add_argument("--format", choices=("text", "md", "json"), default="text", help="default: text")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write all pages into this folder, in both languages")


def run(args: argparse.Namespace) -> int:
    language = Language(args.lang)
    if args.write is not None:
        _write(args.write)
    elif args.name is None:
        _list(language)
    else:
        _show(_find(args.name), args.format, language)
    return 0


def _find(name: str) -> list[Page]:
    """Finds the page of that name, or the rows of all pages about the option of that name."""
    found = pages()
    wanted = [page for page in found if page.name == name.lower()]
    wanted = wanted or [part for page in found if (part := _about(page, name.lower())) is not None]
    if not wanted:
        names = [page.name for page in found]
        options = {_name(row): None for page in found for table in page.tables for row in table.rows}
        close = nearest(name, [*names, *options], 0.5)
        hint = f"Did you mean '{close}'?" if close else f"There is {', '.join(names)}."
        raise UsageError(f"'{name[:60]}' is neither a page nor an option.", hint=hint)
    return wanted


def _about(page: Page, name: str) -> Page | None:
    """Keeps the rows of a page that have that name, in any spelling."""
    tables = []
    for table in page.tables:
        other_names = next(
            (index for index, column in enumerate(table.columns) if column.title.en == "other spellings"), None
        )
        rows = [
            row
            for row in table.rows
            if _name(row).lower() == name or (other_names is not None and f"`{name}`" in row[other_names].en.lower())
        ]
        if rows:
            tables.append(replace(table, rows=tuple(rows)))
    return replace(page, tables=tuple(tables), rules=(), intro=Text("", "")) if tables else None


def _name(row: tuple[Text, ...]) -> str:
    return row[0].en.strip("`")


def _list(language: Language) -> None:
    found = pages()
    width = max(len(page.name) for page in found)
    for page in found:
        print(f"{page.name:<{width}}  {page.title.into(language)}")


def _show(found: list[Page], form: str, language: Language) -> None:
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else _USUAL
    if form == "json":
        shown = [render_json(page, language) for page in found]
        print(shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]")
        return
    for number, page in enumerate(found):
        match form:
            case "md":
                print(render_markdown(page, language), end="")
            case _:
                print("\n" if number else "", end="")
                print(render_text(page, language, min(max(width, _NARROWEST), _WIDEST), bold=terminal))


def reference_files() -> Mapping[str, str]:
    """Renders every file of `docs/reference/`, by its path there."""
    found = pages()
    files = {}
    for language in Language:
        files[f"{language.value}/README.md"] = render_index(found, language)
        for page in found:
            files[f"{language.value}/{page.name}.md"] = render_markdown(page, language)
    return files


def _write(folder: Path) -> None:
    files = reference_files()
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        (folder.parent / "functions.md").write_text(render_functions(), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"'{folder}' cannot be written: {error.strerror or error}.") from None
    print(f"{len(files)} pages written to {folder}, and one beside it.")
