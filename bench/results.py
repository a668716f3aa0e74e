"""RESULTS.md, and the table of the README, from what the benchmarks have left in their folder:

    python -m bench.results [--from bench/out] [--again bench/out2] [--to .]

`--again` is the folder of a second `make bench`, with whose ratios those of the first are compared. The figures of one table
belong together; nothing in them is written by hand.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.workload import WORKLOADS
from firesteel.dev.jars import KAFKA_VERSION

#: Workload, engine of ours, engine compared with, how many times its rows per second, which part of its CPU.
_TARGETS: tuple[tuple[str, str, str, float, float | None], ...] = (
    ("reference", "firesteel", "flink-tuned", 2.5, 0.35),
    ("reference", "firesteel-rocksdb", "flink-rocksdb-default", 3.0, None),
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


@dataclass(frozen=True)
class _Line:
    """Who is compared on a workload; of several settings of an engine the best counts."""

    title: str
    workload: str
    own: tuple[str, ...] = ("firesteel",)
    flink: tuple[str, ...] = ("flink", "flink-tuned")
    spark: tuple[str, ...] = ("spark",)


def _lines() -> Iterator[_Line]:
    for workload in WORKLOADS:
        yield _Line(workload.title, workload.name)
        if workload.name == "reference":
            yield _Line("the same, state in RocksDB", "reference", ("firesteel-rocksdb",), ("flink-rocksdb",), ())


def render_summary(results: list[dict[str, Any]]) -> str:
    told = [
        "| rows per second | Firesteel | Flink 2.3.0 | Spark 4.0.0 by hand | Firesteel is |",
        "|---|--:|--:|--:|---|",
    ]
    for line in _lines():
        own, flink, spark = (
            max((one["rows_per_second"] for one in results if _is_one(one, line.workload, engines)), default=None)
            for engines in (line.own, line.flink, line.spark)
        )
        if own is None:
            continue
        times = [f"{own / rate:.1f} × {name}" for rate, name in ((flink, "Flink"), (spark, "Spark")) if rate]
        rates = " | ".join(map(_thousands, (own, flink, spark)))
        told.append(f"| {line.title} | {rates} | {', '.join(times)} |")
    return "\n".join(told) + "\n"


def _is_one(one: dict[str, Any], workload: str, engines: tuple[str, ...]) -> bool:
    return one["workload"] == workload and one["engine"] in engines and not one["problem"]


def _thousands(rate: float | None) -> str:
    """
    >>> _thousands(766_123), _thousands(None)
    ('766,000', '')
    """
    return "" if rate is None else f"{round(rate, -3):,.0f}"


def render_agreement(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> str:
    """How the ratios of two runs agree."""
    again = {(one["workload"], one["engine"]): one["firesteel_times"] for one in second}
    lines = ["| workload | engine | Firesteel is | in the second run | difference |", "|---|---|--:|--:|--:|"]
    for one in first:
        times, other = one["firesteel_times"], again.get((one["workload"], one["engine"]))
        if one["engine"] != "firesteel" and times and other:
            lines.append(
                f"| {one['workload']} | {one['engine']} | {times:.2f} × | {other:.2f} × | {abs(other / times - 1):.0%} |"
            )
    return "\n".join(lines) + "\n"


def render_results(folder: Path, again: Path | None = None) -> str:
    document = json.loads((folder / "results.json").read_text())
    machine, command = document["machine"], document["command"]
    rows = max(one["rows"] for one in document["results"])
    parts = [
        "# Results",
        "",
        f"Made by `python -m bench.results` from what `{command}`, `python -m bench.latency` and `python -m bench.growth` left."
        f" Figures of one table are of one run; {rows:,} rows where nothing else is said. See [README.md](README.md) for what is"
        " measured and how.",
        "",
        f"- machine: {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}",
        f"- Firesteel {version('firesteel')} on PySpark {version('pyspark')}; Flink 2.3.0; Spark by hand: PySpark 4.0.0;"
        f" Kafka {KAFKA_VERSION}, one broker on the same machine",
        "",
        "## In short",
        "",
        render_summary(document["results"]),
        "## Targets",
        "",
        render_targets(document["results"]),
        f"## Throughput (`{command}`)",
        "",
        (folder / "results.md").read_text(),
        "![rows per second](results.svg)",
        "",
    ]
    if again is not None:
        second = json.loads((again / "results.json").read_text())
        parts += ["### A second run", "", render_agreement(document["results"], second["results"])]
    for name, title, picture in (
        ("latency.md", "Latency (`python -m bench.latency`)", None),
        ("growth.md", "Growth (`python -m bench.growth`)", "growth.svg"),
    ):
        if (folder / name).exists():
            parts += [f"## {title}", "", (folder / name).read_text()]
            parts += [f"![{title.split(' ')[0].lower()}]({picture})", ""] if picture else []
    return "\n".join(parts)


def write_summary(readme: Path, summary: str) -> None:
    """Puts the table between its marks."""
    before, _, rest = readme.read_text().partition(_OPEN)
    _, _, behind = rest.partition(_CLOSE)
    readme.write_text(f"{before}{_OPEN}\n{summary}{_CLOSE}{behind}")


_OPEN, _CLOSE = "<!-- speed: made by python -m bench.results -->", "<!-- end of speed -->"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="source", type=Path, default=Path("bench/out"))
    parser.add_argument("--again", type=Path, default=None)
    parser.add_argument("--to", type=Path, default=Path())
    args = parser.parse_args()
    (args.to / "bench" / "RESULTS.md").write_text(render_results(args.source, args.again))
    document = json.loads((args.source / "results.json").read_text())
    write_summary(args.to / "README.md", render_summary(document["results"]))
    for picture in ("results.svg", "growth.svg"):
        if (args.source / picture).exists():
            shutil.copyfile(args.source / picture, args.to / "bench" / picture)
    print("bench/RESULTS.md and the table of README.md are written.")


if __name__ == "__main__":
    main()
