"""The options of `'format' = 'canal-json'`."""

from __future__ import annotations

from firesteel.formats.json import options as json
from firesteel.options.kind import PATTERN
from firesteel.options.metadata import MetadataKey
from firesteel.options.option import Option, Side
from firesteel.types import STRING, Array, Int, Map, TimestampLtz

DATABASE_INCLUDE = Option(
    "database.include",
    PATTERN,
    "A regular expression: only changes whose whole database name matches are read.",
    "正则表达式：仅读取数据库名完整匹配的变更。",
    side=Side.SOURCE,
)
TABLE_INCLUDE = Option(
    "table.include",
    PATTERN,
    "A regular expression: only changes whose whole table name matches are read.",
    "正则表达式：仅读取表名完整匹配的变更。",
    side=Side.SOURCE,
)

ROWS = (DATABASE_INCLUDE, TABLE_INCLUDE, *json.SHARED)

METADATA = (
    MetadataKey("database", STRING, "The database of the row.", "行所在的数据库。"),
    MetadataKey("table", STRING, "The table of the row.", "行所在的表。"),
    MetadataKey("sql-type", Map(STRING, Int()), "The SQL type number of each column.", "各列的 SQL 类型编号。"),
    MetadataKey("pk-names", Array(STRING), "The names of the primary key's columns.", "主键列名。"),
    MetadataKey("ingestion-timestamp", TimestampLtz(3), "When Canal processed the change.", "Canal 处理该变更的时间。"),
    MetadataKey("event-timestamp", TimestampLtz(3), "When the database made the change.", "数据库产生变更的时间。"),
)
