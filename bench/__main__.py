"""Every engine on every workload, on the same topics of one broker:

    python -m bench [--rows 2000000] [--runs 3] [--engines firesteel,flink] [--workloads reference,pass] [--out FOLDER]

The table is printed; JSON, the table and a picture are written to `--out`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bench.engine import ENGINES
from bench.measure import Measured, measure
from bench.report import render_table, write_report
from bench.workload import WORKLOADS
from firesteel.dev.broker import start_broker
from firesteel.dev.pageviews import fill_topic
from firesteel.kafka.admin import create_topic

#: `make bench` has to end within ten minutes.
_SHORT = ("firesteel", "firesteel-rocksdb", "flink", "flink-tuned", "flink-rocksdb", "spark")
_SHORT_WORKLOADS = ("reference", "pass", "exactly-once", "debezium")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--runs", type=int, default=2, help="runs of each job in one process; the first is cold")
    parser.add_argument("--engines", default=",".join(_SHORT))
    parser.add_argument("--workloads", default=",".join(_SHORT_WORKLOADS))
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    args = parser.parse_args()
    engines = [engine for engine in ENGINES if args.engines == "all" or engine.name in args.engines.split(",")]
    workloads = [one for one in WORKLOADS if args.workloads == "all" or one.name in args.workloads.split(",")]
    for engine in engines:
        engine.python(), engine.jars()
    results: list[Measured] = []
    with start_broker(heap="1g", settings={"log.retention.ms": "-1"}) as broker:
        cluster = {"bootstrap.servers": broker.bootstrap}
        filled: dict[str, str] = {}
        for workload in workloads:
            views = workload.views(args.rows, args.users)
            if workload.source not in filled:
                topic = filled[workload.source] = f"pageviews-{workload.source}"
                create_topic(cluster, topic, partitions=args.partitions)
                started = time.monotonic()
                fill_topic(cluster, topic, views, args.partitions)
                print(f"{args.rows:,} rows of {workload.source} in {time.monotonic() - started:.0f} s", flush=True)
            for engine in engines:
                if engine.workloads and workload.name not in engine.workloads:
                    continue
                started = time.monotonic()
                one = measure(
                    engine,
                    workload,
                    views,
                    broker.bootstrap,
                    filled[workload.source],
                    runs=args.runs,
                    partitions=args.partitions,
                )
                results.append(one)
                told = one.problem or f"{one.rows_per_second:,.0f} rows/s, {one.cpu_micros:.2f} µs CPU per row"
                print(f"{workload.name:14}{engine.title:54}{told} ({time.monotonic() - started:.0f} s)", flush=True)
                write_report(results, args.out)
    print()
    print(render_table(results))


if __name__ == "__main__":
    main()
