"""Whether state grows without end: updates of as many keys as there were in the beginning, for a long time.

    python -m tests.long.growth [--minutes 30] [--keys 100000] [--rate 1500] [--setting KEY=VALUE]

A job with a LEFT JOIN, an aggregate with MAX and a Top-N on the state engine reads changes of keys chosen by chance. Its checkpoint folder
is measured all the time: what it takes in the last third of the run may not be more than a fifth above the middle one. Then the same
job with a short time to live reads changes of all keys, and after that of a hundredth of them only: rows and files have to fall.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from confluent_kafka import Producer
from numpy.typing import NDArray
from tests.script import EARLIEST, create_table

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker

_TOPICS = ("orders", "people")
#: How many rows have a key of the aggregate in common, or a partition of the Top-N.
_SHARED = 5
_BLACKHOLE = "'connector' = 'blackhole'"
#: Growth of the last third over the middle one that is chance: files are removed from minute to minute.
_LEVEL = 1.2


class Changes:
    """Sends updates of keys to both topics, with their old rows: `range_` says of which keys."""

    def __init__(self, cluster: dict[str, str], names: dict[str, str], keys: int, rate: int) -> None:
        self._producer = Producer({**cluster, "linger.ms": 50})
        self._names, self._keys, self._rate = names, keys, rate
        self._values: dict[str, NDArray[np.int64]] = {name: np.full(keys, -1) for name in names}
        self._chance = np.random.default_rng(11)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.range_, self.sent = keys, 0

    def fill(self) -> None:
        for name in self._names:
            self._send(name, np.arange(self._keys))

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        assert self._producer.flush(60) == 0

    def _run(self) -> None:
        while not self._over.wait(0.25):
            for name in self._names:
                self._send(name, self._chance.integers(0, self.range_, self._rate // 8))

    def _send(self, name: str, keys: NDArray[np.int64]) -> None:
        values = self._values[name]
        for key in keys.tolist():
            old, new = int(values[key]), int(self._chance.integers(0, 10**6))
            values[key] = new
            before = None if old < 0 else {"k": key, "g": key // _SHARED, "v": old}
            change = {
                "before": before,
                "after": {"k": key, "g": key // _SHARED, "v": new},
                "op": "u" if before else "c",
            }
            while True:
                try:
                    self._producer.produce(self._names[name], json.dumps(change), partition=key % 2)
                    break
                except BufferError:
                    self._producer.poll(0.1)
        self._producer.poll(0)
        self.sent += len(keys)


def script(cluster: dict[str, str], topics: dict[str, str], settings: list[str]) -> str:
    columns, options = "k BIGINT, g BIGINT, v BIGINT", f"{EARLIEST}, 'format' = 'debezium-json'"
    sets = [f"SET '{key}' = '{value}';" for key, _, value in (one.partition("=") for one in settings)]
    parts = ["SET 'parallelism.default' = '2';", "SET 'execution.checkpointing.interval' = '2 s';", *sets]
    parts += [create_table(cluster, name, columns, topics[name], options) for name in _TOPICS]
    parts += [
        f"CREATE TABLE joined (k BIGINT, v BIGINT, w BIGINT) WITH ({_BLACKHOLE});",
        f"CREATE TABLE extremes (g BIGINT, n BIGINT, hi BIGINT, PRIMARY KEY (g) NOT ENFORCED) WITH ({_BLACKHOLE});",
        f"CREATE TABLE best (g BIGINT, rn BIGINT, k BIGINT, PRIMARY KEY (g, rn) NOT ENFORCED) WITH ({_BLACKHOLE});",
        "EXECUTE STATEMENT SET BEGIN",
        "INSERT INTO joined SELECT o.k, o.v, p.v FROM orders AS o LEFT JOIN people AS p ON o.k = p.k;",
        "INSERT INTO extremes SELECT g, COUNT(*), MAX(v) FROM orders GROUP BY g;",
        "INSERT INTO best SELECT g, rn, k FROM (SELECT g, k, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC) AS rn"
        " FROM orders) WHERE rn <= 2;",
        "END;",
    ]
    return "\n".join(parts)


@dataclass(frozen=True)
class Sample:
    """The job at a moment: megabytes by kind of file, and rows, segments and batches of its operators."""

    seconds: float
    files: Counter[str]
    rows: int
    segments: int
    batches: int

    @property
    def megabytes(self) -> float:
        return sum(self.files.values()) / 1e6

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {size / 1e6:.1f}" for kind, size in self.files.most_common(4))
        return (
            f"{self.seconds:6.0f} s: {self.megabytes:8.1f} MB ({kinds}), {self.rows:,} rows in {self.segments} segments,"
            f" {self.batches} batches"
        )


def sizes(folder: Path) -> Counter[str]:
    """Adds bytes up by kind of file."""
    found: Counter[str] = Counter()
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                found[path.suffix or "log"] += path.stat().st_size
        except FileNotFoundError:
            continue
    return found


class Watched:
    """A job that is measured while it runs."""

    def __init__(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        self._folder, self._job = path.parent, firesteel.start(path)
        self._began = time.monotonic()

    def samples(self, seconds: float, every: float) -> Iterator[Sample]:
        """Measures the job for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(every)
            snapshot = self._job.snapshot()
            assert not snapshot.state.is_over, snapshot.error
            buckets = [bucket for operator in snapshot.operators for bucket in operator.buckets.values()]
            sample = Sample(
                time.monotonic() - self._began,
                sizes(self._folder),
                sum(bucket.rows for bucket in buckets),
                sum(bucket.segments for bucket in buckets),
                snapshot.batches,
            )
            print(sample, flush=True)
            yield sample

    def stop(self) -> None:
        self._job.stop()


