"""The rows of Flink's settings that Firesteel understands, such as `table.exec.state.ttl`, with their older names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from firesteel.options.kind import BOOLEAN, DURATION, LONG, NON_EMPTY, POSITIVE, EnumKind, MemorySizeKind
from firesteel.options.option import Option


class SqlDialect(Enum):
    DEFAULT = "default"


class RuntimeMode(Enum):
    STREAMING = "STREAMING"
    BATCH = "BATCH"
    AUTOMATIC = "AUTOMATIC"


class StateBackend(Enum):
    HASHMAP = "hashmap"
    ROCKSDB = "rocksdb"


@dataclass(frozen=True)
class StateBackendKind(EnumKind[StateBackend]):
    """A state backend, under its older names, the names of vendors, or the class name of a factory."""

    def parse(self, text: str) -> StateBackend:
        if _CLASS.fullmatch(text):
            return StateBackend.ROCKSDB if "rocksdb" in text.lower() else StateBackend.HASHMAP
        return super().parse(text)


_CLASS = re.compile(r"[\w$]+(?:\.[\w$]+){2,}")
_OTHER_BACKENDS = (
    ("jobmanager", "hashmap"),
    ("filesystem", "hashmap"),
    ("forst", "rocksdb"),
    ("gemini", "rocksdb"),
)


class CheckpointingMode(Enum):
    EXACTLY_ONCE = "EXACTLY_ONCE"
    AT_LEAST_ONCE = "AT_LEAST_ONCE"


class NotNullEnforcer(Enum):
    ERROR = "ERROR"
    DROP = "DROP"


class LengthEnforcer(Enum):
    IGNORE = "IGNORE"
    TRIM_PAD = "TRIM_PAD"
    ERROR = "ERROR"


class UpsertMaterialize(Enum):
    AUTO = "AUTO"
    NONE = "NONE"
    FORCE = "FORCE"


#: Flink's word for the machine's own zone. Firesteel uses UTC instead: results must not depend on the machine.
DEFAULT_ZONE = "default"


@dataclass(frozen=True)
class ParallelismKind:
    """A number of tasks. Flink's -1, like 0, means that none is set."""

    name: str = "Integer"

    def parse(self, text: str) -> int:
        return 0 if text == "-1" else POSITIVE.parse(text)


PARALLELISM = ParallelismKind()


@dataclass(frozen=True)
class TimeZoneKind:
    """A region such as `Asia/Shanghai`, `UTC`, or an offset such as `GMT+08:00`."""

    name: str = "Time zone"

    def parse(self, text: str) -> str:
        if text == DEFAULT_ZONE:
            return "UTC"
        if re.fullmatch(r"(?:GMT|UTC)?[+-](?:0?\d|1[0-4])(?::[0-5]\d)?", text):
            return text
        try:
            ZoneInfo(text)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("expects a time zone such as 'UTC', 'Asia/Shanghai' or 'GMT+08:00'") from None
        return text


