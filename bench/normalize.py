"""What an upsert topic costs as a full changelog, with Spark's own operators and with the state engine:

    python -m bench.normalize [--keys 1000000] [--rows 1000000] [--small 100] [--batches 30] [--rounds 3]

A job reads a topic of upserts into debezium-json, which needs the old row of each update. It is filled with every key first; then come
updates of keys chosen by chance in large batches, and at last batches of few rows. Each way runs in a process of its own, in turns.
CPU is that of the whole process tree without the broker.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from confluent_kafka import Producer

import firesteel
import firesteel.plan.fact.keyed as keyed
import firesteel.spark.lower.plan as lower
from bench.process import CpuMeter
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.plan.node.relation import Node, Normalize

_PARTITIONS = 4
#: The first batches after a start are cold.
_COLD = 5

_SCRIPT = """\
CREATE TABLE upserts (k BIGINT, v BIGINT, name STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = '{topic}', {common}, 'key.format' = 'json', 'value.format' = 'json', 'scan.bounded.mode' = 'latest-offset',
  'scan.max-rows-per-batch' = '{rows}');
CREATE TABLE changes (k BIGINT, v BIGINT, name STRING) WITH ('connector' = 'kafka', 'topic' = '{topic}-changes', {common},
  'format' = 'debezium-json');
INSERT INTO changes SELECT k, v, name FROM upserts;
"""


def _send(cluster: dict[str, str], topic: str, keys: Iterable[int], value: int) -> None:
    producer = Producer({**cluster, "linger.ms": 50, "queue.buffering.max.messages": 1_000_000})
    for number, key in enumerate(keys):
        while True:
            try:
                message = b'{"k":%d,"v":%d,"name":"row %d"}' % (key, value + number, key)
                producer.produce(topic, message, b'{"k":%d}' % key, partition=key % _PARTITIONS)
                break
            except BufferError:
                producer.poll(0.1)
        if number % 10_000 == 0:
            producer.poll(0)
    assert producer.flush(120) == 0


def _run(script: Path, *, fresh: bool) -> tuple[list[tuple[float, int]], float, float]:
    """Seconds and rows of each batch, seconds in all, and CPU seconds."""
    meter = CpuMeter(os.getpid())
    began, used = time.monotonic(), meter.read()
    job = firesteel.start(script, fresh=fresh)
    found: dict[float, tuple[float, int]] = {}
    while True:
        snapshot = job.snapshot()
        for source in snapshot.sources:
            found |= {sample.time: (sample.seconds, sample.rows) for sample in source.recent}
        if snapshot.state.is_over:
            break
        meter.read()
        time.sleep(0.2)
    job.wait()
    return [sample for _, sample in sorted(found.items())], time.monotonic() - began, meter.read() - used


def _measure(args: argparse.Namespace) -> dict[str, float]:
    if args.way == "engine":
        real = keyed.is_keyed

        def is_keyed(node: Node) -> bool:
            return isinstance(node, Normalize) or real(node)

        keyed.is_keyed = lower.is_keyed = is_keyed  # type: ignore[attr-defined]
    cluster = {"bootstrap.servers": args.bootstrap}
    topic = f"upserts-{args.way}-{time.time_ns()}"
    for name in (topic, f"{topic}-changes"):
        create_topic(cluster, name, partitions=_PARTITIONS)
    chance = np.random.default_rng(7)
    common = f"'properties.bootstrap.servers' = '{args.bootstrap}'"
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "normalize.sql"
        found: dict[str, float] = {}
        for phase in ("fill", "bulk", "small"):
            rows = {"fill": args.keys, "bulk": args.rows, "small": args.small * (args.batches + _COLD)}[phase]
            keys = range(args.keys) if phase == "fill" else chance.integers(0, args.keys, rows).tolist()
            _send(cluster, topic, keys, {"fill": 0, "bulk": 10_000_000, "small": 20_000_000}[phase])
            most = args.small if phase == "small" else args.batch
            script.write_text(_SCRIPT.format(topic=topic, common=common, rows=most))
            batches, wall, cpu = _run(script, fresh=phase == "fill")
            if phase == "small":
                seconds = [one for one, count in batches if count][_COLD:]
                found |= {"small_median_s": statistics.median(seconds), "small_cpu_s": cpu / max(1, len(batches))}
            else:
                found |= {f"{phase}_wall_s": wall, f"{phase}_cpu_us": cpu / rows * 1e6}
    return {name: round(value, 3) for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=1_000_000, help="updates in large batches")
    parser.add_argument("--batch", type=int, default=250_000, help="rows of a large batch at most")
    parser.add_argument("--small", type=int, default=100, help="rows of a small batch")
    parser.add_argument("--batches", type=int, default=30, help="small batches")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", choices=("native", "engine"), help=argparse.SUPPRESS)
    parser.add_argument("--bootstrap", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        print(json.dumps(_measure(args)), flush=True)
        return
    with start_broker(heap="1g") as broker:
        for _ in range(args.rounds):
            for way in ("native", "engine"):
                command = [sys.executable, "-m", "bench.normalize", *sys.argv[1:], "--way", way]
                command += ["--bootstrap", broker.bootstrap]
                told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                print(f"{way}: {told.strip().splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    main()
