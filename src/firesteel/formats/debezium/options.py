"""The options of `'format' = 'debezium-json'`."""

from __future__ import annotations

from enum import Enum

from firesteel.formats.json import options as json
from firesteel.options.kind import BOOLEAN, EnumKind
from firesteel.options.metadata import MetadataKey
from firesteel.options.option import Dialect, Option, Side
from firesteel.types import STRING, Map, TimestampLtz


class TimePrecision(Enum):
    """The values of Debezium's `time.precision.mode` for which the column's type tells the unit of a number."""

    ADAPTIVE = "adaptive"
    ADAPTIVE_TIME_MICROSECONDS = "adaptive_time_microseconds"
    CONNECT = "connect"


class DecimalHandling(Enum):
    """The values of Debezium's `decimal.handling.mode`. Flink can read all but the first."""

    PRECISE = "precise"
    DOUBLE = "double"
    STRING = "string"


SCHEMA_INCLUDE = Option(
    "schema-include",
    BOOLEAN,
    "Whether messages carry their schema, with the change inside `payload`; not for a sink.",
    "消息是否携带 schema（变更位于 `payload` 中）；不能用于结果表。",
    default=False,
)

DECODE_TIME_PRECISION_MODE = Option(
    "decode.time-precision-mode",
    EnumKind(TimePrecision),
    "The `time.precision.mode` of the Debezium connector: numbers are then read as dates and times; else they are bad values.",
    "Debezium 连接器的 `time.precision.mode`：设置后数字按日期和时间读取；否则视为坏值。",
    side=Side.SOURCE,
    dialect=Dialect.FIRESTEEL,
)
DECODE_DECIMAL_HANDLING_MODE = Option(
    "decode.decimal-handling-mode",
    EnumKind(DecimalHandling),
    "The `decimal.handling.mode` of the Debezium connector: with `precise`, Base64 bytes are read as DECIMAL of the column's scale.",
    "Debezium 连接器的 `decimal.handling.mode`：为 `precise` 时，Base64 字节按该列的小数位数读取为 DECIMAL。",
    side=Side.SOURCE,
    dialect=Dialect.FIRESTEEL,
)

ROWS = (SCHEMA_INCLUDE, *json.SHARED, DECODE_TIME_PRECISION_MODE, DECODE_DECIMAL_HANDLING_MODE)

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
