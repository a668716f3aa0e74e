"""Says which tables the scripts read, and fills their topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
from confluent_kafka import KafkaError, Message, Producer

from bench.keyed.changes import Changes
from firesteel.connectors.kafka.admin import create_topic

#: The key, the value and the number of each message; a value that is null deletes the key.
Messages = Iterator[pl.DataFrame]


@dataclass(frozen=True)
class Source:
    """A table that scripts read. `messages` makes the messages of its changes."""

    table: str
    columns: str
    options: str
    messages: Callable[[Changes], Messages]

    def declare(self, bootstrap: str, topic: str) -> str:
        return (
            f"CREATE TABLE {self.table} ({self.columns}) WITH ({self.options}, 'topic' = '{topic}',"
            f" 'properties.bootstrap.servers' = '{bootstrap}', 'scan.bounded.mode' = 'latest-offset');\n"
        )


def _json(*columns: pl.Expr | str) -> pl.Expr:
    return pl.struct(*columns).struct.json_encode()


def _of_upserts(changes: Changes) -> Messages:
    for block in changes.blocks():
        yield block.select(
            _json("k").alias("key"), pl.when(~pl.col("gone")).then(_json("k", "g", "c", "v")).alias("value"), "k"
        )


def customers_of(changes: pl.DataFrame) -> pl.DataFrame:
    """Makes customers of changes: a name and a level for each."""
    return changes.with_columns(
        pl.col("k").alias("id"), (pl.lit("Customer ") + pl.col("k").cast(str)).alias("name"), pl.col("v").alias("level")
    )


def _of_customers(changes: Changes) -> Messages:
    for block in map(customers_of, changes.blocks()):
        yield block.select(
            _json("id").alias("key"), pl.when(~pl.col("gone")).then(_json("id", "name", "level")).alias("value"), "k"
        )


def _of_changelog(changes: Changes) -> Messages:
    old = _json("k", *(pl.col(f"old_{name}").alias(name) for name in ("g", "c", "v")))
    is_new = pl.col("old_v").is_null()
    for block in changes.with_old_rows():
        operation = pl.when(pl.col("gone")).then(pl.lit("d")).when(is_new).then(pl.lit("c")).otherwise(pl.lit("u"))
        value = pl.concat_str(
            pl.lit('{"before":'),
            pl.when(is_new).then(pl.lit("null")).otherwise(old),
            pl.lit(',"after":'),
            pl.when("gone").then(pl.lit("null")).otherwise(_json("k", "g", "c", "v")),
            pl.lit(',"op":"'),
            operation,
            pl.lit('"}'),
        )
        yield block.select(_json("k").alias("key"), value.alias("value"), "k")


_UPSERT = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'"
_DEBEZIUM = "'connector' = 'kafka', 'format' = 'debezium-json', 'scan.startup.mode' = 'earliest-offset'"
_COLUMNS = "k BIGINT, g BIGINT, c BIGINT, v BIGINT"

UPSERTS = Source("upserts", f"{_COLUMNS}, PRIMARY KEY (k) NOT ENFORCED", _UPSERT, _of_upserts)
CUSTOMERS = Source(
    "customers", "id BIGINT, name STRING, level BIGINT, PRIMARY KEY (id) NOT ENFORCED", _UPSERT, _of_customers
)
CHANGELOG = Source("changelog", _COLUMNS, _DEBEZIUM, _of_changelog)


@dataclass(frozen=True)
class Topic:
    """A topic that is filled, and the number of its messages."""

    source: Source
    name: str
    changes: Changes
    messages: int


class Topics:
    """The topics of one broker, each filled when it is first asked for."""

    def __init__(self, bootstrap: str, partitions: int) -> None:
        self.bootstrap, self.partitions = bootstrap, partitions
        self._filled: dict[str, Topic] = {}

    @property
    def cluster(self) -> dict[str, str]:
        return {"bootstrap.servers": self.bootstrap}

    def create(self, name: str) -> None:
        create_topic(self.cluster, name, partitions=self.partitions)

    def fill(self, source: Source, changes: Changes) -> Topic:
        """Fills the topic of a table with its changes, once."""
        name = f"{source.table}-{changes.rows}-{changes.keys}{'-filled' * changes.filled}"
        if name not in self._filled:
            self.create(name)
            count = send(self.cluster, name, source.messages(changes), self.partitions)
            self._filled[name] = Topic(source, name, changes, count)
            print(f"{count:,} messages in {name}", flush=True)
        return self._filled[name]


def send(cluster: Mapping[str, str], topic: str, messages: Messages, partitions: int) -> int:
    """Sends messages, those of a key to one partition. Returns their number."""
    refused: list[str] = []

    def report(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            refused.append(error.str())

    settings = {"linger.ms": 50, "batch.num.messages": 50_000, "queue.buffering.max.messages": 1_000_000}
    producer = Producer({**cluster, **settings, "delivery.report.only.error": True})
    count = 0
    for block in messages:
        while len(producer) > 500_000:
            producer.poll(0.05)
        columns = (block["key"].cast(pl.Binary), block["value"].cast(pl.Binary), block["k"] % partitions)
        batch: list[dict[str, Any]] = [
            {"key": key, "value": value, "partition": partition}
            for key, value, partition in zip(*(column.to_list() for column in columns), strict=True)
        ]
        queued = producer.produce_batch(topic, batch, on_delivery=report)
        assert queued == len(batch), f"{len(batch) - queued} of {len(batch)} messages were not queued"
        count += queued
    assert producer.flush(300) == 0 and not refused, refused[:1] or "not all messages were sent"
    return count
