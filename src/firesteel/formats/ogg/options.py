"""The options of `'format' = 'ogg-json'` (Oracle GoldenGate)."""

from __future__ import annotations

from firesteel.formats.json import options as json
from firesteel.options.metadata import MetadataKey
from firesteel.types import STRING, Array, TimestampLtz

ROWS = json.SHARED

METADATA = (
    MetadataKey("table", STRING, "The table of the row.", "行所在的表。"),
    MetadataKey("primary-keys", Array(STRING), "The names of the primary key's columns.", "主键列名。"),
    MetadataKey(
        "ingestion-timestamp",
        TimestampLtz(6),
        "When GoldenGate processed the change.",
        "GoldenGate 处理该变更的时间。",
    ),
    MetadataKey("event-timestamp", TimestampLtz(6), "When the database made the change.", "数据库产生变更的时间。"),
)
