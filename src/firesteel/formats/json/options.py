"""The options of `'format' = 'json'`. The changelog formats in JSON share most of them."""

from __future__ import annotations

from enum import Enum

from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.options.kind import BOOLEAN, STRING, EnumKind
from firesteel.options.option import Alias, Dialect, Option, Side


class TimestampStandard(Enum):
    SQL = "SQL"
    ISO_8601 = "ISO-8601"


class MapNullKeyMode(Enum):
    LITERAL = "LITERAL"
    FAIL = "FAIL"
    DROP = "DROP"


FAIL_ON_MISSING_FIELD = Option(
    "fail-on-missing-field",
    BOOLEAN,
    "Whether a record without one of the columns is a bad record; else the column is NULL.",
    "记录缺少某列时是否视为坏记录；否则该列为 NULL。",
    default=False,
    side=Side.SOURCE,
    aliases=(Alias("format.fail-on-missing-field", Dialect.LEGACY),),
)
TIMESTAMP_FORMAT_STANDARD = Option(
    "timestamp-format.standard",
    # Flink compares this one with its case.
    EnumKind(TimestampStandard, case_sensitive=True),
    "How timestamps are written: `SQL` (`2020-12-30 12:13:14.123`) or `ISO-8601` (`2020-12-30T12:13:14.123`).",
    "时间戳的文本格式：`SQL`（`2020-12-30 12:13:14.123`）或 `ISO-8601`（`2020-12-30T12:13:14.123`）。",
    default=TimestampStandard.SQL,
)
#: Marks tables in the dialect of Flink 1.9 and 1.10, which wrote other times. It is not in `ROWS`, so a script cannot
#: set it.
LEGACY_TIMES = Option(
    "legacy-times",
    BOOLEAN,
    "Whether times and timestamps are written as RFC 3339 has them, with a `Z`.",
    "时间和时间戳是否按 RFC 3339 书写，以 `Z` 结尾。",
    default=False,
    dialect=Dialect.LEGACY,
)
MAP_NULL_KEY_MODE = Option(
    "map-null-key.mode",
    EnumKind(MapNullKeyMode),
    "What a NULL key of a map does when it is written: `FAIL`, `DROP` the entry, or write the `LITERAL`.",
    "写出 MAP 的空键时的处理：`FAIL` 报错、`DROP` 丢弃该项、`LITERAL` 写为指定文本。",
    default=MapNullKeyMode.FAIL,
    side=Side.SINK,
)
MAP_NULL_KEY_LITERAL = Option(
    "map-null-key.literal",
    STRING,
    "The text written for a NULL key of a map with `map-null-key.mode` = `LITERAL`.",
    "`map-null-key.mode` 为 `LITERAL` 时代替空键的文本。",
    default="null",
    side=Side.SINK,
)
ENCODE_DECIMAL_AS_PLAIN_NUMBER = Option(
    "encode.decimal-as-plain-number",
    BOOLEAN,
    "Whether DECIMAL is written as `0.000000027` instead of `2.7E-8`.",
    "DECIMAL 是否写为普通数字（`0.000000027`）而不是科学计数法（`2.7E-8`）。",
    default=False,
    side=Side.SINK,
)
ENCODE_IGNORE_NULL_FIELDS = Option(
    "encode.ignore-null-fields",
    BOOLEAN,
    "Whether columns that are NULL are left out when a row is written.",
    "写出时是否省略值为 NULL 的列。",
    default=False,
    side=Side.SINK,
)
DECODE_JSON_PARSER_ENABLED = Option(
    "decode.json-parser.enabled",
    BOOLEAN,
    "Which of Flink's two JSON readers is followed; `false`: a message is read into a tree first, and a number in a STRING column "
    "is printed anew.",
    "遵循 Flink 的哪一种 JSON 解析器；`false` 表示先读成树，STRING 列中的数字会重新输出。",
    default=True,
    side=Side.SOURCE,
)

#: The options of every format whose rows are JSON objects.
SHARED = (
    IGNORE_PARSE_ERRORS,
    TIMESTAMP_FORMAT_STANDARD,
    MAP_NULL_KEY_MODE,
    MAP_NULL_KEY_LITERAL,
    ENCODE_DECIMAL_AS_PLAIN_NUMBER,
    ENCODE_IGNORE_NULL_FIELDS,
)

ROWS = (FAIL_ON_MISSING_FIELD, *SHARED, DECODE_JSON_PARSER_ENABLED)
