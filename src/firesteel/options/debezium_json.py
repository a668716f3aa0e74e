"""The options of `'format' = 'debezium-json'`."""

from __future__ import annotations

from firesteel.options import json
from firesteel.options.kind import BOOLEAN
from firesteel.options.metadata import MetadataKey
from firesteel.options.option import Option
from firesteel.types import STRING, Map, TimestampLtz

SCHEMA_INCLUDE = Option(
    "schema-include",
    BOOLEAN,
    "Whether messages carry their schema, with the change inside `payload`; not for a sink.",
    "消息是否携带 schema（变更位于 `payload` 中）；不能用于结果表。",
    default=False,
)

ROWS = (SCHEMA_INCLUDE, *json.SHARED)

METADATA = (
    MetadataKey("schema", STRING, "The schema of the message as JSON text.", "消息的 schema（JSON 文本）。"),
    MetadataKey(
        "ingestion-timestamp", TimestampLtz(3), "When Debezium processed the change.", "Debezium 处理该变更的时间。"
    ),
    MetadataKey("source.timestamp", TimestampLtz(3), "When the database made the change.", "数据库产生变更的时间。"),
    MetadataKey("source.database", STRING, "The database of the row.", "行所在的数据库。"),
    MetadataKey("source.schema", STRING, "The database schema of the row.", "行所在的 schema。"),
    MetadataKey("source.table", STRING, "The table of the row.", "行所在的表。"),
    MetadataKey("source.properties", Map(STRING, STRING), "Everything that `source` holds.", "`source` 中的全部属性。"),
)