def levels_off(samples: list[Sample]) -> bool:
    """Tells whether the last third took no more than the middle one; prints both."""
    third = len(samples) // 3
    middle, last = (max(one.megabytes for one in part) for part in (samples[third : 2 * third], samples[2 * third :]))
    print(f"at most {middle:.1f} MB in the middle third, {last:.1f} MB in the last one")
    return last <= middle * _LEVEL


def falls(samples: list[Sample], most: Sample) -> bool:
    """Tells whether rows and files have become a good deal fewer than at most."""
    last = samples[-1]
    print(f"from {most.rows:,} rows and {most.megabytes:.1f} MB to {last.rows:,} rows and {last.megabytes:.1f} MB")
    return last.rows < most.rows / 4 and last.megabytes < most.megabytes / 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--rate", type=int, default=1500, help="changes a second, both topics together")
    parser.add_argument("--setting", action="append", default=[], help="of the jobs, as KEY=VALUE")
    given = parser.parse_args()
    seconds = given.minutes * 60
    right = []
    with start_broker() as broker, tempfile.TemporaryDirectory(prefix="growth-") as folder:
        cluster = {"bootstrap.servers": broker.bootstrap}
        for part in ("stays", "ends"):
            topics = {name: f"{part}-{name}" for name in _TOPICS}
            for topic in topics.values():
                create_topic(cluster, topic, partitions=2)
            changes = Changes(cluster, topics, given.keys, given.rate)
            changes.fill()
            ttl = ["table.exec.state.ttl=60 s"] if part == "ends" else []
            place = Path(folder) / part
            place.mkdir()
            print("with a time to live of a minute:" if ttl else "for ever:", flush=True)
            job = Watched(place / "job.sql", script(cluster, topics, [*given.setting, *ttl]))
            changes.start()
            try:
                if not ttl:
                    right.append(levels_off(list(job.samples(seconds * 2 / 3, seconds / 60))))
                else:
                    before = list(job.samples(seconds / 9, seconds / 90))
                    changes.range_ = given.keys // 100
                    after = list(job.samples(seconds * 2 / 9, seconds / 90))
                    right.append(falls(after, max([*before, *after], key=lambda one: one.megabytes)))
            finally:
                job.stop()
                changes.stop()
            print(f"{changes.sent:,} changes sent", flush=True)
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
