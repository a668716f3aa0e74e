"""Queries 1, 6 and 12 of TPC-H, near enough, over orders and their lines while both are inserted, changed and deleted."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.oracle.topic import upserted

import firesteel

_SEED = 19921996
_CHANGES = 4000

_LINE = (
    "orderkey INT, linenumber INT, quantity DECIMAL(12, 2), price DECIMAL(12, 2), discount DECIMAL(12, 2),"
    " tax DECIMAL(12, 2), flag {text}, status {text}, shipdate DATE, commitdate DATE, receiptdate DATE, mode {text}"
)
_ORDER = "orderkey INT, priority {text}, orderdate DATE"

_QUESTIONS = {
    "q1": (
        "flag STRING, status STRING, n BIGINT, qty DECIMAL(38, 2), base DECIMAL(38, 2), disc DECIMAL(38, 4)",
        "flag, status",
        "SELECT flag, status, COUNT(*), SUM(quantity), SUM(price), SUM(price * (1 - discount))"
        " FROM lines WHERE shipdate <= DATE '1998-09-02' GROUP BY flag, status",
    ),
    "q6": (
        "one INT, revenue DECIMAL(38, 4)",
        "one",
        "SELECT 1, revenue FROM (SELECT SUM(price * discount) AS revenue FROM lines WHERE shipdate >= DATE '1994-01-01'"
        " AND shipdate < DATE '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24)",
    ),
    "q12": (
        "mode STRING, high BIGINT, low BIGINT",
        "mode",
        "SELECT l.mode, COUNT(*) FILTER (WHERE o.priority IN ('1-URGENT', '2-HIGH')),"
        " COUNT(*) FILTER (WHERE o.priority NOT IN ('1-URGENT', '2-HIGH'))"
        " FROM orders AS o JOIN lines AS l ON o.orderkey = l.orderkey WHERE l.mode IN ('MAIL', 'SHIP')"
        " AND l.commitdate < l.receiptdate AND l.shipdate < l.commitdate GROUP BY l.mode",
    ),
}

Row = dict[str, Any]


def test_the_answers_are_duckdbs(
    cluster: dict[str, str], spark: SparkSession, make_topic: Callable[..., str], tmp_path: Path
) -> None:
    topics = {name: make_topic(partitions=1) for name in ("orders", "lines", *_QUESTIONS)}
    tables = _write_changes(cluster, topics)
    bootstrap = cluster["bootstrap.servers"]
    parts = []
    for name, columns in (("orders", _ORDER), ("lines", _LINE)):
        parts.append(
            f"CREATE TABLE {name} ({columns.format(text='STRING')}) WITH ('connector' = 'kafka', 'format' = 'debezium-json',"
            f" 'topic' = '{topics[name]}', 'properties.bootstrap.servers' = '{bootstrap}', 'scan.startup.mode' ="
            " 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'scan.max-rows-per-batch' = '1500');"
        )
    for name, (columns, key, query) in _QUESTIONS.items():
        parts.append(
            f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',"
            f" 'topic' = '{topics[name]}', 'properties.bootstrap.servers' = '{bootstrap}', 'key.format' = 'json',"
            f" 'value.format' = 'json');\nINSERT INTO {name} {query};"
        )
    script = tmp_path / "tpch.sql"
    script.write_text("\n".join(parts), encoding="utf-8")
    firesteel.run(script, spark=spark)
    for name, (_, _, query) in _QUESTIONS.items():
        assert _state(cluster, topics[name]) == _expected(tables, query), name


def _write_changes(cluster: dict[str, str], topics: dict[str, str]) -> dict[str, list[Row]]:
    """Changes by chance; what is left of the tables in the end."""
    chance = random.Random(_SEED)
    producer = Producer({**cluster, "linger.ms": 5})
    tables: dict[str, dict[Any, Row]] = {"orders": {}, "lines": {}}
    for _ in range(_CHANGES):
        name = chance.choice(["orders", "lines", "lines"])
        order = chance.randrange(300)
        key = (order, 0) if name == "orders" else (order, chance.randrange(1, 4))
        table = tables[name]
        old = table.get(key)
        if old is not None and chance.random() < 0.3:
            change = {"before": old, "after": None, "op": "d"}
            del table[key]
        else:
            table[key] = _order(chance, order) if name == "orders" else _line(chance, *key)
            change = {"before": old, "after": table[key], "op": "c" if old is None else "u"}
        producer.produce(topics[name], json.dumps(change).encode())
    assert producer.flush(30) == 0
    return {name: list(table.values()) for name, table in tables.items()}


def _order(chance: random.Random, number: int) -> Row:
    priority = chance.choice(["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"])
    return {"orderkey": number, "priority": priority, "orderdate": _day(chance)}


def _line(chance: random.Random, order: int, number: int) -> Row:
    return {
        "orderkey": order,
        "linenumber": number,
        "quantity": chance.randrange(1, 50),
        "price": chance.randrange(100_00, 900_00) / 100,
        "discount": chance.randrange(0, 11) / 100,
        "tax": chance.randrange(0, 9) / 100,
        "flag": chance.choice("ANR"),
        "status": chance.choice("OF"),
        "shipdate": _day(chance),
        "commitdate": _day(chance),
        "receiptdate": _day(chance),
        "mode": chance.choice(["MAIL", "SHIP", "AIR", "RAIL"]),
    }


def _day(chance: random.Random) -> str:
    return (datetime.date(1992, 1, 1) + datetime.timedelta(days=chance.randrange(2500))).isoformat()


def _expected(tables: dict[str, list[Row]], query: str) -> set[tuple[Any, ...]]:
    database = duckdb.connect()
    for name, columns in (("orders", _ORDER), ("lines", _LINE)):
        database.execute(f"CREATE TABLE {name} ({columns.format(text='VARCHAR')})")
        for row in tables[name]:
            database.execute(f"INSERT INTO {name} VALUES ({', '.join('?' for _ in row)})", list(row.values()))
    return {tuple(map(_plain, row)) for row in database.execute(query).fetchall()}


def _state(cluster: dict[str, str], topic: str) -> set[tuple[Any, ...]]:
    return {tuple(map(_plain, row.values())) for row in upserted(cluster, topic)}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        raise AssertionError("a sum of decimals is a decimal")
    return Decimal(value).normalize() + 0 if isinstance(value, int | Decimal) else value
