"""Cases recorded from real Flink: what goes in, the script, and what Flink wrote or refused.

`prepare` makes a case's topics and fills them, `read_output` reads what a job wrote, `compare` says what differs, byte
by byte. The files in `cases/` are recordings: nothing in them is written by hand but the input.
"""

from __future__ import annotations

import base64
import json
import re
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.record import Record, read_records

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    name: str
    body: Mapping[str, Any]

    @property
    def error_phase(self) -> str | None:
        """`ddl` and `plan` errors are found by `check`, `run` errors while the job runs; None: it gives an output."""
        error = self.body["expect"].get("error")
        return error["phase"] if error else None

    @property
    def differs(self) -> str | None:
        """Why Firesteel deliberately does otherwise."""
        return self.body.get("differs")

    def script(self, bootstrap: str, run: str) -> str:
        """The script with the names of one run in it."""
        known = {"bootstrap": bootstrap, "uid": run, "prefix": f"cc_{run}_"}

        def one(match: re.Match[str]) -> str:
            key = match.group(1)
            if key.startswith("topic:"):
                return self.topic(key.removeprefix("topic:"), run)
            if key.startswith("group:"):
                return self.group(key.removeprefix("group:"), run)
            return known[key]

        return re.sub(r"\$\{([^}]+)\}", one, self.body["sql"])

    def topic(self, name: str, run: str) -> str:
        return f"cc_{run}_{name}"

    def group(self, name: str, run: str) -> str:
        return f"ccg_{run}_{name}"


def load_cases() -> list[Case]:
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.json"))]
    return [Case(body["name"], body) for body in found]


def to_bytes(value: Any) -> bytes | None:
    """A recorded key or value: text, null, or base64."""
    if value is None:
        return None
    return base64.b64decode(value["b64"]) if isinstance(value, dict) else str(value).encode()


def prepare(case: Case, cluster: dict[str, str], producer: Producer) -> str:
    """Makes and fills fresh topics and commits the offsets the case asks for; the name of this run."""
    run = uuid.uuid4().hex[:10]
    for topic, spec in case.body["topics"].items():
        create_topic(
            cluster,
            case.topic(topic, run),
            partitions=(spec or {}).get("partitions", 1),
            settings={"retention.ms": "-1"},
            timeout=60,
        )
    for topic, records in (case.body.get("input") or {}).items():
        for record in records:
            options: dict[str, Any] = {}
            if record.get("timestamp") is not None:
                options["timestamp"] = record["timestamp"]
            if record.get("headers"):
                options["headers"] = [(name, to_bytes(value)) for name, value in record["headers"]]
            producer.produce(
                case.topic(topic, run),
                to_bytes(record.get("value")),
                to_bytes(record.get("key")),
                record.get("partition", 0),
                **options,
            )
    assert producer.flush(30) == 0
    for group, topics in (case.body.get("groups") or {}).items():
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


def compare(case: Case, cluster: dict[str, str], run: str) -> list[str]:
    """What differs between the recorded output and the topics of this run."""
    expected = dict(case.body["expect"])
    mode = expected.pop("compare", "ordered-by-partition")
    differences: list[str] = []
    for topic, records in expected.items():
        columns = [name for name in ("partition", "timestamp", "headers") if any(name in record for record in records)]
        wanted = [_expected(case, record, columns, run) for record in records]
        found = [_found(case, record, columns) for record in read_records(cluster, case.topic(topic, run))]
        found.sort(key=lambda row: row.place)
        differences += [f"{topic}: {text}" for text in _MODES[mode](wanted, found)]
    return differences


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


def _expected(case: Case, record: Mapping[str, Any], columns: list[str], run: str) -> Row:
    def filled(value: bytes | None) -> bytes | None:
        if value is None:
            return None
        for topic in case.body["topics"]:
            value = value.replace(f"${{topic:{topic}}}".encode(), case.topic(topic, run).encode())
        return _micros(case, value)

    headers = tuple(sorted((name, filled(to_bytes(value))) for name, value in record.get("headers") or ()))
    extra = {"partition": record.get("partition"), "timestamp": record.get("timestamp"), "headers": headers}
    return Row(
        filled(to_bytes(record.get("key"))),
        filled(to_bytes(record.get("value"))),
        tuple(extra[name] for name in columns),
        (record.get("partition") or 0, 0),
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
    if value is None or not case.body.get("micros"):
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


_MODES: Mapping[str, Callable[[list[Row], list[Row]], list[str]]] = {
    "ordered-by-partition": _in_order,
    "multiset": _any_order,
    "last-per-key": _last_per_key,
    "cdc-net": _net,
    "count": _count,
}
