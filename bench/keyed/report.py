"""Shows what was measured as a table, and keeps it as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import quantiles
from typing import Any

from bench.engine import ENGINES
from bench.keyed.batch import Batches
from bench.keyed.measure import Figures
from bench.keyed.target import outcomes
from bench.report import machine

_TITLES = {engine.name: engine.title for engine in ENGINES}


@dataclass(frozen=True)
class Document:
    """What was measured, in one run of the command or in several."""

    figures: tuple[Figures, ...] = ()
    batches: Batches | None = None

    def without(self, workload: str) -> Document:
        """Drops what an earlier run has found of a workload: figures that are compared are of one run."""
        kept = tuple(one for one in self.figures if one.workload != workload)
        return Document(kept, None if workload == "batches" else self.batches)

    def with_found(self, found: Sequence[Figures] | Batches) -> Document:
        """Takes in what was found."""
        if isinstance(found, Batches):
            return replace(self, batches=found)
        return replace(self, figures=(*self.figures, *found))


def render(document: Document) -> str:
    """Makes the tables of figures and of targets."""
    lines = [
        "| workload | keys | rows | engine | rows/s | CPU µs per row | CPU µs per change written | peak memory"
        " | without clean pages | Firesteel is | its CPU | commit |",
        "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    own = {(one.workload, one.keys): one for one in document.figures if one.engine == "firesteel" and not one.problem}
    for one in document.figures:
        start = f"| {one.workload} | {one.keys:,} | {one.rows:,} | {_TITLES.get(one.engine, one.engine)} |"
        if one.problem:
            lines.append(f"{start} {one.problem.replace('|', '/')} | | | | | | | {one.commit} |")
            continue
        ours = own.get((one.workload, one.keys))
        speed = cpu = ""
        if ours and ours is not one:
            speed = f"{ours.rows_per_second / one.rows_per_second:.2f} ×"
            cpu = f"{ours.cpu_micros / one.cpu_micros:.2f} ×"
        change = f"{one.cpu_micros_per_change:.2f}" if one.cpu_micros_per_change else ""
        lines.append(
            f"{start} {one.rows_per_second:,.0f} | {one.cpu_micros:.2f} | {change} | {_megabytes(one.memory)} |"
            f" {_megabytes(one.unclean)} | {speed} | {cpu} | {one.commit} |"
        )
    told = "\n".join(lines) + "\n"
    if document.batches:
        told += f"\n{_render_batches(document.batches)}"
    found = list(outcomes(document.figures, document.batches))
    if found:
        told += "\n| workload | target | measured | met |\n|---|---|--:|---|\n"
        told += "".join(
            f"| {one.workload} | {one.target} | {one.measured} | {'yes' if one.is_met else 'no'} |\n" for one in found
        )
    return told + _SAID


_SAID = """
Medians; engines run in turns. CPU is that of the process tree without the broker, memory the peak of all runs, where shared pages count
once. Rows go to a blackhole, but those of `changelog` and `users` to Kafka. The answer of the same script with a topic of upserts as its
sink was compared before, on fewer rows and keys; that of `users` was compared in each run.
"""


def _megabytes(count: int) -> str:
    return f"{count / 2**20:,.0f} MB" if count else ""


def _render_batches(found: Batches) -> str:
    lines = [
        f"| batches of {found.rows} changes | batches | p50 | p99 | slowest | commit |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for title, seconds in ((f"{found.keys:,} keys in state", found.stateful), ("no state", found.stateless)):
        if found.problem or len(seconds) < 2:
            lines.append(f"| {title} | {found.problem or 'too few batches'} | | | | {found.commit} |")
            continue
        cuts = quantiles(seconds, n=100)
        figures = " | ".join(f"{one:.3f} s" for one in (cuts[49], cuts[98], max(seconds)))
        lines.append(f"| {title} | {len(seconds)} | {figures} | {found.commit} |")
    return "\n".join(lines) + "\n"


def write(document: Document, folder: Path) -> None:
    """Writes keyed.json and keyed.md."""
    folder.mkdir(parents=True, exist_ok=True)
    kept: dict[str, Any] = {
        "command": " ".join(["python -m bench.keyed", *sys.argv[1:]]),
        "machine": machine(),
        "figures": [asdict(one) for one in document.figures],
        "batches": asdict(document.batches) if document.batches else None,
    }
    (folder / "keyed.json").write_text(json.dumps(kept, indent=1) + "\n")
    (folder / "keyed.md").write_text(render(document))


def read(folder: Path) -> Document:
    """Reads what an earlier run has written, if there is any."""
    path = folder / "keyed.json"
    if not path.exists():
        return Document()
    kept = json.loads(path.read_text())
    batches = Batches(**kept["batches"]) if kept["batches"] else None
    return Document(tuple(Figures(**one) for one in kept["figures"]), batches)
