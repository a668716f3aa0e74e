"""The state engine and Flink on the same topics of one broker, in turns:

    python -m bench.keyed [--rows 5000000] [--keys 1000000] [--workloads aggregate,join] [--engines firesteel,flink-tuned]

Upserts of `--keys` keys are read into an aggregate, a join, a Top-N and a changelog; `users` is the reference job with few users and with
many, `keys` the aggregate with `--keys` keys and with ten times as many, and `batches` batches of few changes over five times as many.
Every answer is compared. Figures of other workloads that are in the folder of `--out` are kept. Exit status 1: an engine failed, or its answer
is wrong. The short form, two minutes for each workload: --rows 200000 --keys 40000 --rounds 1.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import bench.measure
from bench.engine import ENGINES, Engine, install
from bench.keyed.batch import Batches, measure_batches
from bench.keyed.measure import Figures, Size, measure
from bench.keyed.report import Document, read, render, write
from bench.keyed.topic import Topics
from bench.keyed.workload import AGGREGATE, WORKLOADS
from bench.report import commit
from bench.workload import WORKLOADS as OTHERS
from firesteel.dev.broker.broker import start_broker

_FLINK = ("flink-tuned", "flink-rocksdb")
#: The workloads and the engines that run them where nothing is said.
_ENGINES = {
    **{workload.name: ("firesteel", *_FLINK) for workload in WORKLOADS},
    "users": ("firesteel", "flink-tuned"),
    "keys": ("firesteel",),
    "batches": ("firesteel",),
}
#: Which part of rows and keys the run has whose answer is compared.
_CHECKED_PART = 5
_FEW_USERS = 10_000


def main() -> int:
    args = _arguments()
    # What is committed while this runs is not what is measured.
    commit()
    # So that engines and broker end, too, where somebody ends this process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    engines = {name: _engines(name, args.engines) for name in args.workloads.split(",")}
    install(engine for found in engines.values() for engine in found)
    document = read(args.out) if args.out else Document()
    with start_broker(heap="1g", settings={"log.retention.ms": "-1"}) as broker:
        topics = Topics(broker.bootstrap, args.partitions)
        for name, own in engines.items():
            started = time.monotonic()
            document = document.without(name)
            for found in _measure(name, own, topics, args):
                document = document.with_found(found)
                if args.out:
                    write(document, args.out)
            print(f"{name} took {time.monotonic() - started:.0f} s", flush=True)
    print(f"\n{render(document)}")
    failed = any(one.problem for one in document.figures) or bool(document.batches and document.batches.problem)
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each engine that are counted")
    parser.add_argument("--batches", type=int, default=300, help="how many small batches are counted")
    parser.add_argument("--changes", type=int, default=100, help="changes in a small batch")
    parser.add_argument("--workloads", default=",".join(_ENGINES), help="their names with commas between them")
    parser.add_argument("--engines", help="their names with commas between them")
    parser.add_argument("--out", type=Path, help="the folder in which keyed.json and keyed.md are written")
    args = parser.parse_args()
    if not _ENGINES.keys() >= set(args.workloads.split(",")):
        parser.error(f"'--workloads' takes names of {', '.join(_ENGINES)}.")
    known = {engine.name for engine in ENGINES if engine.job in ("firesteel", "flink")}
    if args.engines and not known >= set(args.engines.split(",")):
        parser.error(f"'--engines' takes names of {', '.join(sorted(known))}.")
    return args


def _engines(workload: str, asked: str | None) -> list[Engine]:
    names = asked.split(",") if asked and workload != "batches" else _ENGINES[workload]
    return [engine for engine in ENGINES if engine.name in names]


def _measure(
    name: str, engines: Sequence[Engine], topics: Topics, args: argparse.Namespace
) -> Iterator[Sequence[Figures] | Batches]:
    """Measures a workload. Gives what was found as soon as it is."""
    if name == "users":
        for users in (_FEW_USERS, 5 * args.keys):
            yield _measure_users(engines, topics, args.rows, users, args.rounds)
    elif name == "keys":
        for keys in (args.keys, 10 * args.keys):
            # Every key is there in the end, and a third of the changes is of a key that was there before.
            size = Size(15 * args.keys, keys, 15 * args.keys // _CHECKED_PART, keys // _CHECKED_PART, filled=True)
            yield measure(AGGREGATE, engines, topics, size, args.rounds, name)
    elif name == "batches":
        yield measure_batches(topics, 5 * args.keys, args.changes, args.batches, args.rounds)
    else:
        [workload] = [one for one in WORKLOADS if one.name == name]
        size = Size(args.rows, args.keys, args.rows // _CHECKED_PART, args.keys // _CHECKED_PART)
        yield measure(workload, engines, topics, size, args.rounds)


def _measure_users(engines: Sequence[Engine], topics: Topics, rows: int, users: int, rounds: int) -> list[Figures]:
    """Runs the reference job."""
    [workload] = [one for one in OTHERS if one.name == "reference"]
    small, whole = (
        bench.measure.Topic(topics.bootstrap, f"views-{count}-{users}", workload.views(count, users), topics.partitions)
        for count in (rows // _CHECKED_PART, rows)
    )
    for topic in (small, whole):
        topic.fill()
    return [
        Figures(
            "users",
            one.engine,
            one.rows,
            users,
            [round(run.seconds, 3) for run in one.runs],
            [round(run.cpu, 3) for run in one.runs],
            memory=one.peak_memory,
            problem=one.problem,
            commit=commit(),
        )
        for one in bench.measure.measure(engines, workload, small, whole, rounds)
    ]


if __name__ == "__main__":
    sys.exit(main())
