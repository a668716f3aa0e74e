"""The options of `'format' = 'maxwell-json'`."""

from __future__ import annotations

from firesteel.formats.json import options as json
from firesteel.options.metadata import MetadataKey
from firesteel.types import STRING, Array, TimestampLtz

ROWS = json.SHARED

METADATA = (
    MetadataKey("database", STRING, "The database of the row.", "行所在的数据库。"),
    MetadataKey("table", STRING, "The table of the row.", "行所在的表。"),
    MetadataKey("primary-key-columns", Array(STRING), "The names of the primary key's columns.", "主键列名。"),
    MetadataKey("ingestion-timestamp", TimestampLtz(3), "When the change was made.", "变更产生的时间。"),
)
