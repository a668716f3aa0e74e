"""Reads the options of the `csv` format for its decoder and encoder."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.formats.csv import options as rows
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.options.value import OptionValues


@dataclass(frozen=True)
class CsvSettings:
    """Settings of the format. `quote` and `escape` are empty if there is none; `null` is None if no text represents NULL."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    element_delimiter: str = ";"
    null: str | None = None
    allow_comments: bool = False
    ignore_parse_errors: bool = False
    scientific_decimals: bool = False
    trim_spaces: bool = False
    ignore_trailing: bool = False
    allow_trailing_delimiter: bool = True
    fail_on_missing_columns: bool = False
    empty_is_null: bool = False


def from_options(options: OptionValues) -> CsvSettings:
    return CsvSettings(
        delimiter=options.get(rows.FIELD_DELIMITER) or ",",
        quote="" if options.get(rows.DISABLE_QUOTE_CHARACTER) else options.get(rows.QUOTE_CHARACTER) or '"',
        escape=options.get(rows.ESCAPE_CHARACTER) or "",
        element_delimiter=options.get(rows.ARRAY_ELEMENT_DELIMITER) or ";",
        null=options.get(rows.NULL_LITERAL),
        allow_comments=options.get(rows.ALLOW_COMMENTS) is True,
        ignore_parse_errors=options.get(IGNORE_PARSE_ERRORS) is True,
        scientific_decimals=options.get(rows.WRITE_BIGDECIMAL_IN_SCIENTIFIC_NOTATION) is True,
        trim_spaces=options.get(rows.TRIM_SPACES) is True,
        ignore_trailing=options.get(rows.IGNORE_TRAILING_UNMAPPABLE) is True,
        allow_trailing_delimiter=options.get(rows.ALLOW_TRAILING_COMMA) is True,
        fail_on_missing_columns=options.get(rows.FAIL_ON_MISSING_COLUMNS) is True,
        empty_is_null=options.get(rows.EMPTY_STRING_AS_NULL) is True,
    )