PIPELINE_NAME = Option(
    "pipeline.name",
    NON_EMPTY,
    "The job's name, and the default of `sink.transactional-id-prefix`.",
    "作业名称，也是 `sink.transactional-id-prefix` 的默认值。",
)
CHECKPOINTING_INTERVAL = Option(
    "execution.checkpointing.interval",
    DURATION,
    "How often results come out and progress is kept.",
    "输出结果并保存进度的间隔。",
)
MINI_BATCH_ENABLED = Option(
    "table.exec.mini-batch.enabled",
    BOOLEAN,
    "Whether rows are gathered before they are worked on; a micro-batch always does.",
    "是否攒批处理；微批次总是如此。",
    default=False,
)
MINI_BATCH_ALLOW_LATENCY = Option(
    "table.exec.mini-batch.allow-latency",
    DURATION,
    "How long rows may be gathered: how often results come out, where no checkpointing interval is set.",
    "允许的攒批时长；未设置检查点间隔时即为输出结果的间隔。",
)
MINI_BATCH_SIZE = Option(
    "table.exec.mini-batch.size",
    LONG,
    "How many rows Flink gathers at most; read and without effect here, see `scan.max-rows-per-batch`.",
    "Flink 攒批的最大行数；此处仅接受而不起作用，参见 `scan.max-rows-per-batch`。",
)
CHECKPOINTING_DIR = Option(
    "execution.checkpointing.dir",
    NON_EMPTY,
    "The folder that keeps state and progress.",
    "保存状态和进度的目录。",
)
CHECKPOINTING_MODE = Option(
    "execution.checkpointing.mode",
    EnumKind(CheckpointingMode),
    "Flink's guarantee for its state; read and without effect, since state is always kept exactly once.",
    "Flink 的状态一致性级别；此处仅接受而不起作用，因为状态总是精确一次。",
    default=CheckpointingMode.EXACTLY_ONCE,
)
STATE_BACKEND_TYPE = Option(
    "state.backend.type",
    StateBackendKind(StateBackend, also=_OTHER_BACKENDS),
    "Where state is kept while the job runs: in memory (`hashmap`) or in RocksDB on disk.",
    "运行时状态的存放位置：内存（`hashmap`）或磁盘上的 RocksDB。",
    default=StateBackend.HASHMAP,
)
MANAGED_MEMORY_SIZE = Option(
    "taskmanager.memory.managed.size",
    MemorySizeKind(minimum=64 << 20),
    "How much memory state may take in each of Spark's processes beside the JVM's heap: a quarter of it RocksDB's blocks and changes,"
    " the rest what all tasks together hold of it while they work. `512 mb` when it is not set.",
    "状态在每个 Spark 进程中除 JVM 堆之外可使用的内存：四分之一用于 RocksDB，其余由各任务处理状态时共用。未设置时为 `512 mb`。",
)
PARALLELISM_DEFAULT = Option(
    "parallelism.default",
    PARALLELISM,
    "The number of tasks of an operator that says nothing else.",
    "算子的默认并行度。",
)
RESOURCE_PARALLELISM = Option(
    "table.exec.resource.default-parallelism",
    PARALLELISM,
    "The same as `parallelism.default`, and it goes before that one; `-1` leaves it to that one.",
    "与 `parallelism.default` 相同且优先；`-1` 表示由后者决定。",
)
LOCAL_TIME_ZONE = Option(
    "table.local-time-zone",
    TimeZoneKind(),
    "The time zone in which TIMESTAMP_LTZ is shown and cast; `UTC` when it is not set.",
    "显示和转换 TIMESTAMP_LTZ 时使用的时区；未设置时为 `UTC`。",
    default="UTC",
)
STATE_TTL = Option(
    "table.exec.state.ttl",
    DURATION,
    "How long state is kept for a key that gets no rows; `0` keeps it for ever.",
    "键没有新数据时状态保留的时长；`0` 表示永久保留。",
)
SOURCE_IDLE_TIMEOUT = Option(
    "table.exec.source.idle-timeout",
    DURATION,
    "After how long without records a partition no longer holds back the watermark.",
    "分区多久没有数据后不再阻碍水位线。",
)
RUNTIME_MODE = Option(
    "execution.runtime-mode",
    EnumKind(RuntimeMode),
    "Whether the job runs as a stream; only `STREAMING` is supported, bounded sources included.",
    "作业的运行模式；仅支持 `STREAMING`（包括有界源）。",
    default=RuntimeMode.STREAMING,
)
NOT_NULL_ENFORCER = Option(
    "table.exec.sink.not-null-enforcer",
    EnumKind(NotNullEnforcer),
    "What NULL in a NOT NULL column of a sink does: `ERROR` stops the job, `DROP` leaves the row out.",
    "向结果表的 NOT NULL 列写入 NULL 时：`ERROR` 停止作业，`DROP` 丢弃该行。",
    default=NotNullEnforcer.ERROR,
)
TYPE_LENGTH_ENFORCER = Option(
    "table.exec.sink.type-length-enforcer",
    EnumKind(LengthEnforcer),
    "What text and bytes that do not fit the length of the sink's column do: `TRIM_PAD` cuts or pads them, `ERROR` stops "
    "the job.",
    "写入的文本或字节与结果表列长度不符时：`TRIM_PAD` 截断或补齐，`ERROR` 停止作业。",
    default=LengthEnforcer.IGNORE,
)
UPSERT_MATERIALIZE = Option(
    "table.exec.sink.upsert-materialize",
    EnumKind(UpsertMaterialize),
    "Whether all rows of a sink's primary key are kept, so that one comes back when the last one goes: `AUTO` where rows of the"
    " query can share it, `FORCE` always, `NONE` never.",
    "是否保留结果表同一主键的所有行，以便最后一行被删除时恢复前一行：`AUTO` 在查询的多行可能共用主键时保留，`FORCE` 总是保留，`NONE` 从不保留。",
    default=UpsertMaterialize.AUTO,
)
REQUIRE_ON_CONFLICT = Option(
    "table.exec.sink.require-on-conflict",
    BOOLEAN,
    "Whether a query whose rows can share the sink's primary key needs an ON CONFLICT clause; `true` in Flink 2.3.",
    "查询的多行可能共用结果表主键时是否必须写 ON CONFLICT 子句；在 Flink 2.3 中为 `true`。",
    default=False,
)
CDC_EVENTS_DUPLICATE = Option(
    "table.exec.source.cdc-events-duplicate",
    BOOLEAN,
    "Whether a changelog topic may hold a change twice, so that the second one is left out; needs a primary key on such tables.",
    "变更日志中是否可能有重复事件，重复的事件会被忽略；启用时相应的表需要主键。",
    default=False,
)
SQL_DIALECT = Option(
    "table.sql-dialect",
    EnumKind(SqlDialect),
    "The dialect of the script; only `default`.",
    "脚本方言；仅支持 `default`。",
)

ROWS: tuple[Option[Any], ...] = (
    PIPELINE_NAME,
    CHECKPOINTING_INTERVAL,
    MINI_BATCH_ENABLED,
    MINI_BATCH_ALLOW_LATENCY,
    MINI_BATCH_SIZE,
    CHECKPOINTING_DIR,
    CHECKPOINTING_MODE,
    STATE_BACKEND_TYPE,
    MANAGED_MEMORY_SIZE,
    PARALLELISM_DEFAULT,
    RESOURCE_PARALLELISM,
    LOCAL_TIME_ZONE,
    STATE_TTL,
    SOURCE_IDLE_TIMEOUT,
    RUNTIME_MODE,
    NOT_NULL_ENFORCER,
    TYPE_LENGTH_ENFORCER,
    UPSERT_MATERIALIZE,
    REQUIRE_ON_CONFLICT,
    CDC_EVENTS_DUPLICATE,
    SQL_DIALECT,
)

#: Older names of the same settings, and the names that vendors use.
RENAMED = {
    "state.backend": "state.backend.type",
    "state.checkpoints.dir": "execution.checkpointing.dir",
    # Confluent's names.
    "sql.local-time-zone": "table.local-time-zone",
    "sql.state-ttl": "table.exec.state.ttl",
    "sql.tables.scan.idle-timeout": "table.exec.source.idle-timeout",
}


def setting(key: str) -> Option[Any] | None:
    key = RENAMED.get(key, key)
    return next((row for row in ROWS if row.key == key), None)


def canonical_setting(key: str) -> str:
    return RENAMED.get(key, key)
