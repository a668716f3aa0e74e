"""Generates page views for the demonstration and the tests, the same rows for the same seed, and counts them
independently.

Row i is a function of (seed, i) alone, so any part of the rows can be generated again. The count is taken from the
columns, before they become JSON: it shares no code with a job.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from confluent_kafka import KafkaError, KafkaException, Message, Producer

from firesteel.connectors.kafka.admin import check_topics
from firesteel.errors import OutsideError

#: A region and its share of a thousand users: uneven, as in real data.
REGIONS = (
    ("east-asia", 340),
    ("south-asia", 220),
    ("europe", 180),
    ("north-america", 130),
    ("south-america", 60),
    ("africa", 40),
    ("middle-east", 20),
    ("oceania", 10),
)

_FIRST_VIEW = datetime(2026, 1, 1)
_BLOCK = 100_000

Counts = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class PageViews:
    """A set of page views, which are generated on demand."""

    rows: int
    users: int = 10_000
    pages: int = 5_000
    seed: int = 1

    def columns(self, start: int = 0, end: int | None = None) -> pl.DataFrame:
        """Makes the rows from `start` to `end`: user_id, page_id, viewtime, user_region."""
        index = pl.int_range(start, self.rows if end is None else min(end, self.rows), dtype=pl.UInt64)
        rows = pl.select(index.alias("i"))
        user = _dice("i", self.seed, 1) % self.users + 1
        # One view in sixteen is made from another region, so that a user counts in several regions.
        travels = _dice("i", self.seed, 2) % 16 == 0
        thousandth = pl.when(travels).then(_dice("i", self.seed, 3)).otherwise(_dice("user_id", self.seed, 4)) % 1000
        # About 200 views a second, each a little out of order.
        millisecond = pl.col("i").cast(pl.Int64) * 5 + (_dice("i", self.seed, 5) % 1500).cast(pl.Int64)
        return (
            rows.with_columns(user_id=user.cast(pl.Int64))
            .with_columns(
                page_id=(_dice("i", self.seed, 6) % self.pages + 1).cast(pl.Int64),
                viewtime=pl.lit(_FIRST_VIEW).cast(pl.Datetime("ms")) + pl.duration(milliseconds=millisecond),
                user_region=_region(thousandth),
            )
            .drop("i")
        )

    def messages(self) -> Iterator[list[bytes]]:
        """Makes the rows as JSON, about 100 bytes each, in blocks."""
        for start in range(0, self.rows, _BLOCK):
            yield encode_rows(self.columns(start, start + _BLOCK))

    def expected_counts(self) -> dict[str, tuple[int, int]]:
        """Counts the columns: region → (page views, distinct users)."""
        return expected_counts(self.columns())


def expected_counts(rows: pl.DataFrame) -> dict[str, tuple[int, int]]:
    """Counts the columns: region → (page views, distinct users)."""
    counted = rows.group_by("user_region").agg(pl.len().alias("pv"), pl.col("user_id").n_unique().alias("uv"))
    return {region: (pv, uv) for region, pv, uv in counted.sort("user_region").iter_rows()}


def differences(expected: Counts, found: Counts) -> tuple[str, ...]:
    """Describes each region whose counts are not the expected ones."""
    return tuple(
        f"Region '{region}' has {_told(found.get(region))}, expected {_told(expected.get(region))}."
        for region in sorted({*expected, *found})
        if expected.get(region) != found.get(region)
    )


def encode_rows(rows: pl.DataFrame) -> list[bytes]:
    """Encodes each row as a JSON object, its time as Flink's SQL standard has it."""
    text = rows.select(
        pl.concat_str(
            pl.lit('{"user_id": '),
            pl.col("user_id"),
            pl.lit(', "page_id": '),
            pl.col("page_id"),
            pl.lit(', "viewtime": "'),
            pl.col("viewtime").dt.strftime("%Y-%m-%d %H:%M:%S%.3f"),
            # The regions are our own and need no escapes.
            pl.lit('", "user_region": "'),
            pl.col("user_region"),
            pl.lit('"}'),
        ).cast(pl.Binary)
    )
    return text.to_series().to_list()


def fill_topic(
    client_config: Mapping[str, str],
    topic: str,
    views: PageViews,
    partitions: int,
    *,
    waves: int = 1,
    pause: float = 0.0,
) -> int:
    """Writes the views to a topic's first partitions in turn, without keys. Returns their number.

    They are written in waves with a pause of that many seconds between them. Raises `OutsideError` unless Kafka
    acknowledges every one.
    """
    check_topics(client_config, [topic])
    confirmed, refused = 0, list[str]()

    def reported(error: KafkaError | None, _: Message) -> None:
        nonlocal confirmed
        if error is None:
            confirmed += 1
        else:
            refused.append(error.str())

    settings = {"linger.ms": 20, "batch.num.messages": 50_000, "queue.buffering.max.messages": 2 * _BLOCK}
    quiet = {"log_level": 0, "error_cb": lambda error: None}
    producer = Producer({**client_config, **settings, **quiet})
    written, wave = 0, max(1, views.rows // waves)
    try:
        for block in views.messages():
            for message in block:
                while True:
                    try:
                        producer.produce(topic, message, partition=written % partitions, on_delivery=reported)
                        break
                    except BufferError:
                        producer.poll(0.05)
                written += 1
                if written % wave == 0 and written < views.rows:
                    producer.flush()
                    time.sleep(pause)
            producer.poll(0)
    except KafkaException as error:
        raise OutsideError(f"Topic '{topic}' cannot be filled: {error.args[0].str().rstrip('.')}.") from error
    producer.flush()
    if refused or confirmed != written:
        why = refused[0].rstrip(".") if refused else "no answer"
        raise OutsideError(f"Kafka confirmed {confirmed} of {written} records for '{topic}': {why}.")
    return written


def _dice(column: str, seed: int, throw: int) -> pl.Expr:
    """Makes a number below 2**31 for each value of a column: a multiplicative hash, the same on every machine and version."""
    x = (pl.col(column).cast(pl.UInt64) + seed * 1_000_003 + throw * 7_919) % (1 << 31)
    for _ in range(3):
        # All factors stay below 2**63, so nothing here depends on how an overflow is treated.
        x = (x * 1_103_515_245 + 12_345) % (1 << 31)
        x = x ^ (x // (1 << 15))
    return x


def _region(thousandth: pl.Expr) -> pl.Expr:
    """Chooses the region of a number below 1000."""
    # Built from the last region backwards: each step decides between one region and all that follow it.
    limit, steps = 0, []
    for name, share in REGIONS:
        limit += share
        steps.append((thousandth < limit, name))
    chosen: pl.Expr = pl.lit(REGIONS[-1][0])
    for condition, name in reversed(steps):
        chosen = pl.when(condition).then(pl.lit(name)).otherwise(chosen)
    return chosen


def _told(counts: tuple[int, int] | None) -> str:
    return "no row" if counts is None else f"pv {counts[0]:,} and uv {counts[1]:,}"
