"""The options of `'format' = 'avro'`. The schema is derived from the table."""

from __future__ import annotations

from enum import Enum

from firesteel.options.kind import BOOLEAN, EnumKind
from firesteel.options.option import Option


class Encoding(Enum):
    BINARY = "binary"
    JSON = "json"


ENCODING = Option(
    "encoding",
    EnumKind(Encoding),
    "Whether messages are Avro's binary or its JSON encoding.",
    "消息使用 Avro 的二进制编码还是 JSON 编码。",
    default=Encoding.BINARY,
)
TIMESTAMP_MAPPING_LEGACY = Option(
    "timestamp_mapping.legacy",
    BOOLEAN,
    "Whether TIMESTAMP is Avro's `timestamp-millis` as before Flink 1.19; `false` allows TIMESTAMP_LTZ and "
    "microseconds.",
    "TIMESTAMP 是否沿用 Flink 1.19 之前的 `timestamp-millis`；`false` 时支持 TIMESTAMP_LTZ 和微秒。",
    default=True,
)

ROWS = (ENCODING, TIMESTAMP_MAPPING_LEGACY)
