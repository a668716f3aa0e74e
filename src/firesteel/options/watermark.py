"""The options of Flink for the watermark of any table that is read."""

from __future__ import annotations

from enum import Enum

from firesteel.options.kind import DURATION, NON_EMPTY, POSITIVE, EnumKind
from firesteel.options.option import Option, Side


class EmitStrategy(Enum):
    ON_PERIODIC = "on-periodic"
    ON_EVENT = "on-event"


SCAN_WATERMARK_IDLE_TIMEOUT = Option(
    "scan.watermark.idle-timeout",
    DURATION,
    "After how long without records a partition of this table no longer holds back the watermark; goes before "
    "`table.exec.source.idle-timeout`.",
    "该表的分区多久没有数据后不再阻碍水位线；优先于 `table.exec.source.idle-timeout`。",
    side=Side.SOURCE,
)
SCAN_WATERMARK_EMIT_STRATEGY = Option(
    "scan.watermark.emit.strategy",
    EnumKind(EmitStrategy),
    "When Flink sends watermarks: `on-periodic` or `on-event`; read and without effect.",
    "Flink 发送水位线的时机：`on-periodic` 或 `on-event`；仅接受而不起作用。",
    side=Side.SOURCE,
    without_effect="a watermark moves with each batch",
)
SCAN_WATERMARK_EMIT_ON_EVENT_GAP = Option(
    "scan.watermark.emit.on-event.gap",
    POSITIVE,
    "How many records lie between two watermarks in Flink; read and without effect.",
    "Flink 中两个水位线之间的记录数；仅接受而不起作用。",
    side=Side.SOURCE,
    without_effect="a watermark moves with each batch",
)
SCAN_WATERMARK_ALIGNMENT_GROUP = Option(
    "scan.watermark.alignment.group",
    NON_EMPTY,
    "The sources that Flink keeps from running ahead of each other; read and without effect.",
    "Flink 中相互对齐的源表组；仅接受而不起作用。",
    side=Side.SOURCE,
    without_effect="no source is held back for another one, whose rows wait in the state instead",
)
SCAN_WATERMARK_ALIGNMENT_MAX_DRIFT = Option(
    "scan.watermark.alignment.max-drift",
    DURATION,
    "How far a source may run ahead of its group in Flink; read and without effect.",
    "Flink 中源表可领先本组的最大时间；仅接受而不起作用。",
    side=Side.SOURCE,
    without_effect="no source is held back for another one, whose rows wait in the state instead",
)
SCAN_WATERMARK_ALIGNMENT_UPDATE_INTERVAL = Option(
    "scan.watermark.alignment.update-interval",
    DURATION,
    "How often Flink compares the sources of a group; read and without effect.",
    "Flink 对齐源表的检查间隔；仅接受而不起作用。",
    side=Side.SOURCE,
    without_effect="no source is held back for another one, whose rows wait in the state instead",
)

WATERMARK_ROWS = (
    SCAN_WATERMARK_IDLE_TIMEOUT,
    SCAN_WATERMARK_EMIT_STRATEGY,
    SCAN_WATERMARK_EMIT_ON_EVENT_GAP,
    SCAN_WATERMARK_ALIGNMENT_GROUP,
    SCAN_WATERMARK_ALIGNMENT_MAX_DRIFT,
    SCAN_WATERMARK_ALIGNMENT_UPDATE_INTERVAL,
)
