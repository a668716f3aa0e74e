"""The options of `'connector' = 'datagen'`: rows that are made up, at random or in sequence.

`fields.#.…` stands for the options of one column: `#` is its name, and inside it `element` of an array or multiset, `key` and
`value` of a map, and the field of a row. What they mean for the column's type is told by `generator.py`.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from firesteel.options import table
from firesteel.options.kind import BOOLEAN, DURATION, LONG_MAX, STRING, EnumKind, NumberKind
from firesteel.options.option import Option, Side


class FieldKind(Enum):
    RANDOM = "random"
    SEQUENCE = "sequence"


CONNECTOR = replace(table.CONNECTOR, summary="Here `datagen`.", summary_zh="此处为 `datagen`。", aliases=())
ROWS_PER_SECOND = Option(
    "rows-per-second",
    NumberKind("Long", 1, LONG_MAX),
    "How many rows are made in a second.",
    "每秒生成的行数。",
    default=10_000,
    side=Side.SOURCE,
)
NUMBER_OF_ROWS = Option(
    "number-of-rows",
    NumberKind("Long", 0, LONG_MAX),
    "How many rows are made in all; the table ends then. Without it, and without a sequence, it has no end.",
    "总共生成的行数，之后表结束；未设置且没有序列时永不结束。",
    side=Side.SOURCE,
)
FIELD_KIND = Option(
    "fields.#.kind",
    EnumKind(FieldKind, case_sensitive=True),
    "How the column `#` is filled. The table ends when the first sequence does.",
    "列 `#` 的生成方式；第一个序列结束时表结束。",
    default=FieldKind.RANDOM,
    side=Side.SOURCE,
)
FIELD_START = Option(
    "fields.#.start",
    STRING,
    "The first value of a sequence.",
    "序列的起始值。",
    side=Side.SOURCE,
)
FIELD_END = Option(
    "fields.#.end",
    STRING,
    "The last value of a sequence.",
    "序列的结束值。",
    side=Side.SOURCE,
)
FIELD_MIN = Option(
    "fields.#.min",
    STRING,
    "The least random number; else the least of the type, and of FLOAT, DOUBLE and DECIMAL the least above 0.",
    "随机数的最小值；默认为类型的最小值，FLOAT、DOUBLE 和 DECIMAL 为大于 0 的最小值。",
    side=Side.SOURCE,
)
FIELD_MAX = Option(
    "fields.#.max",
    STRING,
    "The greatest random number; else the greatest of the type.",
    "随机数的最大值；默认为类型的最大值。",
    side=Side.SOURCE,
)
FIELD_MAX_PAST = Option(
    "fields.#.max-past",
    DURATION,
    "How far a TIMESTAMP or TIMESTAMP_LTZ may lie in the past; else it is the present.",
    "TIMESTAMP 和 TIMESTAMP_LTZ 最多早于当前时间多久；默认为当前时间。",
    side=Side.SOURCE,
)
FIELD_LENGTH = Option(
    "fields.#.length",
    NumberKind("Integer", 1, 2**31 - 1),
    "The length of text and bytes, 100 for STRING and BYTES, else that of the type; how many elements a collection has, else 3.",
    "文本和字节的长度，STRING 和 BYTES 默认为 100，其他为类型的长度；集合的元素个数，默认为 3。",
    side=Side.SOURCE,
)
FIELD_VAR_LEN = Option(
    "fields.#.var-len",
    BOOLEAN,
    "Whether VARCHAR and VARBINARY values are of random length, below that of `length`.",
    "VARCHAR 和 VARBINARY 是否生成小于 `length` 的随机长度。",
    default=False,
    side=Side.SOURCE,
)
FIELD_NULL_RATE = Option(
    "fields.#.null-rate",
    STRING,
    "The share of NULL among the values, from 0 to 1.",
    "空值所占的比例，0 到 1。",
    side=Side.SOURCE,
)

FIELD_ROWS = (
    FIELD_KIND,
    FIELD_START,
    FIELD_END,
    FIELD_MIN,
    FIELD_MAX,
    FIELD_MAX_PAST,
    FIELD_LENGTH,
    FIELD_VAR_LEN,
    FIELD_NULL_RATE,
)
ROWS = (CONNECTOR, ROWS_PER_SECOND, NUMBER_OF_ROWS, *FIELD_ROWS)
