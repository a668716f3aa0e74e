"""The reference job over generated page views: rows per second and CPU seconds per million rows, after warm-up.

    python -m bench.reference [--rows 5000000] [--partitions 4] [--backend hashmap]

Starts a broker of its own, fills one topic, runs the job once over it to warm Spark up, then again and measures. CPU is
that of the whole process tree of the job: this process, the JVM and its Python workers, and not the broker.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import firesteel
from firesteel.cli.demo import SCRIPT, read_counts
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.pageviews import PageViews, differences, fill_topic

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(root: int, without: frozenset[int]) -> dict[str, float]:
    """User and system time of a process and everything below it, ended children included, by kind of process."""
    children: dict[int, list[int]] = {}
    used: dict[int, tuple[str, float]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        pid = int(entry.name)
        children.setdefault(int(fields[1]), []).append(pid)
        used[pid] = ("jvm" if name == "java" else "python", sum(map(int, fields[11:15])) / _TICKS)
    total, waiting = {"jvm": 0.0, "python": 0.0}, [root]
    while waiting:
        pid = waiting.pop()
        if pid not in without:
            kind, seconds = used.get(pid, ("python", 0.0))
            total[kind] += seconds
            waiting += children.get(pid, [])
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--backend", default="hashmap", choices=("hashmap", "rocksdb"))
    parser.add_argument("--runs", type=int, default=3, help="measured runs, after one that is not")
    parser.add_argument("--max-rows", type=int, default=None, help="rows per batch")
    args = parser.parse_args()
    views = PageViews(args.rows, users=args.users)
    with start_broker(heap="1g") as broker, tempfile.TemporaryDirectory() as folder:
        cluster = {"bootstrap.servers": broker.bootstrap}
        create_topic(cluster, "pageviews", partitions=args.partitions)
        started = time.monotonic()
        fill_topic(cluster, "pageviews", views, args.partitions)
        print(
            f"{args.rows:,} rows in {args.partitions} partitions, filled in {time.monotonic() - started:.0f} s",
            flush=True,
        )
        expected = views.expected_counts()
        outside = frozenset({broker.keeper_pid})
        for number in range(args.runs + 1):
            sink = f"counts-{number}"
            create_topic(cluster, sink, partitions=args.partitions)
            script = Path(folder) / f"run{number}.sql"
            bounded = "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'"
            if args.max_rows:
                bounded += f", 'scan.max-rows-per-batch' = '{args.max_rows}'"
            text = SCRIPT.replace("'scan.startup.mode' = 'earliest-offset'", bounded)
            script.write_text(text.format(views="pageviews", counts=sink, bootstrap=broker.bootstrap))
            cpu, began = cpu_seconds(os.getpid(), outside), time.monotonic()
            job = firesteel.run(script, settings={"state.backend.type": args.backend})
            wall, after = time.monotonic() - began, cpu_seconds(os.getpid(), outside)
            spent = {kind: (after[kind] - cpu[kind]) / args.rows * 1e6 for kind in cpu}
            snapshot = job.snapshot()
            assert snapshot.rows_read == args.rows, snapshot
            wrong = differences(expected, read_counts(cluster, sink))
            assert not wrong, wrong
            result = {
                "run": "cold" if number == 0 else f"warm {number}",
                "rows_per_second": round(args.rows / wall),
                "cpu_seconds_per_million_rows": round(sum(spent.values()), 2),
                **{kind: round(seconds, 2) for kind, seconds in spent.items()},
                "seconds": round(wall, 1),
                "batches": snapshot.batches,
            }
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
