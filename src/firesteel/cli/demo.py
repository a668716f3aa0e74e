"""`firesteel demo`: a real broker, generated page views, the reference job, and a count of what came out.

The result is read back with fastavro, under the schema Flink derives, and compared with a count that was taken from the
generated columns: neither uses code that the job uses.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel.cli.command import Subparsers, add_command, at_least_one
from firesteel.errors import FiresteelError, JobError
from firesteel.java import find_java

if TYPE_CHECKING:
    from firesteel.dev.pageviews import PageViews
    from firesteel.spark.job.job import Job

VIEWS, COUNTS = "pageviews", "pageviews_per_region"

#: The reference job, unchanged from Alibaba's documentation.
SCRIPT = """\
CREATE TABLE pageviews (
  user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP, user_region STRING,
  WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND
) WITH ('connector' = 'kafka', 'topic' = '{views}', 'properties.bootstrap.servers' = '{bootstrap}',
        'format' = 'json', 'properties.group.id' = 'demo', 'scan.startup.mode' = 'earliest-offset');

CREATE TABLE pageviews_per_region (
  user_region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (user_region) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = '{counts}', 'properties.bootstrap.servers' = '{bootstrap}',
        'key.format' = 'avro', 'value.format' = 'avro');

INSERT INTO pageviews_per_region
SELECT user_region, COUNT(*), COUNT(DISTINCT user_id) FROM pageviews GROUP BY user_region;
"""

#: The schema that Flink derives from the sink's columns: the key is NOT NULL, the others are nullable.
_SCHEMA = {
    "type": "record",
    "name": "record",
    "namespace": "org.apache.flink.avro.generated",
    "fields": [
        {"name": "user_region", "type": "string"},
        {"name": "pv", "type": ["null", "long"], "default": None},
        {"name": "uv", "type": ["null", "long"], "default": None},
    ],
}

_PARTITIONS = 4
#: The views are written in waves, so that progress is visible.
_WAVES = 8
_WAVE_SECONDS = 0.5
_PATIENCE_SECONDS = 180.0

Counts = dict[str, tuple[int, int]]


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "demo",
        "see it work: a broker, generated page views, the reference job",
        "Start a real Kafka broker, fill a topic with page views, run the reference job on them and check its result.\n"
        "Everything is removed at the end.",
    )
    parser.add_argument("--rows", type=at_least_one, default=400_000, help="how many page views (default 400000)")


def run(args: argparse.Namespace) -> int:
    find_java()
    from firesteel.connectors.kafka.admin import create_topic
    from firesteel.dev.broker.broker import start_broker
    from firesteel.dev.pageviews import PageViews, differences

    views = PageViews(args.rows)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="firesteel-demo-") as folder:
        _say("Starting Apache Kafka on this machine …")
        with start_broker() as broker:
            cluster = {"bootstrap.servers": broker.bootstrap}
            for topic in (VIEWS, COUNTS):
                create_topic(cluster, topic, partitions=_PARTITIONS)
            script = Path(folder) / "pageviews.sql"
            script.write_text(SCRIPT.format(views=VIEWS, counts=COUNTS, bootstrap=broker.bootstrap))
            _say(f"Kafka answers at {broker.bootstrap}. The job:\n")
            print(script.read_text(), flush=True)
            _say("Starting Spark …")
            found = _run_job(script, views, broker.bootstrap)
    wrong = differences(views.expected_counts(), found)
    if wrong:
        raise JobError(
            "The result differs from an independent count of the generated rows.\n" + "\n".join(wrong), laid_out=True
        )
    print(_render(found))
    seconds = time.monotonic() - started
    print(
        f"\nAll {args.rows:,} page views are counted, and pv and uv of all {len(found)} regions equal an independent"
        f" count of the generated rows. ({seconds:.0f} s)"
    )
    return 0


def _run_job(script: Path, views: PageViews, bootstrap: str) -> Counts:
    """Runs the job while views are written, until every one of them is counted."""
    from firesteel.api import start
    from firesteel.dev.pageviews import fill_topic

    cluster = {"bootstrap.servers": bootstrap}
    job = start(script)
    failed: list[FiresteelError] = []

    def fill() -> None:
        try:
            fill_topic(cluster, VIEWS, views, _PARTITIONS, waves=_WAVES, pause=_WAVE_SECONDS)
        except FiresteelError as error:
            failed.append(error)

    filler = threading.Thread(target=fill, name="demo-fill", daemon=True)
    filler.start()
    found: Counts = {}
    try:
        with _screen() as show:
            deadline = time.monotonic() + _PATIENCE_SECONDS
            while sum(pv for pv, _ in found.values()) < views.rows:
                if failed:
                    raise failed[0]
                if job.wait(0.5):
                    raise JobError("The job ended before every page view was counted.")
                if time.monotonic() > deadline:
                    raise JobError(f"The page views were not counted within {_PATIENCE_SECONDS:.0f} s.")
                found = read_counts(cluster)
                show(found, job)
    finally:
        job.stop()
    return read_counts(cluster)


def read_counts(cluster: dict[str, str], topic: str = COUNTS) -> Counts:
    """Reads the last value of each key of the result topic."""
    from firesteel.dev.record import read_records

    last = {record.key: record.value for record in read_records(cluster, topic)}
    return decode_counts(value for value in last.values() if value is not None)


def decode_counts(values: Iterable[bytes]) -> Counts:
    from fastavro import schemaless_reader

    rows: list[Any] = [schemaless_reader(BytesIO(value), _SCHEMA, _SCHEMA) for value in values]
    return {row["user_region"]: (row["pv"], row["uv"]) for row in rows}


@contextlib.contextmanager
def _screen() -> Iterator[Callable[[Counts, Job], None]]:
    """Makes a function that shows the counts so far: a table in place on a terminal, else a line when they change."""
    if sys.stdout.isatty():
        from rich.live import Live
        from rich.text import Text

        with Live(refresh_per_second=8, transient=True) as live:
            yield lambda found, job: live.update(Text(f"{_status(found, job)}\n\n{_render(found)}"))
        return
    last = ""

    def show(found: Counts, job: Job) -> None:
        nonlocal last
        line = _status(found, job)
        if line != last:
            _say(line)
            last = line

    yield show


def _status(found: Counts, job: Job) -> str:
    counted = sum(pv for pv, _ in found.values())
    if not counted:
        return "Waiting for the first result …"
    return f"{counted:,} page views counted in {len(found)} regions, {job.snapshot().rows_per_second:,.0f} rows/s"


def _render(found: Counts) -> str:
    lines = [f"{'user_region':<16}{'pv':>12}{'uv':>12}"]
    for region, (pv, uv) in sorted(found.items(), key=lambda item: -item[1][0]):
        lines.append(f"{region:<16}{pv:>12,}{uv:>12,}")
    return "\n".join(lines)


def _say(text: str) -> None:
    print(text, flush=True)
