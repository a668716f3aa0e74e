"""The options that only the old dialects have: Flink 1.10's and Huawei DLI's tables with `connector.type`.

Options that were only renamed are aliases in the rows of today's names; those here have no counterpart.
"""

from __future__ import annotations

from enum import Enum

from firesteel.options.kind import BOOLEAN, NON_EMPTY, STRING, EnumKind
from firesteel.options.option import Dialect, Option, Side


class UpdateMode(Enum):
    """The changes a sink accepts. DLI writes them as `update-mode`; elsewhere the connector and the format imply them."""

    APPEND = "append"
    UPSERT = "upsert"
    RETRACT = "retract"


class Version(Enum):
    V0_10 = "0.10"
    V0_11 = "0.11"
    UNIVERSAL = "universal"


CONNECTOR_VERSION = Option(
    "connector.version",
    EnumKind(Version),
    "The Kafka version the table was written for; read and without effect. `upsert-kafka` knows `0.11` only.",
    "表所针对的 Kafka 版本；仅接受而不起作用。`upsert-kafka` 只接受 `0.11`。",
    dialect=Dialect.DLI,
)
CONNECTOR_PROPERTY_VERSION = Option(
    "connector.property-version",
    STRING,
    "The version of the option names; read and without effect.",
    "选项名称的版本；仅接受而不起作用。",
    dialect=Dialect.LEGACY,
)
FORMAT_PROPERTY_VERSION = Option(
    "format.property-version",
    STRING,
    "The version of the format's option names; read and without effect.",
    "格式选项名称的版本；仅接受而不起作用。",
    dialect=Dialect.LEGACY,
)
FORMAT_DERIVE_SCHEMA = Option(
    "format.derive-schema",
    BOOLEAN,
    "Whether the message's schema comes from the table, which it always does here.",
    "消息结构是否由表结构推导；此处始终如此。",
    default=True,
    dialect=Dialect.LEGACY,
)
FORMAT_AVRO_SCHEMA = Option(
    "format.avro-schema",
    STRING,
    "The messages' Avro schema; it has to have the table's columns in their order, and says which can be NULL.",
    "消息的 Avro 结构；字段须与表的列及其顺序一致，并决定哪些字段可为 NULL。",
    dialect=Dialect.LEGACY,
)
UPDATE_MODE = Option(
    "update-mode",
    EnumKind(UpdateMode),
    "`append`: only inserts are taken; `upsert`: the table behaves as `upsert-kafka`; `retract`: the old row is "
    "written as a null value for its key, then the new one.",
    "`append` 只接受插入；`upsert` 等同于 `upsert-kafka`；`retract` 先为该键写入空值，再写入新行。",
    side=Side.SINK,
    dialect=Dialect.DLI,
)
SINK_PARTITIONER_CLASS = Option(
    "connector.sink-partitioner-class",
    NON_EMPTY,
    "The Python class of a `custom` partitioner.",
    "`custom` 分区器使用的 Python 类。",
    side=Side.SINK,
    dialect=Dialect.DLI,
)
SINK_IGNORE_RETRACTION = Option(
    "connector.sink.ignore-retraction",
    BOOLEAN,
    "Whether a retraction is dropped (`true`) or written as a null value (`false`); only with `upsert-kafka`.",
    "是否丢弃回撤消息：`true` 丢弃，`false` 写为空值；仅用于 `upsert-kafka`。",
    default=False,
    side=Side.SINK,
    dialect=Dialect.DLI,
)

ROWS = (
    CONNECTOR_VERSION,
    CONNECTOR_PROPERTY_VERSION,
    FORMAT_PROPERTY_VERSION,
    FORMAT_DERIVE_SCHEMA,
    FORMAT_AVRO_SCHEMA,
    UPDATE_MODE,
    SINK_PARTITIONER_CLASS,
    SINK_IGNORE_RETRACTION,
)
