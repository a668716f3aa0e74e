"""Two checkouts of Firesteel on the same topic, in turns: what a row costs in each.

    python -m bench.turns OTHER_CHECKOUT [--workloads reference,pass] [--rows 4000000] [--rounds 7]

OTHER_CHECKOUT is a folder with another commit in which `make setup warm` has run. Each checkout runs the workload in a process
of its own with its own `.venv`: once on a part of the rows, `--unmeasured` times on all of them, because a JVM gets faster, and
then `--rounds` times, in turns. Every run is shown, then the medians and their ratio. CPU is that of the whole process tree
without the broker; beside other work it is the figure to go by. Exit status 1: a job failed, or its answer is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench.engine import Engine, install
from bench.measure import Measured, Topic, make_topic, measure
from bench.report import commit, machine
from bench.workload import WORKLOADS, Workload
from firesteel.dev.broker.broker import start_broker

_HERE = Path(__file__).parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the checkout of the other commit")
    parser.add_argument("--workloads", default="reference", help="their names with commas between them")
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=7, help="measured runs of each")
    parser.add_argument("--unmeasured", type=int, default=3, help="runs of each on all rows before those")
    parser.add_argument("--out", type=Path, help="the folder in which turns.json and turns.md are written")
    args = parser.parse_args()
    names = args.workloads.split(",")
    if not {one.name for one in WORKLOADS} >= set(names):
        parser.error(f"'--workloads' takes names of {', '.join(one.name for one in WORKLOADS)}.")
    checkouts = {"before": args.other.absolute(), "now": _HERE}
    for folder in checkouts.values():
        if not _python(folder).exists():
            parser.error(f"'{folder}' has no '.venv'. Run 'make setup warm' there.")
    engines = [_engine(name, folder) for name, folder in checkouts.items()]
    install(engines)
    compared: list[dict[str, Any]] = []
    with start_broker(heap="1g", settings={"log.retention.ms": "-1"}) as broker:
        filled: dict[str, tuple[Topic, Topic]] = {}
        for workload in (one for one in WORKLOADS if one.name in names):
            if workload.source not in filled:
                small, whole = (
                    make_topic(broker.bootstrap, workload, rows, args.users, args.partitions)
                    for rows in (max(1, args.rows // 4), args.rows)
                )
                filled[workload.source] = small, whole
            found = measure(engines, workload, *filled[workload.source], args.unmeasured + args.rounds)
            compared.append(_compare(workload, found, args.unmeasured))
    document = {
        "command": _command(args.other),
        "commits": {name: commit(folder) for name, folder in checkouts.items()},
        "machine": machine(),
        "workloads": compared,
    }
    table = render(document)
    print(f"\n{table}")
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "turns.json").write_text(json.dumps(document, indent=1) + "\n")
        (args.out / "turns.md").write_text(table)
    return 1 if any(one["problems"] for one in compared) else 0


def _command(other: Path) -> str:
    """As it was given, without the path of the other checkout."""
    words = ["OTHER_CHECKOUT" if word == str(other) else word for word in sys.argv[1:]]
    return " ".join(["python -m bench.turns", *words])


def _engine(name: str, checkout: Path) -> Engine:
    return Engine(name, f"{name} ({commit(checkout)})", "firesteel", lambda: _python(checkout))


def _python(checkout: Path) -> Path:
    return checkout / ".venv" / "bin" / "python"


def _compare(workload: Workload, found: Sequence[Measured], unmeasured: int) -> dict[str, Any]:
    runs = {
        one.engine: [
            {"rows_per_second": round(one.rows / run.seconds), "cpu_micros_per_row": round(run.cpu / one.rows * 1e6, 3)}
            for run in one.runs[unmeasured:]
        ]
        for one in found
    }
    return {
        "workload": workload.name,
        "rows": found[0].rows,
        "problems": {one.engine: one.problem for one in found if one.problem},
        "runs": runs,
    }


def render(document: dict[str, Any]) -> str:
    """A table with the medians of each workload, and below it every run."""
    lines = [
        "| workload | rows | CPU µs per row before | now | ratio | rows/s before | now | ratio |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    single = []
    for one in document["workloads"]:
        start = f"| {one['workload']} | {one['rows']:,} |"
        if one["problems"]:
            said = "; ".join(f"{name}: {problem}" for name, problem in one["problems"].items())
            lines.append(f"{start} {said.replace('|', '/')} | | | | | |")
            continue
        cpu, rate = (
            [median(run[figure] for run in one["runs"][name]) for name in ("before", "now")]
            for figure in ("cpu_micros_per_row", "rows_per_second")
        )
        lines.append(
            f"{start} {cpu[0]:.3f} | {cpu[1]:.3f} | {cpu[1] / cpu[0]:.3f} |"
            f" {rate[0]:,.0f} | {rate[1]:,.0f} | {rate[1] / rate[0]:.3f} |"
        )
        for name in ("before", "now"):
            costs = ", ".join(f"{run['cpu_micros_per_row']:.3f}" for run in one["runs"][name])
            rates = ", ".join(f"{run['rows_per_second']:,}" for run in one["runs"][name])
            single.append(f"- {one['workload']}, {name}: {costs} µs; {rates.replace(', ', ' · ')} rows/s")
    commits = document["commits"]
    said = (
        f"Medians. Before is commit {commits['before']}, now is {commits['now']}. At the end the load of the machine was"
        f" {document['machine']['load']:.1f}: beside other work rows/s differ much more than CPU does. Every run:"
    )
    return "\n".join([*lines, "", said, "", *single]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
