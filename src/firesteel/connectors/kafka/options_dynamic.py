"""The options of `'connector' = 'dynamic-kafka'` on a single cluster: a `kafka` table under other names."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from firesteel.connectors.kafka import options as kafka
from firesteel.options.kind import NON_EMPTY, POSITIVE, EnumKind
from firesteel.options.option import Alias, Dialect, Option, Side


class MetadataService(Enum):
    SINGLE_CLUSTER = "single-cluster"


def _other(key: str) -> tuple[Alias, ...]:
    return (Alias(key, Dialect.FLINK),)


TOPIC = replace(kafka.TOPIC, aliases=_other("stream-ids"))
TOPIC_PATTERN = replace(kafka.TOPIC_PATTERN, aliases=_other("stream-pattern"))
SCAN_DISCOVERY_INTERVAL = replace(
    kafka.SCAN_DISCOVERY_INTERVAL,
    aliases=(Alias("stream-metadata-discovery-interval-ms", Dialect.FLINK, values=(("-1", "0"),)),),
)
METADATA_SERVICE = Option(
    "metadata-service",
    EnumKind(MetadataService),
    "What says on which clusters a stream is; only `single-cluster`.",
    "提供流所在集群信息的服务；仅支持 `single-cluster`。",
    required=True,
)
CLUSTER_ID = Option(
    "metadata-service.cluster-id",
    NON_EMPTY,
    "The name of the one cluster; read and without effect.",
    "该集群的名称；仅接受而不起作用。",
)
FAILURE_THRESHOLD = Option(
    "stream-metadata-discovery-failure-threshold",
    POSITIVE,
    "How often in a row Flink may fail to ask; read and without effect.",
    "Flink 连续查询失败的上限；仅接受而不起作用。",
    side=Side.SOURCE,
)

_RENAMED = {row.key: row for row in (TOPIC, TOPIC_PATTERN, SCAN_DISCOVERY_INTERVAL)}

ROWS = (*(_RENAMED.get(row.key, row) for row in kafka.ROWS), METADATA_SERVICE, CLUSTER_ID, FAILURE_THRESHOLD)
