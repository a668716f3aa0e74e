"""From the producer's clock to the moment a consumer sees the result, for Firesteel and Flink:

    python -m bench.latency [--rates 1000,20000] [--seconds 30] [--engines firesteel,flink] [--out FOLDER]

Rows come at a steady rate, each with the time it was sent; the job keeps a count and the greatest of these times for each
region and upserts both. A row's result is there when a consumer that reads `read_committed` has seen its region with that
time or a later one. The first seconds are left out: everything is cold then. The broker is warmed before, so that nobody
pays for being first.
"""

from __future__ import annotations

import argparse
import bisect
import json
import statistics
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import orjson
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from bench.engine import ENGINES, Engine
from bench.report import commit
from bench.runner import running_job, why, write_order
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker

_PARTITIONS = 4
_REGIONS = 100
_COLD_SECONDS = 20.0
#: How the broker is warmed.
_WARM_SECONDS = 20.0
_WARM_RATE = 5_000
_PATIENCE = 90.0

_SCRIPT = """\
CREATE TABLE page_views (region STRING, sent BIGINT) WITH ('connector' = 'kafka', 'topic' = '{source}', {common},
  'format' = 'json', 'properties.group.id' = '{source}', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE region_counts (region STRING, n BIGINT, sent BIGINT, PRIMARY KEY (region) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '{sink}', {common}, 'key.format' = 'json', 'value.format' = 'json'{delivery});
INSERT INTO region_counts SELECT region, COUNT(*), MAX(sent) FROM page_views GROUP BY region;
"""
#: Firesteel with what it promises where nothing is said.
PLAIN = "Firesteel, at least once"
_ONCE = (
    ", 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '{sink}',"
    " 'properties.transaction.timeout.ms' = '600000'"
)


@dataclass(frozen=True)
class Setup:
    """An engine with a guarantee."""

    title: str
    engine: Engine
    once: bool = False


def _setups(names: Sequence[str]) -> list[Setup]:
    known = {engine.name: engine for engine in ENGINES}
    own, flink = known["firesteel"], known["flink"]
    every_second = replace(flink, settings={**flink.settings, "execution.checkpointing.interval": "1s"})
    setups = [
        Setup(PLAIN, own),
        Setup("Firesteel, exactly once", own, once=True),
        Setup("Flink, at least once, a checkpoint every 10 s", flink),
        Setup("Flink, exactly once, a checkpoint every second", every_second, once=True),
    ]
    return [setup for setup in setups if setup.engine.name in names]


@dataclass(frozen=True)
class Latency:
    setup: str
    rate: int
    rows: int
    missing: int
    p50: float
    p99: float
    commit: str = ""


class _Sender(threading.Thread):
    """Sends rows at a rate, in steps of ten milliseconds, and remembers when each was sent."""

    def __init__(self, cluster: Mapping[str, str], topic: str, rate: int) -> None:
        super().__init__(daemon=True)
        self._producer = Producer({**cluster, "linger.ms": 0, "queue.buffering.max.messages": 500_000})
        self._topic, self._rate = topic, rate
        self._ending = threading.Event()
        self.sent: dict[str, list[int]] = defaultdict(list)
        self.start()

    def run(self) -> None:
        began, reached = time.monotonic(), 0
        while not self._ending.wait(0.01):
            due = int((time.monotonic() - began) * self._rate)
            for number in range(reached, due):
                region, moment = f"region_{number * 7919 % _REGIONS}", time.time_ns() // 1000
                # Two rows of a region never have the same time: one would hide the other.
                if self.sent[region] and moment <= self.sent[region][-1]:
                    moment = self.sent[region][-1] + 1
                self.sent[region].append(moment)
                value = b'{"region":"%b","sent":%d}' % (region.encode(), moment)
                self._producer.produce(self._topic, value, region)
            reached = max(reached, due)
            self._producer.poll(0)
        self._producer.flush(30)

    def stop(self) -> None:
        self._ending.set()
        self.join(60)


