"""RESULTS.md, from what the benchmarks have left in their folder:

    python -m bench.results [--from bench/out] [--to bench]

The figures of one file belong together; nothing in them is written by hand.
"""

from __future__ import annotations

import argparse
import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.workload import WORKLOADS
from firesteel.dev.jars import KAFKA_VERSION

#: Workload, engine of ours, engine compared with, how many times its rows per second, which part of its CPU.
_TARGETS: tuple[tuple[str, str, str, float, float | None], ...] = (
    ("reference", "firesteel", "flink-tuned", 2.5, 0.35),
    ("reference", "firesteel-rocksdb", "flink-rocksdb", 3.0, None),
    ("pass", "firesteel", "flink", 1.6, None),
    ("exactly-once", "firesteel", "flink", 1.6, None),
    ("debezium", "firesteel", "flink", 1.8, None),
    *((workload.name, "firesteel", "spark", 1.3, None) for workload in WORKLOADS),
)


def render_targets(results: list[dict[str, Any]]) -> str:
    found = {(one["workload"], one["engine"]): one for one in results if not one["problem"]}
    lines = ["| workload | | against | target | measured |", "|---|---|---|--:|--:|"]
    for workload, own, other, times, cpu in _TARGETS:
        ours, theirs = found.get((workload, own)), found.get((workload, other))
        if ours is None or theirs is None:
            continue
        ratio = ours["rows_per_second"] / theirs["rows_per_second"]
        lines.append(f"| {workload} | {own} | {other} | ≥ {times} × rows/s | {ratio:.2f} × |")
        if cpu is not None:
            part = ours["cpu_micros_per_row"] / theirs["cpu_micros_per_row"]
            lines.append(f"| {workload} | {own} | {other} | ≤ {cpu} × CPU per row | {part:.2f} × |")
    ours, theirs = found.get(("reference", "firesteel")), found.get(("reference", "flink"))
    if ours is not None and theirs is not None:
        ratio = ours["first_result_seconds"] / theirs["first_result_seconds"]
        lines.append(f"| reference | firesteel | flink | ≤ 1 × time to the first result | {ratio:.2f} × |")
    return "\n".join(lines) + "\n"


def render_results(folder: Path) -> str:
    document = json.loads((folder / "results.json").read_text())
    machine = document["machine"]
    rows = max(one["rows"] for one in document["results"])
    parts = [
        "# Results",
        "",
        f"Made by `python -m bench.results` from what `make bench`, `python -m bench.latency` and `python -m bench.growth` left."
        f" Figures of one table are of one run; {rows:,} rows where nothing else is said. See [README.md](README.md) for what is"
        " measured and how.",
        "",
        f"- machine: {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}",
        f"- Firesteel {version('firesteel')} on PySpark {version('pyspark')}; Flink 2.3.0; Spark by hand: PySpark 4.0.0;"
        f" Kafka {KAFKA_VERSION}, one broker on the same machine",
        "",
        "## Targets",
        "",
        render_targets(document["results"]),
        "## Throughput (`make bench`)",
        "",
        (folder / "results.md").read_text(),
        "![rows per second](results.svg)",
        "",
    ]
    for name, title, picture in (
        ("latency.md", "Latency (`python -m bench.latency`)", None),
        ("growth.md", "Growth (`python -m bench.growth`)", "growth.svg"),
    ):
        if (folder / name).exists():
            parts += [f"## {title}", "", (folder / name).read_text()]
            parts += [f"![{title.split(' ')[0].lower()}]({picture})", ""] if picture else []
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="source", type=Path, default=Path("bench/out"))
    parser.add_argument("--to", type=Path, default=Path("bench"))
    args = parser.parse_args()
    (args.to / "RESULTS.md").write_text(render_results(args.source))
    for picture in ("results.svg", "growth.svg"):
        if (args.source / picture).exists():
            shutil.copyfile(args.source / picture, args.to / picture)
    print(f"{args.to / 'RESULTS.md'} is written.")


if __name__ == "__main__":
    main()
