"""The `debezium-json` format: Debezium's envelope of the row before and the row after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from firesteel.formats.bound import BoundFormat
from firesteel.formats.cdc.build import image_decoder
from firesteel.formats.cdc.decoder import ChangelogDecoder
from firesteel.formats.cdc.encoder import ChangelogEncoder, Frame
from firesteel.formats.cdc.envelope import Change, ImageEnvelope
from firesteel.formats.cdc.metadata import Item, epoch_column, epoch_item, epoch_text_micros
from firesteel.formats.debezium import options as rows
from firesteel.formats.json import options as json_rows
from firesteel.formats.json.epoch import EpochRules
from firesteel.types import STRING, Map, TimestampLtz

_SOURCE = Map(STRING, STRING)


def _source(key: str, entry: str) -> Item:
    return Item(key, "source", _SOURCE, STRING, entry=entry, wire=pa.string())


ENVELOPE = ImageEnvelope(
    "debezium-json",
    "op",
    {"c": Change.INSERT, "r": Change.INSERT, "u": Change.UPDATE, "d": Change.DELETE},
    (
        Item("schema", "schema", STRING, STRING, outside=True),
        epoch_item("ingestion-timestamp", "ts_ms", TimestampLtz(3), 1000),
        Item(
            "source.timestamp",
            "source",
            _SOURCE,
            TimestampLtz(3),
            entry="ts_ms",
            convert=lambda text: epoch_text_micros(text, 1000),
            wire=pa.int64(),
            finish=epoch_column(1000),
        ),
        _source("source.database", "db"),
        _source("source.schema", "schema"),
        _source("source.table", "table"),
        Item("source.properties", "source", _SOURCE, _SOURCE),
    ),
)


def make_decoder(bound: BoundFormat, columns: Sequence[str], metadata: Mapping[str, str]) -> ChangelogDecoder:
    envelope = replace(ENVELOPE, payload="payload") if bound.options.get(rows.SCHEMA_INCLUDE) else ENVELOPE
    epochs = EpochRules(
        bound.options.get(rows.DECODE_TIME_PRECISION_MODE), bound.options.get(rows.DECODE_DECIMAL_HANDLING_MODE)
    )
    return image_decoder(bound, columns, metadata, envelope, epochs)


def make_encoder(bound: BoundFormat) -> ChangelogEncoder:
    sparse = bound.options.get(json_rows.ENCODE_IGNORE_NULL_FIELDS)
    return ChangelogEncoder(
        bound,
        Frame('{"after":' if sparse else '{"before":null,"after":', ',"op":"c"}'),
        Frame('{"before":', ',"op":"d"}' if sparse else ',"after":null,"op":"d"}'),
    )
