"""The options of tables whose rows are messages: the formats of key and value, and which columns each holds."""

from __future__ import annotations

from enum import Enum

from firesteel.options.kind import FORMAT as FORMAT_NAME
from firesteel.options.kind import LIST, STRING, EnumKind
from firesteel.options.option import Alias, Dialect, Option


class ValueFields(Enum):
    ALL = "ALL"
    EXCEPT_KEY = "EXCEPT_KEY"


FORMAT = Option(
    "format",
    FORMAT_NAME,
    "The format of the message value; the same as `value.format`.",
    "消息体（value）的格式，与 `value.format` 等价。",
    aliases=(Alias("format.type", Dialect.DLI),),
)
VALUE_FORMAT = Option(
    "value.format",
    FORMAT_NAME,
    "The format of the message value; its own options then start with `value.` and the format's name.",
    "消息体（value）的格式；其格式选项以 `value.` 加格式名为前缀。",
)
KEY_FORMAT = Option(
    "key.format",
    FORMAT_NAME,
    "The format of the message key; its own options start with `key.` and the format's name.",
    "消息键（key）的格式；其格式选项以 `key.` 加格式名为前缀。",
)
KEY_FIELDS = Option(
    "key.fields",
    LIST,
    "The physical columns that make up the message key, separated by `;`, in the order they have there.",
    "构成消息键的物理列，以 `;` 分隔，并保持书写顺序。",
)
KEY_FIELDS_PREFIX = Option(
    "key.fields-prefix",
    STRING,
    "A prefix that the key's columns carry in the table and not in the message; needs "
    "`value.fields-include` = `EXCEPT_KEY`.",
    "键列在表中带有而消息中没有的前缀；需要 `value.fields-include` = `EXCEPT_KEY`。",
    default="",
)
VALUE_FIELDS_PREFIX = Option(
    "value.fields-prefix",
    STRING,
    "A prefix that the value's columns carry in the table and not in the message. Alibaba's option.",
    "消息体（value）的列在表中带有而消息中没有的前缀。阿里云的选项。",
    default="",
    dialect=Dialect.ALIBABA,
)
VALUE_FIELDS_INCLUDE = Option(
    "value.fields-include",
    EnumKind(ValueFields),
    "Whether the message value holds the key's columns too (`ALL`) or not (`EXCEPT_KEY`).",
    "消息体是否包含键列：`ALL` 包含，`EXCEPT_KEY` 不包含。",
    default=ValueFields.ALL,
)
