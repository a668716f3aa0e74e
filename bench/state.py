"""Whether a batch takes longer when there is more state, and how many changes a second an aggregate takes:

    python -m bench.state [--keys 10000,5000000] [--batches 15] [--rows 100000] [--backend rocksdb]

A Debezium changelog of that many keys is read into an aggregate by key, all of them inserts; then come batches of updates, the
same number of rows each, each of ten thousand keys chosen by chance, and their times are told. The last sums are compared with a count of
their own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from confluent_kafka import Producer
from numpy.typing import NDArray

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.record import read_records

_PARTITIONS = 4
#: How many keys a batch of updates touches, however many there are: what differs is the state, not the work.
_TOUCHED = 10_000
#: The first batches after a start are cold.
_COLD = 5

_SCRIPT = """\
CREATE TABLE changes (k BIGINT, v BIGINT) WITH ('connector' = 'kafka', 'topic' = '{source}', {common},
  'format' = 'debezium-json', 'properties.group.id' = '{source}', 'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset', 'scan.max-rows-per-batch' = '{rows}');
CREATE TABLE sums (k BIGINT, n BIGINT, total BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = '{sink}', {common}, 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO sums SELECT k, COUNT(*), SUM(v) FROM changes GROUP BY k;
"""


class Changes:
    """The value of each key, and the messages that change it."""

    def __init__(self, cluster: Mapping[str, str], topic: str, keys: int, partitions: int = _PARTITIONS) -> None:
        self._producer = Producer({**cluster, "linger.ms": 50, "queue.buffering.max.messages": 1_000_000})
        self._topic, self._partitions = topic, partitions
        self.values: NDArray[np.int64] = np.arange(keys, dtype=np.int64)
        self._chance = np.random.default_rng(7)

    def insert(self) -> None:
        self._send(
            (key, b'{"before":null,"after":{"k":%d,"v":%d},"op":"c"}' % (key, value))
            for key, value in enumerate(self.values.tolist())
        )

    def update(self, count: int) -> None:
        self._send(self._updates(count))

    def _updates(self, count: int) -> Iterator[tuple[int, bytes]]:
        some = self._chance.choice(len(self.values), _TOUCHED, replace=False)
        for key in self._chance.choice(some, count).tolist():
            old = int(self.values[key])
            self.values[key] = old + 1
            yield (
                key,
                b'{"before":{"k":%d,"v":%d},"after":{"k":%d,"v":%d},"op":"u"}' % (key, old, key, old + 1),
            )

    def _send(self, messages: Iterator[tuple[int, bytes]]) -> None:
        for number, (key, value) in enumerate(messages):
            while True:
                try:
                    self._producer.produce(self._topic, value, partition=key % self._partitions)
                    break
                except BufferError:
                    self._producer.poll(0.1)
            if number % 10_000 == 0:
                self._producer.poll(0)
        assert self._producer.flush(120) == 0


def run(script: Path, settings: Mapping[str, str], *, fresh: bool) -> list[tuple[float, int]]:
    """Seconds and rows of each batch."""
    job = firesteel.start(script, settings=dict(settings), fresh=fresh)
    found: dict[float, tuple[float, int]] = {}
    while True:
        snapshot = job.snapshot()
        for source in snapshot.sources:
            found |= {sample.time: (sample.seconds, sample.rows) for sample in source.recent}
        if snapshot.state.is_over:
            break
        time.sleep(0.2)
    job.wait()
    return [sample for _, sample in sorted(found.items())]


def measure(bootstrap: str, folder: Path, keys: int, batches: int, rows: int, backend: str) -> dict[str, float]:
    cluster = {"bootstrap.servers": bootstrap}
    source, sink = f"changes-{keys}", f"sums-{keys}"
    for topic in (source, sink):
        create_topic(cluster, topic, partitions=_PARTITIONS)
    changes = Changes(cluster, source, keys)
    changes.insert()
    script = folder / f"state-{keys}.sql"
    common = f"'properties.bootstrap.servers' = '{bootstrap}'"
    script.write_text(_SCRIPT.format(source=source, sink=sink, common=common, rows=rows))
    settings = {"state.backend.type": backend}
    began = time.monotonic()
    run(script, settings, fresh=True)
    filled = time.monotonic() - began
    for _ in range(batches + _COLD):
        changes.update(rows)
    samples = [seconds for seconds, count in run(script, settings, fresh=False) if count][_COLD:]
    last = {}
    for record in read_records(cluster, sink):
        row = json.loads(record.value or b"{}")
        last[row["k"]] = (row["n"], row["total"])
    wrong = sum(last.get(key) != (1, value) for key, value in enumerate(changes.values.tolist()))
    assert not wrong, f"{wrong} of {keys} keys are wrong"
    middle = statistics.median(samples)
    return {
        "keys": keys,
        "batches": len(samples),
        "batch_seconds": round(middle, 3),
        "slowest": round(max(samples), 3),
        "changes_per_second": round(rows / middle),
        "fill_seconds": round(filled, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", default="10000,5000000")
    parser.add_argument("--batches", type=int, default=15)
    parser.add_argument("--rows", type=int, default=100_000, help="of each batch")
    parser.add_argument("--backend", default="rocksdb", choices=("rocksdb", "hashmap"))
    args = parser.parse_args()
    found = []
    with start_broker(heap="1g") as broker, tempfile.TemporaryDirectory() as folder:
        for keys in map(int, args.keys.split(",")):
            one = measure(broker.bootstrap, Path(folder), keys, args.batches, args.rows, args.backend)
            found.append(one)
            print(json.dumps({"backend": args.backend, **one}), flush=True)
    print(json.dumps({"batch_time_ratio": round(found[-1]["batch_seconds"] / found[0]["batch_seconds"], 2)}))


if __name__ == "__main__":
    main()
