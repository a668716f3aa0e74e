"""RESULTS.md, and the table of the README, from what the benchmarks have left in a folder:

    python -m bench.results [--from bench/measured] [--to .]

`short` in it is what `make bench` has left, `again` what it has left the second time, with whose ratios those of the first are
compared; other folders are runs of other workloads or engines, and beside them lies what `bench.latency`, `bench.growth`
and `bench.keyed` have left. The figures of one table are of one run, and so are the two of each ratio; nothing is written by hand.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.latency import PLAIN
from bench.workload import WORKLOADS
from firesteel.dev.broker.jars import KAFKA_VERSION

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

_LATENCY_RATE, _LATENCY = 1_000, 0.5

#: What one run of the benchmark has found.
Found = Sequence[dict[str, Any]]


def render_targets(*runs: Found, latencies: Found = ()) -> str:
    lines = ["| workload | | against | target | measured |", "|---|---|---|--:|--:|"]
    for workload, own, other, times, cpu in _TARGETS:
        pairs = _pairs(runs, workload, own, other)
        told = _ratios_of(pairs, "rows_per_second")
        if told:
            lines.append(f"| {workload} | {own} | {other} | ≥ {times} × rows/s | {told} |")
        if told and cpu is not None:
            told = _ratios_of(pairs, "cpu_micros_per_row")
            lines.append(f"| {workload} | {own} | {other} | ≤ {cpu} × CPU per row | {told} |")
    told = _ratios_of(_pairs(runs, "reference", "firesteel", "flink"), "first_result_seconds")
    if told:
        lines.append(f"| reference | firesteel | flink | ≤ 1 × time to the first result | {told} |")
    for one in latencies:
        if one["setup"] == PLAIN and one["rate"] == _LATENCY_RATE:
            rate = f"{_LATENCY_RATE:,} rows/s with state"
            lines.append(f"| latency | firesteel | {rate} | ≤ {_LATENCY} s (p50) | {one['p50']:.2f} s |")
    return "\n".join(lines) + "\n"


def _pairs(runs: Sequence[Found], workload: str, *engines: str) -> dict[int, list[dict[str, Any]]]:
    """By the number of rows: what the engines did in the first run that has all of them."""
    pairs: dict[int, list[dict[str, Any]]] = {}
    for results in runs:
        found = {one["engine"]: one for one in results if one["workload"] == workload and not one["problem"]}
        if found.keys() >= set(engines):
            pairs.setdefault(found[engines[0]]["rows"], [found[engine] for engine in engines])
    return pairs


def _ratios_of(pairs: dict[int, list[dict[str, Any]]], figure: str) -> str:
    told = [f"{ours[figure] / theirs[figure]:.2f} × with {rows:,} rows" for rows, (ours, theirs) in pairs.items()]
    return ", ".join(told)


@dataclass(frozen=True)
class _Line:
    """Who is compared on a workload; of several settings of an engine the best counts."""

    title: str
    workload: str
    own: tuple[str, ...] = ("firesteel",)
    flink: tuple[str, ...] = ("flink", "flink-tuned")
    spark: tuple[str, ...] = ("spark",)

    @property
    def engines(self) -> tuple[tuple[str, ...], ...]:
        return self.own, self.flink, self.spark


def _lines() -> Iterator[_Line]:
    for workload in WORKLOADS:
        yield _Line(workload.title, workload.name)
        if workload.name == "reference":
            yield _Line("the same, state in RocksDB", "reference", ("firesteel-rocksdb",), ("flink-rocksdb",), ())


def render_summary(*runs: Found) -> str:
    told = [
        "| rows per second | Firesteel | Flink 2.3.0 | Spark 4.0.0 by hand | Firesteel is |",
        "|---|--:|--:|--:|---|",
    ]
    # The longest first.
    ordered = sorted(runs, key=lambda results: -max(one["rows"] for one in results))
    for line in _lines():
        rates = [[_best(results, line.workload, engines) for engines in line.engines] for results in ordered]
        # The first run that has most of them.
        own, flink, spark = max(rates, key=lambda found: sum(rate is not None for rate in found))
        if own is None:
            continue
        times = [f"{own / rate:.1f} × {name}" for rate, name in ((flink, "Flink"), (spark, "Spark")) if rate]
        shown = " | ".join(map(_thousands, (own, flink, spark)))
        told.append(f"| {line.title} | {shown} | {', '.join(times)} |")
    return "\n".join(told) + "\n"


def _best(results: Found, workload: str, engines: tuple[str, ...]) -> float | None:
    ours = [one for one in results if one["workload"] == workload and one["engine"] in engines and not one["problem"]]
    return max((one["rows_per_second"] for one in ours), default=None)


def _thousands(rate: float | None) -> str:
    """
    >>> _thousands(766_123), _thousands(None)
    ('766,000', '')
    """
    return "" if rate is None else f"{round(rate, -3):,.0f}"


def render_agreement(first: Found, second: Found) -> str:
    """How the ratios of two runs agree: those of rows per second, and those of CPU per row."""
    again = _ratios(second)
    lines = [
        "| workload | engine | Firesteel is | in the second run | difference | CPU per row | in the second run | difference |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for place, ratios in _ratios(first).items():
        if place in again:
            pairs = zip(ratios, again[place], strict=True)
            told = (f"{one:.2f} × | {other:.2f} × | {abs(other / one - 1):.0%}" for one, other in pairs)
            lines.append(f"| {' | '.join((*place, *told))} |")
    return "\n".join(lines) + "\n"


def _ratios(results: Found) -> dict[tuple[str, str], tuple[float, float]]:
    return {
        (one["workload"], one["engine"]): (one["firesteel_is"]["speed"], one["firesteel_is"]["cpu"])
        for one in results
        if one["engine"] != "firesteel" and one["firesteel_is"]
    }


def render_results(folder: Path) -> str:
    documents = _documents(folder)
    first = documents[_SHORT]
    machine, versions = first["machine"], first["versions"]
    runs = [one["results"] for one in documents.values()]
    parts = [
        "# Results",
        "",
        "Made by `python -m bench.results` from the files that the commands below have written. All figures of a table are from one run."
        " [README.md](README.md) explains what is measured and how.",
        "",
        f"- machine: {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, Python {machine['python']}",
        f"- Firesteel {versions['firesteel']} on PySpark {versions['pyspark']}; Flink 2.3.0; Spark by hand: PySpark 4.0.0;"
        f" Kafka {KAFKA_VERSION}, one broker on the same machine",
        "",
        "## Summary",
        "",
        render_summary(*runs),
        "## Targets",
        "",
        render_targets(*runs, latencies=_latencies(folder)),
    ]
    for name, one in documents.items():
        parts += [f"## Throughput (`{one['command']}`)", "", f"{_rows(one):,} rows, commit {one['commit']}.", ""]
        parts += [(folder / name / "results.md").read_text()]
        parts += [f"![rows per second](measured/{name}/results.svg)", ""]
    if (folder / _AGAIN).exists():
        again = _document(folder / _AGAIN)
        parts += ["## A second run", "", render_agreement(first["results"], again["results"])]
    for name, title, picture in (
        ("latency.md", "Latency (`python -m bench.latency`)", ""),
        ("growth.md", "Growth (`python -m bench.growth`)", "growth.svg"),
        ("keyed.md", "The state engine beside Flink (`python -m bench.keyed`)", ""),
        ("turns.md", "Two commits (`python -m bench.turns`)", ""),
    ):
        if (folder / name).exists():
            parts += [f"## {title}", "", (folder / name).read_text()]
            parts += [f"![{title.split(' ')[0].lower()}](measured/{picture})", ""] if picture else []
    return "\n".join(parts)


_SHORT, _AGAIN = "short", "again"


def _documents(folder: Path) -> dict[str, dict[str, Any]]:
    """What each folder has, that of `make bench` first and without its second run."""
    others = {path.parent.name for path in folder.glob("*/results.json")} - {_SHORT, _AGAIN}
    return {name: _document(folder / name) for name in (_SHORT, *sorted(others))}


def _document(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def _rows(document: dict[str, Any]) -> int:
    rows: int = max(one["rows"] for one in document["results"])
    return rows


def _latencies(folder: Path) -> Found:
    path = folder / "latency.json"
    found: Found = json.loads(path.read_text()) if path.exists() else []
    return found


def write_summary(readme: Path, summary: str) -> None:
    """Puts the table between its marks."""
    before, _, rest = readme.read_text().partition(_OPEN)
    _, _, behind = rest.partition(_CLOSE)
    readme.write_text(f"{before}{_OPEN}\n{summary}{_CLOSE}{behind}")


_OPEN, _CLOSE = "<!-- speed: made by python -m bench.results -->", "<!-- end of speed -->"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="source", type=Path, default=Path("bench/measured"))
    parser.add_argument("--to", type=Path, default=Path())
    args = parser.parse_args()
    (args.to / "bench" / "RESULTS.md").write_text(render_results(args.source))
    write_summary(args.to / "README.md", render_summary(*(one["results"] for one in _documents(args.source).values())))
    print("bench/RESULTS.md and the table of README.md are written.")


if __name__ == "__main__":
    main()
