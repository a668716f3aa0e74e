"""The `ogg-json` format: Oracle GoldenGate's envelope of the row before and the row after."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pyarrow as pa

from firesteel.formats.bound import BoundFormat
from firesteel.formats.cdc.build import image_decoder
from firesteel.formats.cdc.decoder import ChangelogDecoder
from firesteel.formats.cdc.encoder import ChangelogEncoder, Frame
from firesteel.formats.cdc.envelope import Change, ImageEnvelope
from firesteel.formats.cdc.metadata import Item
from firesteel.formats.java import time as java_time
from firesteel.formats.json import options as json_rows
from firesteel.types import STRING, Array, TimestampLtz

_LOOSE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d{0,9})?)?", re.ASCII)
_SIX_DIGITS = re.compile(r".*T.*\.\d{6}", re.ASCII)


def _loose_micros(text: str) -> int:
    """Parses `yyyy-M-d[ H:m:s[.fraction]]` to microseconds. Raises ValueError."""
    match = _LOOSE.fullmatch(text)
    if not match:
        raise ValueError(f"'{text[:60]}' is not a timestamp like 2020-11-30 18:00:59.123456")
    year, month, day, *clock, fraction = match.groups()
    hour, minute, second = (part or "0" for part in clock)
    plain = f"{year}-{month:0>2}-{day:0>2} {hour:0>2}:{minute:0>2}:{second:0>2}{fraction or ''}"
    return java_time.parse_timestamp(plain, java_time.SQL)


def _event_micros(text: object) -> int | None:
    # Flink declares microseconds and keeps milliseconds.
    return None if text is None else _loose_micros(str(text)) // 1000 * 1000


def _ingestion_micros(text: object) -> int | None:
    if text is None:
        return None
    if _SIX_DIGITS.fullmatch(str(text)):
        try:
            plain = str(text).replace("T", " ", 1)
            return java_time.parse_timestamp(plain, java_time.SQL) // 1000 * 1000
        except ValueError:
            return None
    try:
        # Flink then tries the form with a blank instead of `T`, and gives NULL if that fails too.
        return _loose_micros(str(text).strip())
    except ValueError:
        return None


ENVELOPE = ImageEnvelope(
    "ogg-json",
    "op_type",
    {"I": Change.INSERT, "U": Change.UPDATE, "D": Change.DELETE},
    (
        Item("table", "table", STRING, STRING, wire=pa.string()),
        Item("primary-keys", "primary_keys", Array(STRING), Array(STRING), wire=pa.list_(pa.string())),
        Item("ingestion-timestamp", "current_ts", STRING, TimestampLtz(6), convert=_ingestion_micros),
        Item("event-timestamp", "op_ts", STRING, TimestampLtz(6), convert=_event_micros),
    ),
)


def make_decoder(bound: BoundFormat, columns: Sequence[str], metadata: Mapping[str, str]) -> ChangelogDecoder:
    return image_decoder(bound, columns, metadata, ENVELOPE)


def make_encoder(bound: BoundFormat) -> ChangelogEncoder:
    sparse = bound.options.get(json_rows.ENCODE_IGNORE_NULL_FIELDS)
    return ChangelogEncoder(
        bound,
        Frame('{"after":' if sparse else '{"before":null,"after":', ',"op_type":"I"}'),
        Frame('{"before":', ',"op_type":"D"}' if sparse else ',"after":null,"op_type":"D"}'),
    )
