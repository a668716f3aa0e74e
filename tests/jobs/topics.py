"""The topics of a case on a broker: `prepare` makes them, `fill` fills them, `compare` says what differs, byte by byte."""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from tests.jobs.case import Case, Topics
from tests.message import Message

from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.record import Record, read_records


def prepare(case: Case, cluster: dict[str, str], producer: Producer) -> str:
    """Makes fresh topics, fills them, and commits the offsets that the case asks for; gives the name of this run."""
    run = uuid.uuid4().hex[:10]
    for topic, partitions in case.partitions.items():
        create_topic(
            cluster,
            case.topic(topic, run),
            partitions=partitions,
            settings={"retention.ms": "-1"},
            timeout=60,
        )
    fill(case, case.input, run, producer)
    for group, topics in case.said.get("groups", {}).items():
        consumer = Consumer(
            {**cluster, "group.id": case.group(group, run), "enable.auto.commit": False, "log_level": 0}
        )
        consumer.commit(
            offsets=[
                TopicPartition(case.topic(topic, run), int(number), offset)
                for topic, parts in topics.items()
                for number, offset in parts.items()
            ],
            asynchronous=False,
        )
        consumer.close()
    return run


def fill(case: Case, topics: Topics, run: str, producer: Producer) -> None:
    """Write messages in their order, to partition 0 where they name none."""
    for topic, messages in topics.items():
        for message in messages:
            options: dict[str, Any] = {}
            if message.timestamp is not None:
                options["timestamp"] = message.timestamp
            if message.headers:
                options["headers"] = list(message.headers)
            producer.produce(case.topic(topic, run), message.value, message.key, message.partition or 0, **options)
    assert producer.flush(30) == 0


def compare(case: Case, cluster: dict[str, str], run: str) -> list[str]:
    """What differs between the expected messages and the topics of this run."""
    said = case.said.get("compare", "ordered-by-partition")
    differences: list[str] = []
    for topic, messages in case.expected.items():
        mode = said if isinstance(said, str) else said.get(topic, "ordered-by-partition")
        columns = compared_columns(messages)
        wanted = [_expected(case, message, columns, run) for message in messages]
        found = [_found(case, record, columns) for record in read_records(cluster, case.topic(topic, run))]
        found.sort(key=lambda row: row.place)
        differences += [f"{topic}: {text}" for text in MODES[mode](wanted, found)]
    return differences


def compared_columns(messages: Sequence[Message]) -> list[str]:
    """What is compared beside key and value: what one of the expected messages has."""
    names = ("partition", "timestamp", "headers")
    return [name for name in names if any(getattr(message, name) is not None for message in messages)]


@dataclass(frozen=True)
class Row:
    """A record as far as the case compares it; `place` orders records and is not compared."""

    key: bytes | None
    value: bytes | None
    extra: tuple[Any, ...]
    place: tuple[int, int]

    @property
    def compared(self) -> tuple[Any, ...]:
        return self.key, self.value, self.extra


def _expected(case: Case, message: Message, columns: list[str], run: str) -> Row:
    def filled(value: bytes | None) -> bytes | None:
        if value is None:
            return None
        for topic in case.partitions:
            value = value.replace(f"${{topic:{topic}}}".encode(), case.topic(topic, run).encode())
        return _micros(case, value)

    headers = tuple(sorted((name, filled(value)) for name, value in message.headers or ()))
    extra = {"partition": message.partition, "timestamp": message.timestamp, "headers": headers}
    return Row(
        filled(message.key),
        filled(message.value),
        tuple(extra[name] for name in columns),
        (message.partition or 0, 0),
    )


def _found(case: Case, record: Record, columns: list[str]) -> Row:
    headers = tuple(sorted(record.headers))
    extra = {"partition": record.partition, "timestamp": record.timestamp, "headers": headers}
    return Row(
        _micros(case, record.key),
        _micros(case, record.value),
        tuple(extra[name] for name in columns),
        (record.partition, record.offset),
    )


