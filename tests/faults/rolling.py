"""Brokers that go and come back while a job runs: it waits, goes on, and never ends by itself.

    python -m tests.faults.rolling [--away 300] [--guarantee at-least-once]

Three brokers are restarted one after the other, three times, under load; one of them is away for some minutes. Then the same
absence with a cluster of one broker, where all has to wait. At the end no row may be missing, or twice under exactly-once.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tests.faults.brokers import three_brokers
from tests.faults.soak import PARTITIONS
from tests.faults.storm import Storm

from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker

TOPICS = ("source", "copies", "counts")


def storm_on(cluster: Mapping[str, str], folder: str, guarantee: str) -> Storm:
    for topic in TOPICS:
        create_topic(cluster, topic, partitions=PARTITIONS)
    job = Storm(cluster, Path(folder), TOPICS, guarantee)
    job.start()
    job.await_progress()
    return job


def finish(job: Storm, what: str) -> list[str]:
    job.await_progress()
    job.calm()
    mistakes = job.finish()
    print(f"{what}: {job.rows:,} rows, {job.starts} start, {len(mistakes)} mistakes", flush=True)
    print(job.said()[-700:], flush=True)
    return mistakes + ([f"{job.starts} starts"] if job.starts != 1 else [])


def roll_three(away: float, guarantee: str, rounds: int = 3) -> list[str]:
    with three_brokers() as cluster, tempfile.TemporaryDirectory() as folder:
        job = storm_on(cluster.config, folder, guarantee)
        try:
            for number in range(rounds):
                began = time.monotonic()
                cluster.roll(pause=3.0)
                job.await_progress()
                print(f"rolling restart {number + 1}: {time.monotonic() - began:.0f} s", flush=True)
            cluster.brokers[0].kill()
            time.sleep(away)
            job.await_progress()
            cluster.brokers[0].restart()
            cluster.await_whole()
            return finish(job, f"three brokers, one away for {away:.0f} s")
        finally:
            job.calm()
            job.close()


def wait_for_one(away: float, guarantee: str) -> list[str]:
    with start_broker() as broker, tempfile.TemporaryDirectory() as folder:
        job = storm_on({"bootstrap.servers": broker.bootstrap}, folder, guarantee)
        try:
            broker.kill()
            time.sleep(away)
            assert not job.is_dead(), job.said()
            broker.restart()
            return finish(job, f"one broker, away for {away:.0f} s")
        finally:
            job.calm()
            job.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--away", type=float, default=300.0)
    parser.add_argument("--guarantee", default="exactly-once", choices=("exactly-once", "at-least-once"))
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    mistakes = roll_three(args.away, args.guarantee) + wait_for_one(args.away, args.guarantee)
    for text in mistakes[:20]:
        print(f"  {text}", flush=True)
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()
