"""The option of every format of text that says what happens to what cannot be read."""

from __future__ import annotations

from firesteel.options.kind import BOOLEAN
from firesteel.options.option import Alias, Dialect, Option, Side

IGNORE_PARSE_ERRORS = Option(
    "ignore-parse-errors",
    BOOLEAN,
    "Whether a value that cannot be read becomes NULL and a record that cannot be read is skipped.",
    "无法解析的字段是否置为 NULL、无法解析的记录是否跳过。",
    default=False,
    side=Side.SOURCE,
    aliases=(Alias("format.ignore-parse-errors", Dialect.LEGACY),),
)
