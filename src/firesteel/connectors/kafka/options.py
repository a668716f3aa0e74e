"""The options of `'connector' = 'kafka'`; `upsert_kafka.py` takes most of its rows from here."""

from __future__ import annotations

from enum import Enum

from firesteel.connectors.kafka import partitioner
from firesteel.connectors.kafka.header_filter import HEADER_FILTER
from firesteel.connectors.kafka.partitioner import PARTITIONER
from firesteel.connectors.spec import DeliveryGuarantee
from firesteel.options import message, table, watermark
from firesteel.options.kind import (
    BOOLEAN,
    DURATION,
    LIST,
    LONG,
    NON_EMPTY,
    PATTERN,
    SPECIFIC_OFFSETS,
    EnumKind,
    NumberKind,
)
from firesteel.options.metadata import MetadataKey, Write
from firesteel.options.option import Alias, Dialect, Option, Side
from firesteel.types import BYTES, Array, BigInt, Field, Int, Map, Row, TimestampLtz
from firesteel.types import STRING as TEXT


class StartupMode(Enum):
    EARLIEST = "earliest-offset"
    LATEST = "latest-offset"
    GROUP_OFFSETS = "group-offsets"
    TIMESTAMP = "timestamp"
    SPECIFIC_OFFSETS = "specific-offsets"


class BoundedMode(Enum):
    UNBOUNDED = "unbounded"
    LATEST = "latest-offset"
    GROUP_OFFSETS = "group-offsets"
    TIMESTAMP = "timestamp"
    SPECIFIC_OFFSETS = "specific-offsets"


class TransactionNaming(Enum):
    INCREMENTING = "INCREMENTING"
    POOLING = "POOLING"


def _old(key: str, dialect: Dialect = Dialect.DLI) -> tuple[Alias, ...]:
    return (Alias(key, dialect),)


