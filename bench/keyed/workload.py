"""Says what the engines have to do: tables, a query, and the rows that its sink has in the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from bench.keyed.answer import Read, read_changelog, read_upserts
from bench.keyed.changes import Changes
from bench.keyed.topic import CHANGELOG, CUSTOMERS, UPSERTS, Source, Topic, customers_of

#: What a sink has in the end, computed of the rows that are left of each table.
Expected = Callable[[Sequence[pl.DataFrame]], pl.DataFrame]

#: Where rows go when the answer is looked at, and where they go when they are counted only.
_UPSERT = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'"
_BLACKHOLE = "'connector' = 'blackhole'"
_LAST = " ON CONFLICT DO DEDUPLICATE"
_DEBEZIUM = "'connector' = 'kafka', 'format' = 'debezium-json'"


@dataclass(frozen=True)
class Workload:
    """`columns` and `key` are those of the sink. Its rows go to a blackhole when they are counted, unless `sink` says where; a
    sink without a key is a changelog in Kafka. `conflict` says what a sink with a key does with rows that share it, which Flink wants to
    be told where the query has another key.
    """

    name: str
    title: str
    sources: tuple[Source, ...]
    columns: str
    key: str
    query: str
    expected: Expected
    sink: str = _BLACKHOLE
    conflict: str = ""

    @property
    def writes(self) -> bool:
        """Says whether all runs write to Kafka."""
        return self.sink != _BLACKHOLE

    @property
    def read(self) -> Read:
        return read_upserts if self.key else read_changelog

    def changes(self, rows: int, keys: int, *, filled: bool = False) -> list[Changes]:
        """Makes the changes of each table. Customers change less often than what is joined with them."""
        return [
            Changes(keys + rows // 10, keys, filled=True, seed=11)
            if source is CUSTOMERS
            else Changes(rows, keys, filled)
            for source in self.sources
        ]

    def render(self, bootstrap: str, topics: Sequence[Topic], sink: str, *, checked: bool) -> str:
        """Renders the script. The answer of a `checked` one can be read from the topic `sink`."""
        declared = [topic.source.declare(bootstrap, topic.name) for topic in topics]
        columns, options, conflict = self.columns, self.sink, ""
        if checked and self.key:
            columns, options = f"{columns}, PRIMARY KEY ({self.key}) NOT ENFORCED", _UPSERT
            conflict = self.conflict
        if options != _BLACKHOLE:
            options += f", 'topic' = '{sink}', 'properties.bootstrap.servers' = '{bootstrap}'"
        declared.append(f"CREATE TABLE results ({columns}) WITH ({options});\n")
        return "".join(declared) + f"INSERT INTO results {self.query}{conflict};\n"


def _aggregate(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return (
        tables[0]
        .group_by("g")
        .agg(pl.len().cast(pl.Int64).alias("n"), pl.col("v").sum().alias("total"), pl.col("v").max().alias("most"))
    )


def _joined(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    orders, customers = tables[0], customers_of(tables[1])
    found = orders.join(customers.select("id", "name", "level"), left_on="g", right_on="id")
    return found.select("k", "g", "v", "name", "level")


def _top(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    ordered = tables[0].sort("v", "k", descending=[True, False])
    return ordered.group_by("c", maintain_order=True).head(3).select("c", "k", "v")


def _extremes(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return (
        tables[0]
        .group_by("c")
        .agg(pl.len().cast(pl.Int64).alias("n"), pl.col("v").min().alias("least"), pl.col("v").max().alias("most"))
    )


def _table(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return tables[0].select("k", "g", "c", "v")


AGGREGATE = Workload(
    "aggregate",
    "COUNT, SUM and MAX by group over an upsert topic",
    (UPSERTS,),
    "g BIGINT, n BIGINT, total BIGINT, most BIGINT",
    "g",
    "SELECT g, COUNT(*), SUM(v), MAX(v) FROM upserts GROUP BY g",
    _aggregate,
)
WORKLOADS = (
    AGGREGATE,
    Workload(
        "join",
        "two upsert topics, both of which change, joined",
        (UPSERTS, CUSTOMERS),
        "k BIGINT, g BIGINT, v BIGINT, name STRING, level BIGINT",
        "k, g",
        "SELECT k, g, v, name, level FROM upserts JOIN customers ON g = id",
        _joined,
        conflict=_LAST,
    ),
    Workload(
        "top",
        "Top-3 of ten groups each over an upsert topic",
        (UPSERTS,),
        "c BIGINT, k BIGINT, v BIGINT",
        "c, k",
        "SELECT c, k, v FROM (SELECT c, k, v, ROW_NUMBER() OVER (PARTITION BY c ORDER BY v DESC, k) AS place"
        " FROM upserts) WHERE place <= 3",
        _top,
        conflict=_LAST,
    ),
    Workload(
        "debezium",
        "COUNT, MIN and MAX of ten groups each over debezium-json",
        (CHANGELOG,),
        "c BIGINT, n BIGINT, least BIGINT, most BIGINT",
        "c",
        "SELECT c, COUNT(*), MIN(v), MAX(v) FROM changelog GROUP BY c",
        _extremes,
    ),
    Workload(
        "changelog",
        "an upsert topic as debezium-json with old rows, Kafka to Kafka",
        (UPSERTS,),
        "k BIGINT, g BIGINT, c BIGINT, v BIGINT",
        "",
        "SELECT k, g, c, v FROM upserts",
        _table,
        _DEBEZIUM,
    ),
)
