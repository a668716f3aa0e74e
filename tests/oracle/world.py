"""Tables that change, and what a change writes to their topics: the truth that queries are held against."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

import duckdb

#: A row by its columns' names.
Row = dict[str, Any]
#: Topic, key and value of a record.
Record = tuple[str, bytes | None, bytes | None]

_KEYS = ["a", "b", "c", "d", None]


@dataclass
class World:
    """`orders` is read as debezium-json, `people` as an upsert topic, `events` only grows."""

    random: Random
    orders: dict[int, Row] = field(default_factory=dict)
    people: dict[int, Row] = field(default_factory=dict)
    events: list[Row] = field(default_factory=list)

    def step(self) -> Record:
        """One change, chosen by chance."""
        return self.random.choice([self._change_order, self._change_order, self._change_person, self._add_event])()

    def _order(self, number: int) -> Row:
        return {
            "id": number,
            "k": self.random.choice(_KEYS),
            "v": self.random.choice([None, *range(-3, 9)]),
            "d": self.random.randrange(-500, 5000) / 100,
            "c": self.random.choice([None, *range(6)]),
        }

    def _change_order(self) -> Record:
        number = self.random.randrange(12)
        old = self.orders.get(number)
        if old is None:
            new = self.orders[number] = self._order(number)
            return "orders", None, _json({"before": None, "after": new, "op": "c"})
        if self.random.random() < 0.35:
            del self.orders[number]
            return "orders", None, _json({"before": old, "after": None, "op": "d"})
        new = self.orders[number] = self._order(number)
        return "orders", None, _json({"before": old, "after": new, "op": "u"})

    def _change_person(self) -> Record:
        number = self.random.randrange(7)
        key = _json({"id": number})
        # A tombstone may also come for somebody who was never there.
        if self.random.random() < 0.3:
            self.people.pop(number, None)
            return "people", key, None
        row = self.people[number] = {
            "id": number,
            "g": self.random.choice(["x", "y", None]),
            "x": self.random.randrange(5),
        }
        return "people", key, _json(row)

    def _add_event(self) -> Record:
        row = {
            "id": len(self.events),
            "k": self.random.choice(_KEYS),
            "v": self.random.choice([None, *range(-3, 9)]),
            "c": self.random.choice([None, *range(6)]),
        }
        self.events.append(row)
        return "events", None, _json(row)

    def answer(self, sql: str) -> list[tuple[Any, ...]]:
        """What a query gives over the tables as they are now."""
        database = duckdb.connect()
        database.execute("CREATE TABLE orders (id INT, k VARCHAR, v INT, d DECIMAL(10, 2), c INT)")
        database.execute("CREATE TABLE people (id INT, g VARCHAR, x INT)")
        database.execute("CREATE TABLE events (id INT, k VARCHAR, v INT, c INT)")
        for name, rows in (("orders", self.orders.values()), ("people", self.people.values()), ("events", self.events)):
            for row in rows:
                marks = ", ".join("?" for _ in row)
                database.execute(f"INSERT INTO {name} VALUES ({marks})", list(row.values()))
        return database.execute(sql).fetchall()


def _json(value: Row) -> bytes:
    return json.dumps(value).encode()