TOPIC = Option(
    "topic",
    LIST,
    "The topic to read or write; a source takes a list separated by `;`, a sink takes a list only with a written "
    "`topic` metadata column.",
    "要读取或写入的主题；源表可用 `;` 分隔多个主题，结果表仅在写入 `topic` 元数据列时才可使用列表。",
    aliases=_old("connector.topic"),
)
TOPIC_PATTERN = Option(
    "topic-pattern",
    PATTERN,
    "A regular expression that the whole name of a topic must match, instead of `topic`.",
    "用于完整匹配主题名的正则表达式，不能与 `topic` 同时使用。",
    aliases=_old("connector.topic-pattern"),
)
BOOTSTRAP_SERVERS = Option(
    "properties.bootstrap.servers",
    NON_EMPTY,
    "The brokers to connect to first, as `host:port`, separated by commas.",
    "首先连接的 Kafka 节点列表，格式为 `host:port`，以逗号分隔。",
    required=True,
    aliases=_old("connector.properties.bootstrap.servers"),
)
GROUP_ID = Option(
    "properties.group.id",
    NON_EMPTY,
    "The consumer group whose committed offsets are used, and to which offsets are committed as batches complete.",
    "消费者组：`group-offsets` 从其已提交的位点开始，批次完成后位点也提交到该组。",
    side=Side.SOURCE,
    aliases=_old("connector.properties.group.id"),
)
SCAN_STARTUP_MODE = Option(
    "scan.startup.mode",
    EnumKind(StartupMode),
    "Where reading starts when there is no checkpoint.",
    "没有检查点时从何处开始读取。",
    default=StartupMode.GROUP_OFFSETS,
    side=Side.SOURCE,
    aliases=_old("connector.startup-mode"),
)
SCAN_STARTUP_SPECIFIC_OFFSETS = Option(
    "scan.startup.specific-offsets",
    SPECIFIC_OFFSETS,
    "The offset each partition starts at, as `partition:0,offset:42;partition:1,offset:300`.",
    "各分区的起始位点，格式为 `partition:0,offset:42;partition:1,offset:300`。",
    side=Side.SOURCE,
    aliases=_old("connector.specific-offsets"),
)
SCAN_STARTUP_TIMESTAMP_MILLIS = Option(
    "scan.startup.timestamp-millis",
    LONG,
    "The time to start at, in epoch milliseconds: the first record that is not older.",
    "起始时间（毫秒时间戳）：从不早于该时间的第一条记录开始。",
    side=Side.SOURCE,
    aliases=_old("connector.startup-timestamp-millis"),
)
SCAN_BOUNDED_MODE = Option(
    "scan.bounded.mode",
    EnumKind(BoundedMode),
    "Where reading ends; the job ends by itself when every source is read to its bound.",
    "读取到何处结束；所有源表都到达边界后作业自行结束。",
    default=BoundedMode.UNBOUNDED,
    side=Side.SOURCE,
)
SCAN_BOUNDED_SPECIFIC_OFFSETS = Option(
    "scan.bounded.specific-offsets",
    SPECIFIC_OFFSETS,
    "The offset each partition is read up to, not included, as `partition:0,offset:42;partition:1,offset:300`.",
    "各分区读取到的位点（不含），格式为 `partition:0,offset:42;partition:1,offset:300`。",
    side=Side.SOURCE,
)
SCAN_BOUNDED_TIMESTAMP_MILLIS = Option(
    "scan.bounded.timestamp-millis",
    LONG,
    "The time to end at, in epoch milliseconds.",
    "结束时间（毫秒时间戳）。",
    side=Side.SOURCE,
)
SCAN_DISCOVERY_INTERVAL = Option(
    "scan.topic-partition-discovery.interval",
    DURATION,
    "How often new topics and partitions are looked for; `0` turns it off.",
    "发现新主题和新分区的间隔；`0` 表示关闭。",
    default=DURATION.parse("5 min"),
    side=Side.SOURCE,
)
SCAN_HEADER_FILTER = Option(
    "scan.header-filter",
    HEADER_FILTER,
    "Which messages are read, by their headers: `key:value` conditions, `!` before one that must not hold, joined by `&` and "
    "`|` from left to right. Alibaba's option.",
    "按消息头过滤消息：`key:value` 条件，`!` 表示取反，以 `&` 和 `|` 从左到右连接。阿里云的选项。",
    side=Side.SOURCE,
    dialect=Dialect.ALIBABA,
)
SCAN_CHECK_DUPLICATED_GROUP_ID = Option(
    "scan.check.duplicated.group.id",
    BOOLEAN,
    "Whether Alibaba's runtime looks for other users of the consumer group first; read and without effect.",
    "阿里云运行时启动前是否检查消费者组重复；仅接受而不起作用。",
    side=Side.SOURCE,
    dialect=Dialect.ALIBABA,
    without_effect="the group is only told where the job stands, so another user of it takes no rows away",
)
SCAN_MAX_ROWS_PER_BATCH = Option(
    "scan.max-rows-per-batch",
    NumberKind("Long", 1, 2**63 - 1),
    "The most rows one micro-batch takes from this table; a smaller number gives results sooner after a backlog.",
    "每个微批次从该表最多读取的行数；数值越小，积压后越早看到结果。",
    default=2_000_000,
    side=Side.SOURCE,
    dialect=Dialect.FIRESTEEL,
)
SINK_PARTITIONER = Option(
    "sink.partitioner",
    PARTITIONER,
    "Which partition a message goes to: `default` (by the key), `fixed`, `round-robin`, or a Python class.",
    "消息写入哪个分区：`default`（按键）、`fixed`、`round-robin` 或自定义 Python 类。",
    default=partitioner.Default(),
    side=Side.SINK,
    aliases=_old("connector.sink-partitioner"),
)
SINK_DELIVERY_GUARANTEE = Option(
    "sink.delivery-guarantee",
    # The Flink document's own misspelling is in scripts.
    EnumKind(DeliveryGuarantee, also=(("at-lease-once", "at-least-once"),)),
    "What a failure may do to the rows written: `exactly-once` (Kafka transactions), `at-least-once` or `none`.",
    "故障时的写入保证：`exactly-once`（Kafka 事务）、`at-least-once` 或 `none`。",
    default=DeliveryGuarantee.AT_LEAST_ONCE,
    side=Side.SINK,
    aliases=(
        # Flink turns '-' into '_' before it looks this one up, so both are right here.
        Alias(
            "sink.semantic",
            Dialect.FLINK,
            values=(("exactly_once", "exactly-once"), ("at_least_once", "at-least-once")),
        ),
    ),
)
SINK_TRANSACTIONAL_ID_PREFIX = Option(
    "sink.transactional-id-prefix",
    NON_EMPTY,
    "The prefix of the transactional id; the job's name when it is not set.",
    "事务 ID 的前缀；未设置时使用作业名。",
    side=Side.SINK,
)
SINK_TRANSACTION_NAMING_STRATEGY = Option(
    "sink.transaction-naming-strategy",
    EnumKind(TransactionNaming),
    "How Flink names its transactions; read and without effect here, where each batch is one transaction.",
    "Flink 的事务命名策略；此处仅接受而不起作用，因为每个批次就是一个事务。",
    default=TransactionNaming.INCREMENTING,
    side=Side.SINK,
)

