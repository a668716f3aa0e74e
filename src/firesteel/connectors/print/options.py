"""Lists the options of `'connector' = 'print'`: a sink that shows its rows to whoever runs the job."""

from __future__ import annotations

from dataclasses import replace

from firesteel.options import table
from firesteel.options.kind import BOOLEAN, STRING
from firesteel.options.option import Option, Side

CONNECTOR = replace(table.CONNECTOR, summary="Here `print`.", summary_zh="此处为 `print`。", aliases=())
PRINT_IDENTIFIER = Option(
    "print-identifier",
    STRING,
    "What stands before each row: `identifier> `, or `identifier:task> ` where several tasks print.",
    "每行之前的标识：`标识> `；有多个任务输出时为 `标识:任务> `。",
    side=Side.SINK,
)
STANDARD_ERROR = Option(
    "standard-error",
    BOOLEAN,
    "Whether the rows go to standard error instead of standard output.",
    "是否输出到标准错误而不是标准输出。",
    default=False,
    side=Side.SINK,
)

ROWS = (CONNECTOR, PRINT_IDENTIFIER, STANDARD_ERROR, table.SINK_PARALLELISM)