class _Watcher(threading.Thread):
    """Reads results as they become visible."""

    def __init__(self, cluster: Mapping[str, str], topic: str) -> None:
        super().__init__(daemon=True)
        self._consumer = Consumer({**cluster, "group.id": f"watch-{topic}", "isolation.level": "read_committed"})
        self._consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(_PARTITIONS)])
        self._ending = threading.Event()
        #: For each region when a result was seen, and the time it speaks of.
        self.seen: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.start()

    def run(self) -> None:
        while not self._ending.is_set():
            for message in self._consumer.consume(500, 0.01):
                value = message.value()
                if message.error() is None and value is not None:
                    row = orjson.loads(value)
                    self.seen[row["region"]].append((time.time_ns() // 1000, row["sent"]))
        self._consumer.close()

    def stop(self) -> None:
        self._ending.set()
        self.join(30)


def warm_broker(bootstrap: str) -> None:
    """Lets the broker compile what it needs: rows are sent and seen with no engine between."""
    cluster, topic = {"bootstrap.servers": bootstrap}, "warm"
    create_topic(cluster, topic, partitions=_PARTITIONS)
    watcher = _Watcher(cluster, topic)
    sender = _Sender(cluster, topic, _WARM_RATE)
    time.sleep(_WARM_SECONDS)
    sender.stop()
    watcher.stop()


def measure_latency(setup: Setup, bootstrap: str, rate: int, seconds: float) -> Latency:
    cluster = {"bootstrap.servers": bootstrap}
    stamp = f"{int(time.time() * 1000):x}"
    source, sink = f"sent-{stamp}", f"seen-{stamp}"
    for topic in (source, sink):
        create_topic(cluster, topic, partitions=_PARTITIONS)
    with tempfile.TemporaryDirectory(prefix="firesteel-latency-") as folder:
        script = Path(folder) / "latency.sql"
        common = f"'properties.bootstrap.servers' = '{bootstrap}'"
        delivery = _ONCE.format(sink=sink) if setup.once else ""
        script.write_text(_SCRIPT.format(source=source, sink=sink, common=common, delivery=delivery))
        log = Path(folder) / "job.log"
        order = write_order(setup.engine, [script], Path(folder))
        with running_job(setup.engine, order, log, 2 * _PATIENCE + seconds) as process:
            watcher = _Watcher(cluster, sink)
            sender = _Sender(cluster, source, rate)
            try:
                deadline = time.monotonic() + _PATIENCE
                while not watcher.seen and time.monotonic() < deadline and process.poll() is None:
                    time.sleep(0.1)
                if not watcher.seen:
                    told = why(log.read_text(errors="replace"), process.poll() or 0)
                    raise RuntimeError(f"{setup.title}: no result; {told}")
                warm = time.time_ns() // 1000 + int(_COLD_SECONDS * 1e6)
                time.sleep(_COLD_SECONDS + seconds)
                sender.stop()
                last = time.time_ns() // 1000
                time.sleep(15.0 if setup.once else 3.0)
            finally:
                sender.stop()
                watcher.stop()
    return _latency(setup, rate, sender.sent, watcher.seen, warm, last)


def _latency(
    setup: Setup,
    rate: int,
    sent: Mapping[str, list[int]],
    seen: Mapping[str, list[tuple[int, int]]],
    first: int,
    last: int,
) -> Latency:
    spent: list[float] = []
    missing = 0
    for region, moments in sent.items():
        results = sorted(seen.get(region, ()))
        reached: list[int] = []
        for _, moment in results:
            reached.append(max(moment, reached[-1]) if reached else moment)
        for moment in moments:
            if not first <= moment <= last:
                continue
            place = bisect.bisect_left(reached, moment)
            if place == len(reached):
                missing += 1
            else:
                spent.append((results[place][0] - moment) / 1e6)
    if not spent:
        return Latency(setup.title, rate, 0, missing, float("nan"), float("nan"), commit())
    cuts = statistics.quantiles(spent, n=100)
    return Latency(setup.title, rate, len(spent), missing, cuts[49], cuts[98], commit())


def render_latencies(found: Sequence[Latency]) -> str:
    lines = [
        "| rows/s | engine | p50 | p99 | rows | without a result | commit |",
        "|--:|---|--:|--:|--:|--:|---|",
    ]
    lines += [
        f"| {one.rate:,} | {one.setup} | {one.p50:.2f} s | {one.p99:.2f} s | {one.rows:,} | {one.missing:,} |"
        f" {one.commit} |"
        for one in found
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", default="1000,20000")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--engines", default="firesteel,flink")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    args = parser.parse_args()
    found: list[Latency] = []
    with start_broker(heap="1g") as broker:
        warm_broker(broker.bootstrap)
        for rate in map(int, args.rates.split(",")):
            for setup in _setups(args.engines.split(",")):
                one = measure_latency(setup, broker.bootstrap, rate, args.seconds)
                found.append(one)
                print(f"{rate:>7,}/s  {one.setup:52}p50 {one.p50:.2f} s, p99 {one.p99:.2f} s", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "latency.md").write_text(render_latencies(found))
    (args.out / "latency.json").write_text(json.dumps([one.__dict__ for one in found], indent=1) + "\n")
    print()
    print(render_latencies(found))


if __name__ == "__main__":
    main()
