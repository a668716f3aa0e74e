"""Measures how long a batch of few changes takes over a large state, beside a job without state on the same changes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import firesteel
from bench.keyed.answer import compare, read_upserts
from bench.keyed.changes import Changes, left_of
from bench.keyed.topic import UPSERTS, Topics, send
from bench.keyed.workload import AGGREGATE
from bench.report import commit
from firesteel.connectors.kafka.admin import delete_topic

#: The first batches after a start are cold.
_COLD = 10
#: How many rows a batch has while state is filled.
_LARGE = 1_000_000

_STATEFUL = """\
CREATE TABLE upserts (k BIGINT, g BIGINT, c BIGINT, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '{source}', 'properties.bootstrap.servers' = '{bootstrap}', 'key.format' = 'json',
  'value.format' = 'json', 'scan.bounded.mode' = 'latest-offset', 'scan.max-rows-per-batch' = '{rows}');
CREATE TABLE results (g BIGINT, n BIGINT, total BIGINT, most BIGINT, PRIMARY KEY (g) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '{sink}', 'properties.bootstrap.servers' = '{bootstrap}', 'key.format' = 'json',
  'value.format' = 'json');
INSERT INTO results SELECT g, COUNT(*), SUM(v), MAX(v) FROM upserts GROUP BY g;
"""
_STATELESS = """\
CREATE TABLE upserts (k BIGINT, g BIGINT, c BIGINT, v BIGINT) WITH ('connector' = 'kafka', 'topic' = '{source}',
  'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset', 'scan.max-rows-per-batch' = '{rows}');
CREATE TABLE results (k BIGINT, g BIGINT, v BIGINT) WITH ('connector' = 'kafka', 'topic' = '{sink}',
  'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json');
INSERT INTO results SELECT k, g, v FROM upserts WHERE v >= 0;
"""


@dataclass(frozen=True)
class Batches:
    """Seconds of the batches of `rows` changes of a job with `keys` keys in its state, and of a job without state."""

    keys: int
    rows: int
    stateful: Sequence[float] = ()
    stateless: Sequence[float] = ()
    problem: str | None = None
    commit: str = ""


class _Job:
    """A job that is stopped and goes on."""

    def __init__(self, name: str, script: str, topics: Topics, folder: Path) -> None:
        self._topics, self._script = topics, script
        self._path = folder / f"{name}.sql"
        self.source, self.sink = (f"{name}-{kind}-{time.time_ns()}" for kind in ("source", "sink"))
        for topic in (self.source, self.sink):
            topics.create(topic)
        self._fresh = True

    def feed(self, changes: Changes) -> None:
        send(self._topics.cluster, self.source, UPSERTS.messages(changes), self._topics.partitions)

    def run(self, rows: int) -> list[float]:
        """Reads what is new in batches of so many rows. Returns the seconds of each."""
        text = self._script.format(bootstrap=self._topics.bootstrap, source=self.source, sink=self.sink, rows=rows)
        self._path.write_text(text)
        job = firesteel.start(self._path, fresh=self._fresh)
        self._fresh = False
        found: dict[float, tuple[float, int]] = {}
        while True:
            snapshot = job.snapshot()
            for source in snapshot.sources:
                found |= {sample.time: (sample.seconds, sample.rows) for sample in source.recent}
            if snapshot.state.is_over:
                break
            time.sleep(0.2)
        job.wait()
        return [seconds for _, (seconds, count) in sorted(found.items()) if count]

    def forget(self) -> None:
        for topic in (self.source, self.sink):
            delete_topic(self._topics.cluster, topic)


def measure_batches(topics: Topics, keys: int, rows: int, batches: int, rounds: int) -> Batches:
    """Fills an aggregate over an upsert topic with `keys` keys. Then it and a job without state read new changes in small batches,
    in turns. The aggregate's answer is compared in the end.
    """
    changes = [Changes(keys, keys, filled=True)]
    with tempfile.TemporaryDirectory(prefix="firesteel-bench-") as name:
        stateful = _Job("stateful", _STATEFUL, topics, Path(name))
        stateless = _Job("stateless", _STATELESS, topics, Path(name))
        stateful.feed(changes[0])
        print(f"  state of {keys:,} keys in {sum(stateful.run(_LARGE)):.0f} s", flush=True)
        seconds: dict[_Job, list[float]] = {stateful: [], stateless: []}
        for number in range(rounds):
            changes.append(Changes((-(-batches // rounds) + _COLD) * rows, keys, seed=100 + number))
            for job, found in seconds.items():
                job.feed(changes[-1])
                found += job.run(rows)[_COLD:]
        expected = AGGREGATE.expected([left_of(*changes)])
        wrong = compare(expected, read_upserts(topics.cluster, stateful.sink, expected.schema))
        for job in seconds:
            job.forget()
    problem = f"wrong answer: {wrong}" if wrong else None
    counted = [[round(one, 3) for one in found] for found in seconds.values()]
    return Batches(keys, rows, counted[0], counted[1], problem, commit())
