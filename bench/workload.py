"""What every engine has to do: rows in one topic, a script, and what must be in the other topic afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, partial

import orjson
import polars as pl
import pyarrow as pa

from bench.answer import last_values, read_blocks
from firesteel import types
from firesteel.cli.demo import decode_counts
from firesteel.dev.pageviews import PageViews, differences
from firesteel.formats.bound import BoundFormat
from firesteel.formats.builtin import make_decoder, make_encoder
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
_DELAY = timedelta(seconds=2)


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


@dataclass(frozen=True)
class LateViews(PageViews):
    """Page views of which some of the last eighth come a month late. Whoever has read most of the others by then, and keeps time
    as it reads, has closed their windows.
    """

    def columns(self, start: int = 0, end: int | None = None) -> pl.DataFrame:
        rows = super().columns(start, end)
        late = _is_late(pl.int_range(start, start + pl.len()), self.rows)
        return rows.with_columns(
            viewtime=pl.when(late).then(pl.col("viewtime") - pl.duration(days=30)).otherwise(pl.col("viewtime"))
        )

    def timely(self) -> pl.DataFrame:
        return self.columns().filter(~_is_late(pl.int_range(pl.len()), self.rows))


def _is_late(number: pl.Expr, rows: int) -> pl.Expr:
    """In each partition, whether there are one, two, four, eight or sixteen."""
    return (number >= rows * 7 // 8) & (number // 16 % 16 == number % 16)


_COLUMNS = "user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP(3), user_region STRING"
_KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = '{bootstrap}'"
_SOURCE = (
    f"CREATE TABLE pageviews ({_COLUMNS}) WITH ({_KAFKA}, 'topic' = '{{source}}', 'format' = '%s',"
    " 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'{own});\n"
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
#: What is wrong with a sink topic; `ended`: whether windows are closed when the input ends.
Check = Callable[[Cluster, str, PageViews, bool], tuple[str, ...]]


@dataclass(frozen=True)
class Workload:
    """`source` is the name of the rows it reads, which others may read too, and `views` makes them."""

    name: str
    title: str
    source: str
    views: Callable[[int, int], PageViews]
    script: str
    check: Check
    #: Into how many batches the rows are divided by those who read in batches; 0: that is theirs to say.
    batches: int = 0

    def render_script(self, bootstrap: str, source: str, sink: str, batch_rows: int = 0) -> str:
        """For Firesteel, which has an option for it, `batch_rows` is how many rows a batch has."""
        own = f", 'scan.max-rows-per-batch' = '{batch_rows}'" if batch_rows else ""
        return self.script.format(bootstrap=bootstrap, source=source, sink=sink, own=own)


# What is expected is computed once: every engine, in every run, is to give the same, and making millions of rows again takes
# longer than most runs.
_expected_counts = cache(PageViews.expected_counts)


def _check_counts(cluster: Cluster, topic: str, views: PageViews, ended: bool) -> tuple[str, ...]:
    return differences(_expected_counts(views), decode_counts(last_values(cluster, topic)))


@cache
def _expected_sums(views: ChangedViews) -> dict[str, tuple[int, int]]:
    summed = views.kept().group_by("user_region").agg(pl.len().alias("n"), pl.col("page_id").sum().alias("pages"))
    return {region: (number, pages) for region, number, pages in summed.iter_rows()}


def _check_sums(cluster: Cluster, topic: str, views: PageViews, ended: bool) -> tuple[str, ...]:
    assert isinstance(views, ChangedViews)
    return differences(_expected_sums(views), decode_counts(last_values(cluster, topic)))


@cache
def _expected_windows(views: LateViews, ended: bool) -> dict[tuple[str, str], int]:
    """Late rows count nowhere."""
    timely = views.timely()
    counted = timely.group_by(pl.col("viewtime").dt.truncate("1m").alias("start"), "user_region").len()
    if not ended:
        # What event time has not passed when the input ends is left open.
        closed = timely["viewtime"].max() - _DELAY - timedelta(minutes=1)  # type: ignore[operator]
        counted = counted.filter(pl.col("start") <= closed)
    counted = counted.with_columns(pl.col("start").dt.strftime("%Y-%m-%d %H:%M:%S"))
    return {(start, region): number for start, region, number in counted.iter_rows()}


def _check_windows(cluster: Cluster, topic: str, views: PageViews, ended: bool) -> tuple[str, ...]:
    assert isinstance(views, LateViews)
    expected = _expected_windows(views, ended)
    rows = [orjson.loads(message.value() or b"") for block in read_blocks(cluster, topic) for message in block]
    found = {(row["start_time"], row["user_region"]): row["pv"] for row in rows}
    wrong = [key for key in {*expected, *found} if expected.get(key) != found.get(key)]
    if len(found) < len(rows):
        return (f"{len(rows) - len(found)} windows came more than once",)
    return tuple(f"{key} has {found.get(key)}, expected {expected.get(key)}" for key in sorted(wrong)[:3])


@cache
def _expected_kept(views: PageViews) -> tuple[int, int, int]:
    """Rows, the sum of their users and the sum of their times in milliseconds."""
    kept = views.columns().filter(pl.col("page_id") <= _LAST_PAGE)
    return kept.height, int(kept["user_id"].sum()), int(kept["viewtime"].cast(pl.Int64).sum())


def _check_kept(format: str) -> Check:
    def check(cluster: Cluster, topic: str, views: PageViews, ended: bool) -> tuple[str, ...]:
        expected = _expected_kept(views)
        found = _sums(cluster, topic, format)
        return () if found == expected else (f"rows, users and times add up to {found}, expected {expected}",)

    return check


def _sums(cluster: Cluster, topic: str, format: str) -> tuple[int, int, int]:
    """The same, of all that is committed."""
    decoder = make_decoder(bound(format, KEPT), [field.name for field in KEPT])
    rows = users = times = 0
    for block in read_blocks(cluster, topic):
        batch = decoder.decode([message.value() for message in block]).batch
        rows += batch.num_rows
        users += batch.column(0).to_numpy(zero_copy_only=False).sum()
        times += (batch.column(2).cast(pa.int64()).to_numpy() // 1000).sum()
    return rows, int(users), int(times)


WORKLOADS = (
    Workload(
        "reference",
        "PV and UV per region, json to avro",
        "json",
        PageViews,
        _SOURCE % "json" + _COUNTS,
        _check_counts,
    ),
    Workload(
        "pass",
        "filter and projection, json to json",
        "json",
        PageViews,
        _SOURCE % "json" + _PASSED % ("json", ""),
        _check_kept("json"),
    ),
    Workload(
        "exactly-once",
        "the same, exactly once",
        "json",
        PageViews,
        _SOURCE % "json" + _PASSED % ("json", _EXACTLY_ONCE),
        _check_kept("json"),
    ),
    Workload(
        "avro",
        "filter and projection, avro to avro",
        "avro",
        partial(EncodedViews, format="avro"),
        _SOURCE % "avro" + _PASSED % ("avro", ""),
        _check_kept("avro"),
    ),
    Workload(
        "csv",
        "filter and projection, csv to json",
        "csv",
        partial(EncodedViews, format="csv"),
        _SOURCE % "csv" + _PASSED % ("json", ""),
        _check_kept("json"),
    ),
    Workload(
        "debezium",
        "counts and sums over a changelog, debezium-json to avro",
        "debezium-json",
        ChangedViews,
        _SOURCE % "debezium-json" + _SUMS,
        _check_sums,
    ),
    Workload(
        "window",
        "views per minute and region, rows out of order and late, json to json",
        "json-late",
        LateViews,
        (_SOURCE % "json").replace("user_region STRING)", _WATERMARK) + _WINDOWS,
        _check_windows,
        batches=4,
    ),
)