METADATA = (
    MetadataKey(
        "topic",
        TEXT.not_null(),
        "The topic of the record.",
        "记录所在的主题。",
        Write.SEVERAL_TOPICS,
    ),
    MetadataKey("partition", Int(nullable=False), "The partition of the record.", "记录所在的分区。"),
    MetadataKey(
        "headers",
        Map(TEXT, BYTES, nullable=False),
        "The headers as a map; of headers with the same name the last one wins.",
        "消息头（映射）；同名消息头以最后一个为准。",
        Write.ALWAYS,
    ),
    MetadataKey(
        "header-list",
        Array(Row((Field("key", TEXT), Field("value", BYTES))), nullable=False),
        "The headers as a list, in their order, repeated names kept.",
        "消息头（列表）；保持顺序并保留同名项。",
        Write.ALWAYS,
    ),
    MetadataKey(
        "leader-epoch", Int(), "The leader epoch of the record, if there is one.", "记录的 leader epoch（若有）。"
    ),
    MetadataKey("offset", BigInt(nullable=False), "The offset of the record in its partition.", "记录在分区中的位点。"),
    MetadataKey(
        "timestamp",
        TimestampLtz(3, nullable=False),
        "The time of the record.",
        "记录的时间戳。",
        Write.ALWAYS,
    ),
    MetadataKey(
        "timestamp-type",
        TEXT.not_null(),
        "`NoTimestampType`, `CreateTime` or `LogAppendTime`.",
        "时间戳类型：`NoTimestampType`、`CreateTime` 或 `LogAppendTime`。",
    ),
    MetadataKey(
        "__raw_key__",
        BYTES,
        "The message key as it is (Alibaba's; Confluent calls it `raw-key`).",
        "消息键的原始字节。",
    ),
    MetadataKey(
        "__raw_value__",
        BYTES,
        "The message value as it is (Alibaba's; Confluent calls it `raw-value`).",
        "消息体的原始字节。",
    ),
    MetadataKey("raw-key", BYTES, "The same as `__raw_key__`.", "同 `__raw_key__`。"),
    MetadataKey("raw-value", BYTES, "The same as `__raw_value__`.", "同 `__raw_value__`。"),
)

ROWS = (
    table.CONNECTOR,
    TOPIC,
    TOPIC_PATTERN,
    BOOTSTRAP_SERVERS,
    GROUP_ID,
    message.FORMAT,
    message.VALUE_FORMAT,
    message.KEY_FORMAT,
    message.KEY_FIELDS,
    message.KEY_FIELDS_PREFIX,
    message.VALUE_FIELDS_PREFIX,
    message.VALUE_FIELDS_INCLUDE,
    SCAN_STARTUP_MODE,
    SCAN_STARTUP_SPECIFIC_OFFSETS,
    SCAN_STARTUP_TIMESTAMP_MILLIS,
    SCAN_BOUNDED_MODE,
    SCAN_BOUNDED_SPECIFIC_OFFSETS,
    SCAN_BOUNDED_TIMESTAMP_MILLIS,
    SCAN_DISCOVERY_INTERVAL,
    table.SCAN_PARALLELISM,
    *watermark.WATERMARK_ROWS,
    SCAN_HEADER_FILTER,
    SCAN_CHECK_DUPLICATED_GROUP_ID,
    SCAN_MAX_ROWS_PER_BATCH,
    SINK_PARTITIONER,
    SINK_DELIVERY_GUARANTEE,
    SINK_TRANSACTIONAL_ID_PREFIX,
    SINK_TRANSACTION_NAMING_STRATEGY,
    table.SINK_PARALLELISM,
)
