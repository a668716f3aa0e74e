"""The `canal-json` format: Canal's envelope of rows and the old values of their changed columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from firesteel.formats.bound import BoundFormat
from firesteel.formats.canal import options as rows
from firesteel.formats.cdc.build import data_decoder
from firesteel.formats.cdc.decoder import ChangelogDecoder
from firesteel.formats.cdc.encoder import ChangelogEncoder, Frame
from firesteel.formats.cdc.envelope import Change, DataEnvelope
from firesteel.formats.cdc.metadata import Item, epoch_item
from firesteel.types import STRING, Array, Int, Map, TimestampLtz

ENVELOPE = DataEnvelope(
    "canal-json",
    "type",
    {"INSERT": Change.INSERT, "UPDATE": Change.UPDATE, "DELETE": Change.DELETE, "CREATE": Change.NONE},
    (
        Item("database", "database", STRING, STRING, wire=pa.string()),
        Item("table", "table", STRING, STRING, wire=pa.string()),
        Item("sql-type", "sqlType", Map(STRING, Int()), Map(STRING, Int())),
        Item("pk-names", "pkNames", Array(STRING), Array(STRING), wire=pa.list_(pa.string())),
        epoch_item("ingestion-timestamp", "ts", TimestampLtz(3), 1000),
        epoch_item("event-timestamp", "es", TimestampLtz(3), 1000),
    ),
    many=True,
)


def make_decoder(bound: BoundFormat, columns: Sequence[str], metadata: Mapping[str, str]) -> ChangelogDecoder:
    patterns = {
        "database": bound.options.get(rows.DATABASE_INCLUDE),
        "table": bound.options.get(rows.TABLE_INCLUDE),
    }
    filters = {member: pattern for member, pattern in patterns.items() if pattern is not None}
    # Canal writes every value as a JSON string, Flink writes JSON numbers and booleans.
    return data_decoder(bound, columns, metadata, ENVELOPE, filters, texts=(True, False))


def make_encoder(bound: BoundFormat) -> ChangelogEncoder:
    return ChangelogEncoder(bound, Frame('{"data":[', '],"type":"INSERT"}'), Frame('{"data":[', '],"type":"DELETE"}'))
