"""The options for records that cannot be read. They are Firesteel's own, for tables that are read."""

from __future__ import annotations

from enum import Enum

from firesteel.options.kind import NON_EMPTY, EnumKind
from firesteel.options.option import Dialect, Option, Side


class ErrorMode(Enum):
    FAIL = "fail"
    IGNORE = "ignore"
    LOG = "log"


ERROR_HANDLING_MODE = Option(
    "error-handling.mode",
    EnumKind(ErrorMode),
    "What a bad record does: `fail` stops the job, `ignore` counts it and goes on, `log` also writes it to a topic.",
    "遇到坏记录时的处理：`fail` 停止作业，`ignore` 计数后继续，`log` 还会写入另一个主题。",
    default=ErrorMode.FAIL,
    side=Side.SOURCE,
    dialect=Dialect.FIRESTEEL,
)
ERROR_HANDLING_LOG_TARGET = Option(
    "error-handling.log.target",
    NON_EMPTY,
    "The topic that gets bad records as they were, with headers that say where they came from and why; it is made when "
    "it is missing.",
    "接收坏记录原文的主题，消息头中注明来源和原因；主题不存在时会自动创建。",
    side=Side.SOURCE,
    dialect=Dialect.FIRESTEEL,
)

ROWS = (ERROR_HANDLING_MODE, ERROR_HANDLING_LOG_TARGET)
