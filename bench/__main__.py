"""Every engine on every workload, on the same topics of one broker:

    python -m bench [--rows 2000000] [--engines firesteel,flink] [--workloads reference,pass] [--out FOLDER]

The table is printed; JSON, the table and a picture are written to `--out`. Exit status 1: an engine failed, or its answer is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import groupby
from pathlib import Path

from bench.engine import ENGINES, Engine, install
from bench.measure import Measured, Topic, make_topic, measure
from bench.report import render_table, write_report
from bench.workload import WORKLOADS, Workload
from firesteel.dev.broker.broker import start_broker

#: Which engines run which workloads where nothing is said: what ends within ten minutes.
_SHORT = {
    "reference": ("firesteel", "firesteel-rocksdb", "flink-tuned", "flink-rocksdb", "spark"),
    "pass": ("firesteel", "flink"),
    "exactly-once": ("firesteel", "flink"),
    "debezium": ("firesteel", "flink"),
}
_USUAL = ("firesteel", "flink", "spark")
#: Which part of the rows a cold run has: enough to warm a JVM.
_COLD_PART = 4
#: How often an engine runs warm: a JVM gets faster for four or five of them.
_ROUNDS = 6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="warm runs of each engine, after a cold one")
    parser.add_argument("--engines", help="all, or their names with commas between them")
    parser.add_argument("--workloads", help="all, or their names with commas between them")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    args = parser.parse_args()
    asked = _asked(args.workloads, args.engines)
    install(engine for _, engines in asked for engine in engines)
    results: list[Measured] = []
    with start_broker(heap="1g", settings={"log.retention.ms": "-1"}) as broker:
        filled: dict[str, tuple[Topic, Topic]] = {}
        for workload, engines in asked:
            if workload.source not in filled:
                started = time.monotonic()
                small, whole = (
                    make_topic(broker.bootstrap, workload, rows, args.users, args.partitions)
                    for rows in (max(1, args.rows // _COLD_PART), args.rows)
                )
                filled[workload.source] = small, whole
                print(f"{args.rows:,} rows of {workload.source} in {time.monotonic() - started:.0f} s", flush=True)
            started = time.monotonic()
            for _, group in groupby(engines, lambda engine: engine.own):
                compared = list(group)
                found = measure(compared, workload, *filled[workload.source], args.rounds)
                for engine, one in zip(compared, found, strict=True):
                    told = one.problem or f"{one.rows_per_second:,.0f} rows/s, {one.cpu_micros:.2f} µs CPU per row"
                    print(f"{workload.name:14}{engine.title:62}{told}", flush=True)
                results += found
                write_report(results, args.out)
            print(f"{workload.name} took {time.monotonic() - started:.0f} s", flush=True)
    print()
    print(render_table(results))
    return 1 if any(one.problem for one in results) else 0


def _asked(workloads: str | None, engines: str | None) -> list[tuple[Workload, list[Engine]]]:
    """The workloads, each with the engines that are to run it and can."""
    found = []
    for workload in WORKLOADS:
        if workloads == "all" or workload.name in (workloads.split(",") if workloads else _SHORT):
            names = engines.split(",") if engines else _SHORT.get(workload.name, _USUAL)
            able = [one for one in ENGINES if one.can(workload.name) and (engines == "all" or one.name in names)]
            found.append((workload, able))
    return found


if __name__ == "__main__":
    sys.exit(main())
