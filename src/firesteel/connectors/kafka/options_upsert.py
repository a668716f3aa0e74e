"""The options of `'connector' = 'upsert-kafka'`: a table whose primary key is the message key."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from firesteel.connectors.kafka import options as kafka
from firesteel.connectors.kafka.options import StartupMode
from firesteel.options import message, table, watermark
from firesteel.options.kind import DURATION, INTEGER
from firesteel.options.option import Alias, Dialect, Option, Side

# DLI has one name for both.
_FORMAT_TYPE = (Alias("format.type", Dialect.DLI),)
KEY_FORMAT = replace(message.KEY_FORMAT, required=True, aliases=_FORMAT_TYPE)
VALUE_FORMAT = replace(message.VALUE_FORMAT, required=True, aliases=_FORMAT_TYPE)

# Flink refuses these four here. They are allowed when asked for, with a warning that names the risk.
SCAN_STARTUP_MODE = replace(kafka.SCAN_STARTUP_MODE, default=StartupMode.EARLIEST, dialect=Dialect.FIRESTEEL)
SCAN_STARTUP_SPECIFIC_OFFSETS = replace(kafka.SCAN_STARTUP_SPECIFIC_OFFSETS, dialect=Dialect.FIRESTEEL)
SCAN_STARTUP_TIMESTAMP_MILLIS = replace(kafka.SCAN_STARTUP_TIMESTAMP_MILLIS, dialect=Dialect.FIRESTEEL)
SINK_PARTITIONER = replace(kafka.SINK_PARTITIONER, dialect=Dialect.FIRESTEEL)

# 'sink.semantic' was never an option of this connector.
SINK_DELIVERY_GUARANTEE = replace(kafka.SINK_DELIVERY_GUARANTEE, aliases=())

SINK_BUFFER_FLUSH_MAX_ROWS = Option(
    "sink.buffer-flush.max-rows",
    INTEGER,
    "How many keys are gathered before they are written; needs `sink.buffer-flush.interval` too.",
    "写出前最多缓存的键数；需要同时设置 `sink.buffer-flush.interval`。",
    default=0,
    side=Side.SINK,
)
SINK_BUFFER_FLUSH_INTERVAL = Option(
    "sink.buffer-flush.interval",
    DURATION,
    "How long changes are gathered before they are written; needs `sink.buffer-flush.max-rows` too.",
    "写出前最长的缓存时间；需要同时设置 `sink.buffer-flush.max-rows`。",
    default=timedelta(0),
    side=Side.SINK,
)

ROWS = (
    table.CONNECTOR,
    kafka.TOPIC,
    kafka.TOPIC_PATTERN,
    kafka.BOOTSTRAP_SERVERS,
    kafka.GROUP_ID,
    KEY_FORMAT,
    VALUE_FORMAT,
    message.KEY_FIELDS_PREFIX,
    message.VALUE_FIELDS_PREFIX,
    message.VALUE_FIELDS_INCLUDE,
    SCAN_STARTUP_MODE,
    SCAN_STARTUP_SPECIFIC_OFFSETS,
    SCAN_STARTUP_TIMESTAMP_MILLIS,
    kafka.SCAN_BOUNDED_MODE,
    kafka.SCAN_BOUNDED_SPECIFIC_OFFSETS,
    kafka.SCAN_BOUNDED_TIMESTAMP_MILLIS,
    kafka.SCAN_DISCOVERY_INTERVAL,
    table.SCAN_PARALLELISM,
    *watermark.WATERMARK_ROWS,
    kafka.SCAN_CHECK_DUPLICATED_GROUP_ID,
    kafka.SCAN_MAX_ROWS_PER_BATCH,
    SINK_PARTITIONER,
    SINK_BUFFER_FLUSH_MAX_ROWS,
    SINK_BUFFER_FLUSH_INTERVAL,
    SINK_DELIVERY_GUARANTEE,
    kafka.SINK_TRANSACTIONAL_ID_PREFIX,
    kafka.SINK_TRANSACTION_NAMING_STRATEGY,
    table.SINK_PARALLELISM,
)
