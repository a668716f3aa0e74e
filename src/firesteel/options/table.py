"""The options that every table has, or every table that is read, or every one that is written."""

from __future__ import annotations

from firesteel.options.kind import POSITIVE, STRING
from firesteel.options.option import Alias, Dialect, Option, Side

CONNECTOR = Option(
    "connector",
    STRING,
    "Which connector the table uses: `kafka` or `upsert-kafka`.",
    "表使用的连接器：`kafka` 或 `upsert-kafka`。",
    required=True,
    aliases=(Alias("connector.type", Dialect.DLI),),
)
SCAN_PARALLELISM = Option(
    "scan.parallelism",
    POSITIVE,
    "The number of reading tasks.",
    "读取任务的并行度。",
    side=Side.SOURCE,
)
SINK_PARALLELISM = Option(
    "sink.parallelism",
    POSITIVE,
    "The number of writing tasks.",
    "写入任务的并行度。",
    side=Side.SINK,
)