def _micros(case: Case, value: bytes | None) -> bytes | None:
    """Spark keeps microseconds, Flink nanoseconds: a case that says so is compared to six digits."""
    if value is None or not case.has_micros:
        return value
    return re.sub(
        rb"(\d\d:\d\d:\d\d)\.(\d+)", lambda match: (match[1] + b"." + match[2][:6]).rstrip(b"0").rstrip(b"."), value
    )


def _in_order(wanted: list[Row], found: list[Row]) -> list[str]:
    def by_partition(rows: list[Row]) -> dict[int, list[tuple[Any, ...]]]:
        pinned = any(row.place[0] for row in wanted)
        parts: dict[int, list[tuple[Any, ...]]] = {}
        for row in rows:
            parts.setdefault(row.place[0] if pinned else 0, []).append(row.compared)
        return parts

    one, two = by_partition(wanted), by_partition(found)
    return [
        f"partition {number}: expected {one.get(number)}, found {two.get(number)}"
        for number in sorted({*one, *two})
        if one.get(number) != two.get(number)
    ]


def _any_order(wanted: list[Row], found: list[Row]) -> list[str]:
    one, two = Counter(row.compared for row in wanted), Counter(row.compared for row in found)
    return [f"missing {row}" for row in (one - two).elements()] + [
        f"not expected {row}" for row in (two - one).elements()
    ]


def _in_order_of_key(wanted: list[Row], found: list[Row]) -> list[str]:
    def by_key(rows: list[Row]) -> dict[bytes | None, list[tuple[Any, ...]]]:
        keys: dict[bytes | None, list[tuple[Any, ...]]] = {}
        for row in rows:
            keys.setdefault(row.key, []).append(row.compared)
        return keys

    one, two = by_key(wanted), by_key(found)
    return [
        f"key {key!r}: expected {one.get(key)}, found {two.get(key)}"
        for key in {**one, **two}
        if one.get(key) != two.get(key)
    ]


def _last_per_key(wanted: list[Row], found: list[Row]) -> list[str]:
    def last(rows: list[Row]) -> dict[bytes | None, tuple[Any, ...]]:
        state: dict[bytes | None, tuple[Any, ...]] = {}
        for row in rows:
            state.pop(row.key, None)
            if row.value is not None:
                state[row.key] = row.compared
        return state

    one, two = last(wanted), last(found)
    return [
        f"key {key!r}: expected {one.get(key)}, found {two.get(key)}"
        for key in {**one, **two}
        if one.get(key) != two.get(key)
    ]


def _count(wanted: list[Row], found: list[Row]) -> list[str]:
    return [] if len(wanted) == len(found) else [f"expected {len(wanted)} records, found {len(found)}"]


def _net(wanted: list[Row], found: list[Row]) -> list[str]:
    one, two = net_rows(wanted), net_rows(found)
    return [f"row {row}: expected {one[row]}, found {two[row]}" for row in {*one, *two} if one[row] != two[row]]


def net_rows(rows: list[Row]) -> Counter[str]:
    """A debezium-json or canal-json changelog folded to the rows that are left, each with its count."""
    bag: Counter[str] = Counter()
    for row in rows:
        if row.value is None:
            continue
        envelope = json.loads(row.value)
        if "op" in envelope:
            if envelope.get("before") is not None and envelope["op"] not in "cr":
                bag[json.dumps(envelope["before"])] -= 1
            if envelope.get("after") is not None:
                bag[json.dumps(envelope["after"])] += 1
        else:
            for data in envelope["data"]:
                bag[json.dumps(data)] += -1 if envelope["type"] == "DELETE" else 1
    return Counter({text: count for text, count in bag.items() if count})


#: Ordered within each partition, or within each key; in any order; the last of each key; what a changelog comes to; how many.
MODES: Mapping[str, Callable[[list[Row], list[Row]], list[str]]] = {
    "ordered-by-partition": _in_order,
    "ordered-by-key": _in_order_of_key,
    "multiset": _any_order,
    "last-per-key": _last_per_key,
    "cdc-net": _net,
    "count": _count,
}
