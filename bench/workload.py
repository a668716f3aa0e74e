"""What every engine has to do: rows in one topic, a script, and what must be in the other topic afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import orjson
import polars as pl
import pyarrow as pa
from confluent_kafka import Consumer, TopicPartition

from firesteel import types
from firesteel.catalog.table import BoundFormat
from firesteel.cli.demo import read_counts
from firesteel.dev.pageviews import PageViews, differences
from firesteel.dev.record import read_records
from firesteel.formats.registry import make_decoder, make_encoder
from firesteel.options.value import OptionValues
from firesteel.types import STRING, Field

VIEW = (
    Field("user_id", types.BigInt()),
    Field("page_id", types.BigInt()),
    Field("viewtime", types.Timestamp(3)),
    Field("user_region", STRING),
)
KEPT = (VIEW[0], VIEW[3], VIEW[2])
_LAST_PAGE = 2_500


def bound(name: str, fields: tuple[Field, ...]) -> BoundFormat:
    return BoundFormat(name, OptionValues(), fields, tuple(field.name for field in fields))


@dataclass(frozen=True)
class EncodedViews(PageViews):
    """Page views in another format than JSON."""

    format: str = "csv"

    def messages(self) -> Iterator[list[bytes]]:
        encoder = make_encoder(bound(self.format, VIEW))
        for start in range(0, self.rows, 100_000):
            rows = self.columns(start, start + 100_000).to_arrow()
            arrays = [rows.column(field.name).combine_chunks() for field in VIEW]
            arrays[2] = arrays[2].cast(pa.timestamp("us"))
            arrays[3] = arrays[3].cast(pa.string())
            batch = pa.RecordBatch.from_arrays(arrays, names=[field.name for field in VIEW])
            yield [message or b"" for message in encoder.encode(batch)]


@dataclass(frozen=True)
class ChangedViews(PageViews):
    """Page views as Debezium sends them. Every fourth message changes the row that the fourth before it left, so that order
    matters only within a partition when there are one, two or four of them.
    """

    def messages(self) -> Iterator[list[bytes]]:
        last: bytes | None = None
        for start, block in zip(range(0, self.rows, 100_000), super().messages(), strict=True):
            found: list[bytes] = []
            for number, row in enumerate(block, start):
                before, word = b"null", b"c"
                if number % 4 == 3:
                    before, word, last = (b"null", b"c", row) if last is None else (last, b"u", row)
                found.append(
                    b'{"before":%b,"after":%b,"source":{"version":"3.1.3.Final","connector":"postgresql","name":"shop",'
                    b'"ts_ms":%d,"db":"shop","schema":"public","table":"views","lsn":%d},"op":"%b","ts_ms":%d}'
                    % (
                        before,
                        row,
                        1_700_000_000_000 + number,
                        22_000_000 + 48 * number,
                        word,
                        1_700_000_000_040 + number,
                    )
                )
            yield found

    def kept(self) -> pl.DataFrame:
        """The rows that are left in the end."""
        rows = self.columns().with_row_index("i")
        changed = rows.filter(pl.col("i") % 4 == 3).tail(1)
        return pl.concat([rows.filter(pl.col("i") % 4 != 3), changed])


_COLUMNS = "user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP(3), user_region STRING"
_KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = '{bootstrap}'"
_SOURCE = (
    f"CREATE TABLE pageviews ({_COLUMNS}) WITH ({_KAFKA}, 'topic' = '{{source}}', 'format' = '%s',"
    " 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');\n"
)
_COUNTS = (
    "CREATE TABLE pageviews_per_region (user_region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (user_region) NOT ENFORCED)"
    " WITH ('connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '{bootstrap}', 'topic' = '{sink}',"
    " 'key.format' = 'avro', 'value.format' = 'avro');\n"
    "INSERT INTO pageviews_per_region SELECT user_region, COUNT(*), COUNT(DISTINCT user_id) FROM pageviews"
    " GROUP BY user_region;\n"
)
_PASSED = (
    f"CREATE TABLE kept (user_id BIGINT, user_region STRING, viewtime TIMESTAMP(3)) WITH ({_KAFKA},"
    " 'topic' = '{sink}', 'format' = '%s'%s);\n"
    f"INSERT INTO kept SELECT user_id, user_region, viewtime FROM pageviews WHERE page_id <= {_LAST_PAGE};\n"
)
_SUMS = _COUNTS.replace("COUNT(DISTINCT user_id)", "SUM(page_id)")
_WINDOWS = (
    f"CREATE TABLE windows (start_time TIMESTAMP(3), user_region STRING, pv BIGINT) WITH ({_KAFKA}, 'topic' = '{{sink}}',"
    " 'format' = 'json');\n"
    "INSERT INTO windows SELECT window_start, user_region, COUNT(*) FROM TABLE(TUMBLE(TABLE pageviews,"
    " DESCRIPTOR(viewtime), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, user_region;\n"
)
_WATERMARK = "user_region STRING, WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND)"
_EXACTLY_ONCE = (
    ", 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '{sink}',"
    " 'properties.transaction.timeout.ms' = '600000'"
)

Cluster = Mapping[str, str]


@dataclass(frozen=True)
class Workload:
    """`check` gives what is wrong with a sink topic. `source` and `sink` are the formats of the topics."""

    name: str
    title: str
    source: str
    sink: str
    script: str
    check: Callable[[Cluster, str, PageViews], tuple[str, ...]]

    def views(self, rows: int, users: int) -> PageViews:
        if self.source == "json":
            return PageViews(rows, users=users)
        if self.source == "debezium-json":
            return ChangedViews(rows, users=users)
        return EncodedViews(rows, users=users, format=self.source)


def _check_counts(cluster: Cluster, topic: str, views: PageViews) -> tuple[str, ...]:
    return differences(views.expected_counts(), read_counts(dict(cluster), topic))


def _check_sums(cluster: Cluster, topic: str, views: PageViews) -> tuple[str, ...]:
    assert isinstance(views, ChangedViews)
    summed = views.kept().group_by("user_region").agg(pl.len().alias("n"), pl.col("page_id").sum().alias("pages"))
    expected = {region: (number, pages) for region, number, pages in summed.iter_rows()}
    return differences(expected, read_counts(dict(cluster), topic))


def _check_windows(cluster: Cluster, topic: str, views: PageViews) -> tuple[str, ...]:
    counted = (
        views.columns()
        .group_by(pl.col("viewtime").dt.truncate("1m").dt.strftime("%Y-%m-%d %H:%M:%S"), "user_region")
        .len()
    )
    expected = {(start, region): number for start, region, number in counted.iter_rows()}
    rows = [orjson.loads(record.value or b"") for record in read_records(dict(cluster), topic)]
    found = {(row["start_time"], row["user_region"]): row["pv"] for row in rows}
    wrong = [key for key in {*expected, *found} if expected.get(key) != found.get(key)]
    if len(found) < len(rows):
        return (f"{len(rows) - len(found)} windows came more than once",)
    return tuple(f"{key} has {found.get(key)}, expected {expected.get(key)}" for key in sorted(wrong)[:3])


def _check_kept(format: str) -> Callable[[Cluster, str, PageViews], tuple[str, ...]]:
    def check(cluster: Cluster, topic: str, views: PageViews) -> tuple[str, ...]:
        kept = views.columns().filter(pl.col("page_id") <= _LAST_PAGE)
        expected = (kept.height, int(kept["user_id"].sum()), int(kept["viewtime"].cast(pl.Int64).sum()))
        found = _sums(cluster, topic, format)
        return () if found == expected else (f"rows, users and times add up to {found}, expected {expected}",)

    return check


def _sums(cluster: Cluster, topic: str, format: str) -> tuple[int, int, int]:
    """Rows, the sum of their users and the sum of their times in milliseconds, of all that is committed."""
    consumer = Consumer({**cluster, "group.id": "bench", "enable.partition.eof": True, "enable.auto.commit": False})
    decoder = make_decoder(bound(format, KEPT), [field.name for field in KEPT])
    partitions = list(consumer.list_topics(topic, 10).topics[topic].partitions)
    consumer.assign([TopicPartition(topic, partition, 0) for partition in partitions])
    rows = users = times = ended = 0
    try:
        while ended < len(partitions):
            block = consumer.consume(20_000, 1.0)
            ended += sum(message.error() is not None for message in block)
            batch = decoder.decode([message.value() for message in block if message.error() is None]).batch
            rows += batch.num_rows
            users += batch.column(0).to_numpy(zero_copy_only=False).sum() if batch.num_rows else 0
            times += (batch.column(2).cast(pa.int64()).to_numpy() // 1000).sum() if batch.num_rows else 0
    finally:
        consumer.close()
    return rows, int(users), int(times)


WORKLOADS = (
    Workload(
        "reference", "PV and UV per region, json to avro", "json", "avro", _SOURCE % "json" + _COUNTS, _check_counts
    ),
    Workload(
        "pass",
        "filter and projection, json to json",
        "json",
        "json",
        _SOURCE % "json" + _PASSED % ("json", ""),
        _check_kept("json"),
    ),
    Workload(
        "exactly-once",
        "the same, exactly once",
        "json",
        "json",
        _SOURCE % "json" + _PASSED % ("json", _EXACTLY_ONCE),
        _check_kept("json"),
    ),
    Workload(
        "avro",
        "filter and projection, avro to avro",
        "avro",
        "avro",
        _SOURCE % "avro" + _PASSED % ("avro", ""),
        _check_kept("avro"),
    ),
    Workload(
        "csv",
        "filter and projection, csv to json",
        "csv",
        "json",
        _SOURCE % "csv" + _PASSED % ("json", ""),
        _check_kept("json"),
    ),
    Workload(
        "debezium",
        "counts and sums over a changelog, debezium-json to avro",
        "debezium-json",
        "avro",
        _SOURCE % "debezium-json" + _SUMS,
        _check_sums,
    ),
    Workload(
        "window",
        "views per minute and region, rows out of order, json to json",
        "json",
        "json",
        (_SOURCE % "json").replace("user_region STRING)", _WATERMARK) + _WINDOWS,
        _check_windows,
    ),
)
