"""What must be true of the output whatever happened to the job: an independent account of every row.

Rows have unique ids and a checksum; a key's ids grow. Two readers look at the output, both `read_committed`: one all the
time, while things go wrong, and one from the beginning at the end.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition

from firesteel.connectors.kafka.admin import describe_topics
from firesteel.dev.record import Record, read_records

KEYS = 50

#: What a reader hears while a broker is away.
_AWAY = (
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._RESOLVE,
    KafkaError._TIMED_OUT,
    KafkaError._DESTROY,
)


def key_of(number: int) -> str:
    return f"k{number % KEYS}"


def checksum(number: int) -> int:
    return zlib.crc32(f"row {number}".encode())


def fill(cluster: Mapping[str, str], topic: str, first: int, count: int) -> None:
    # Idempotent, and patient with a broker that is away: what is sent twice here would be the job's fault below.
    settings = {"partitioner": "murmur2_random", "linger.ms": 20, "enable.idempotence": True, "message.timeout.ms": 0}
    producer = Producer({**cluster, **settings, "log_level": 0})
    for number in range(first, first + count):
        value = json.dumps({"id": number, "k": key_of(number), "crc": checksum(number)})
        while True:
            try:
                producer.produce(topic, value, key_of(number))
                break
            except BufferError:
                producer.poll(0.1)
    assert producer.flush(900) == 0


class LiveReader(threading.Thread):
    """Reads a topic as a customer would, from now on. What it has seen can never be unseen."""

    def __init__(self, cluster: Mapping[str, str], topic: str, partitions: int) -> None:
        super().__init__(daemon=True, name=f"reader of {topic}")
        self._consumer = Consumer(
            {
                **cluster,
                "group.id": f"live-{topic}",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "log_level": 0,
            }
        )
        self._consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(partitions)])
        self._ending = threading.Event()
        self.records: list[Record] = []
        self.start()

    def run(self) -> None:
        while not self._ending.is_set():
            for message in self._consumer.consume(1000, 0.2):
                error = message.error()
                if error is None:
                    value, key = message.value(), message.key()
                    self.records.append(
                        Record(
                            message.partition() or 0,
                            message.offset() or 0,
                            None,
                            key if isinstance(key, bytes) else None,
                            value if isinstance(value, bytes) else None,
                        )
                    )
                else:
                    # A broker that is away for a while comes back.
                    assert error.retriable() or error.code() in _AWAY, error
        self._consumer.close()

    def stop(self) -> list[Record]:
        self._ending.set()
        self.join(30)
        return self.records


def all_records(cluster: Mapping[str, str], topic: str) -> list[Record]:
    return list(read_records(cluster, topic))


def copy_mistakes(records: list[Record], rows: int, *, exactly: bool = True) -> list[str]:
    """What is wrong with a topic that should hold each of the rows once; at least once where not `exactly`."""
    found = [json.loads(record.value or b"{}") for record in records]
    counted = Counter(row["id"] for row in found)
    mistakes = [f"row {number} is missing" for number in range(rows) if number not in counted]
    mistakes += [f"row {number} was never written" for number in counted if not 0 <= number < rows]
    mistakes += [f"row {row['id']} is damaged" for row in found if row["crc"] != checksum(row["id"])]
    if exactly:
        mistakes += [f"row {number} is there {times} times" for number, times in counted.items() if times > 1]
        mistakes += _disorder((row["k"], row["id"]) for row in _ordered(records))
    return mistakes


def count_mistakes(records: list[Record], rows: int, *, exactly: bool = True) -> list[str]:
    """What is wrong with a topic of counts per key, of which every third is taken back: no count comes twice, none goes
    back, the last ones are right.
    """
    last: dict[str, tuple[int, int] | None] = {}
    for record in sorted(records, key=lambda record: (record.partition, record.offset)):
        row = json.loads(record.value) if record.value is not None else None
        last[(record.key or b"").decode()] = (row["n"], row["last"]) if row else None
    mistakes = []
    for key in range(min(KEYS, rows)):
        count, greatest = len(range(key, rows, KEYS)), max(range(key, rows, KEYS))
        wanted = (count, greatest) if count % 3 else None
        # A count that was never there need not be taken back.
        if last.get(key_of(key)) != wanted:
            mistakes.append(f"key {key_of(key)} is {last.get(key_of(key))}, not {wanted}")
    counts = ((row["k"], row["n"]) for row in _ordered(records) if row)
    return mistakes + (_disorder(counts) if exactly else [])


def _ordered(records: list[Record]) -> list[dict[str, Any]]:
    return [
        json.loads(record.value or b"{}")
        for record in sorted(records, key=lambda record: (record.partition, record.offset))
    ]


def _disorder(pairs: Iterable[tuple[str, int]]) -> list[str]:
    seen: dict[str, list[int]] = defaultdict(list)
    for key, number in pairs:
        seen[key].append(number)
    return [
        f"key {key}: {one} comes before {two}"
        for key, numbers in seen.items()
        for one, two in pairwise(numbers)
        if one >= two
    ]


def open_ends(cluster: Mapping[str, str], topic: str) -> list[str]:
    """Partitions whose end readers cannot reach, because a transaction is open."""
    consumer = Consumer({**cluster, "group.id": "look", "isolation.level": "read_committed"})
    [described] = describe_topics(cluster, [topic])
    held = []
    for partition in described.partitions:
        _, stable = consumer.get_watermark_offsets(TopicPartition(topic, partition.index), timeout=10, cached=False)
        if stable < partition.high:
            held.append(f"partition {partition.index} of '{topic}' is held at {stable} of {partition.high}")
    consumer.close()
    return held
