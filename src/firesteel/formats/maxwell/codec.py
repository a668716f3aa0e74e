"""The `maxwell-json` format: Maxwell's envelope of a row and the old values of its changed columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from firesteel.formats.bound import BoundFormat
from firesteel.formats.cdc.build import data_decoder
from firesteel.formats.cdc.decoder import ChangelogDecoder
from firesteel.formats.cdc.encoder import ChangelogEncoder, Frame
from firesteel.formats.cdc.envelope import Change, DataEnvelope
from firesteel.formats.cdc.metadata import Item, epoch_item
from firesteel.types import STRING, Array, TimestampLtz

ENVELOPE = DataEnvelope(
    "maxwell-json",
    "type",
    {"insert": Change.INSERT, "update": Change.UPDATE, "delete": Change.DELETE},
    (
        Item("database", "database", STRING, STRING, wire=pa.string()),
        Item("table", "table", STRING, STRING, wire=pa.string()),
        Item(
            "primary-key-columns",
            "primary_key_columns",
            Array(STRING),
            Array(STRING),
            wire=pa.list_(pa.string()),
        ),
        # Maxwell counts seconds.
        epoch_item("ingestion-timestamp", "ts", TimestampLtz(3), 1_000_000),
    ),
    many=False,
)


def make_decoder(bound: BoundFormat, columns: Sequence[str], metadata: Mapping[str, str]) -> ChangelogDecoder:
    return data_decoder(bound, columns, metadata, ENVELOPE, {}, texts=(False,))


def make_encoder(bound: BoundFormat) -> ChangelogEncoder:
    return ChangelogEncoder(bound, Frame('{"data":', ',"type":"insert"}'), Frame('{"data":', ',"type":"delete"}'))
