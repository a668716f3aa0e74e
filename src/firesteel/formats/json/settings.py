"""Reads the options of the `json` format for its decoder and encoder."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.formats.java import time as java_time
from firesteel.formats.java.time import TimestampStyle
from firesteel.formats.json import options as rows
from firesteel.formats.json.options import MapNullKeyMode, TimestampStandard
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.options.value import OptionValues


@dataclass(frozen=True)
class JsonSettings:
    """Settings of the format. `tree`: messages are read into a tree first, which changes some values."""

    fail_on_missing_field: bool = False
    ignore_parse_errors: bool = False
    iso_timestamps: bool = False
    legacy_times: bool = False
    null_key: MapNullKeyMode = MapNullKeyMode.FAIL
    null_key_literal: str = "null"
    plain_decimals: bool = False
    ignore_null_fields: bool = False
    tree: bool = False

    @property
    def timestamp(self) -> TimestampStyle:
        if self.legacy_times:
            return java_time.LEGACY
        return java_time.ISO if self.iso_timestamps else java_time.SQL

    @property
    def timestamp_ltz(self) -> TimestampStyle:
        if self.legacy_times:
            return java_time.LEGACY
        return java_time.ISO_UTC if self.iso_timestamps else java_time.SQL_UTC

    @property
    def zone(self) -> str:
        """Returns the text after a time without a zone."""
        return "Z" if self.legacy_times else ""

    def parse_time(self, text: str) -> int:
        """Parses to milliseconds of the day."""
        return java_time.parse_time(text.removesuffix("Z") if self.legacy_times else text)


def from_options(options: OptionValues) -> JsonSettings:
    return JsonSettings(
        fail_on_missing_field=options.get(rows.FAIL_ON_MISSING_FIELD) is True,
        ignore_parse_errors=options.get(IGNORE_PARSE_ERRORS) is True,
        iso_timestamps=options.get(rows.TIMESTAMP_FORMAT_STANDARD) is TimestampStandard.ISO_8601,
        legacy_times=options.get(rows.LEGACY_TIMES) is True,
        null_key=options.get(rows.MAP_NULL_KEY_MODE) or MapNullKeyMode.FAIL,
        null_key_literal=str(options.get(rows.MAP_NULL_KEY_LITERAL)),
        plain_decimals=options.get(rows.ENCODE_DECIMAL_AS_PLAIN_NUMBER) is True,
        ignore_null_fields=options.get(rows.ENCODE_IGNORE_NULL_FIELDS) is True,
        tree=options.get(rows.DECODE_JSON_PARSER_ENABLED) is False,
    )
