"""The pages under docs/reference are those that the option rows give. `firesteel options --write docs/reference`."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.options import reference_files
from firesteel.cli.reference.functions import render_functions
from firesteel.cli.reference.language import Language
from firesteel.cli.reference.tables import OPTION_COLUMNS, pages
from firesteel.connectors.builtin import CONNECTORS
from firesteel.connectors.kafka.client.setting import PROPERTIES, Gathered, Ignored, Passed, Refused
from firesteel.connectors.kafka.client.summary import REASONS_ZH, SUMMARIES
from firesteel.formats.builtin import FORMATS
from firesteel.options import legacy, setting

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
FILES = reference_files()


@pytest.mark.parametrize("name", FILES)
def test_page_is_fresh(name: str) -> None:
    path = FOLDER / name
    assert path.is_file(), "Run: firesteel options --write docs/reference"
    assert path.read_text(encoding="utf-8") == FILES[name], "Run: firesteel options --write docs/reference"


def test_the_page_of_functions_is_fresh() -> None:
    page = FOLDER.parent / "functions.md"
    assert page.read_text(encoding="utf-8") == render_functions(), "Run: firesteel options --write docs/reference"


def test_no_page_is_left_over() -> None:
    assert {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.md") if path.parent != FOLDER} == set(FILES)


def test_twice_is_the_same() -> None:
    assert reference_files() == FILES


def test_every_row_has_its_page() -> None:
    shown = {row[0].en.strip("`") for page in pages() for table in page.tables for row in table.rows}
    for connector in CONNECTORS:
        assert {option.key for option in connector.rows} <= shown
        assert {key.key for key in connector.metadata} <= shown
    for spec in FORMATS:
        assert {f"{spec.name}.{option.key}" for option in spec.rows} <= shown
        assert {f"value.{key.key}" for key in spec.metadata} <= shown
    for rows in (legacy.ROWS, setting.ROWS):
        assert {option.key for option in rows} <= shown
    assert {f"properties.{name}" for name in PROPERTIES} <= shown


@pytest.mark.parametrize("language", Language)
def test_every_cell_is_filled(language: Language) -> None:
    may_be_empty = {"other spellings", "librdkafka's name"}
    for page in pages():
        for table in page.tables:
            for row in table.rows:
                for column, cell in zip(table.columns, row, strict=True):
                    assert cell.into(language) or column.title.en in may_be_empty, (page.name, row[0])
                ends = "。" if language is Language.CHINESE else "."
                assert row[-1].into(language).endswith(ends), (page.name, row[0])


def test_every_client_setting_has_its_sentence() -> None:
    for name, treated in PROPERTIES.items():
        match treated:
            case Passed() | Gathered():
                assert name in SUMMARIES
            case Ignored(reason=reason) | Refused(reason=reason):
                assert reason is None or reason in REASONS_ZH
    assert set(SUMMARIES) <= set(PROPERTIES)


def test_option_tables_say_all_that_is_asked_for() -> None:
    assert [column.title.en for column in OPTION_COLUMNS] == [
        "option",
        "type",
        "default",
        "applies to",
        "other spellings",
        "meaning",
    ]
