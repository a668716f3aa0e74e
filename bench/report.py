"""What was measured, as a table, as JSON and as a picture."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.engine import ENGINES
from bench.measure import Measured
from bench.workload import WORKLOADS

_TITLES = {engine.name: engine.title for engine in ENGINES}
_PEERS = {engine.name: engine.peer for engine in ENGINES}


def machine() -> dict[str, Any]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 2**30, 1),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "load": os.getloadavg()[0],
    }


@cache
def commit(checkout: Path = Path(__file__).parent) -> str:
    """What was measured; nothing where that cannot be told."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short=7", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


@dataclass(frozen=True)
class Ratio:
    """How many times as fast Firesteel is on the same workload with its state in the same place, and how many times its CPU a row
    costs the other.
    """

    speed: float
    cpu: float


def ratio(one: Measured, results: Sequence[Measured]) -> Ratio | None:
    place = (_PEERS[one.engine], one.workload, one.rows)
    for ours in results:
        if (ours.engine, ours.workload, ours.rows) == place and ours.runs and one.runs:
            return Ratio(ours.rows_per_second / one.rows_per_second, one.cpu_micros / ours.cpu_micros)
    return None


def render_table(results: Sequence[Measured]) -> str:
    lines = [
        "| workload | engine | rows/s | CPU µs per row | peak memory | first result | Firesteel is |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for one in results:
        title = _TITLES[one.engine]
        if one.problem:
            lines.append(f"| {one.workload} | {title} | {one.problem.replace('|', '/')} | | | | |")
            continue
        times = ratio(one, results)
        first = "" if one.first_result is None else f"{one.first_result:.1f} s"
        lines.append(
            f"| {one.workload} | {title} | {one.rows_per_second:,.0f} | {one.cpu_micros:.2f} |"
            f" {one.peak_memory / 2**20:,.0f} MB | {first} | {'' if times is None else f'{times.speed:.2f} ×'} |"
        )
    return "\n".join(lines) + "\n"


def document(results: Sequence[Measured]) -> dict[str, Any]:
    return {
        "command": " ".join(["python -m bench", *sys.argv[1:]]),
        "commit": commit(),
        "versions": {name: version(name) for name in ("firesteel", "pyspark")},
        "machine": machine(),
        "results": [
            {
                "workload": one.workload,
                "engine": one.engine,
                "rows": one.rows,
                "rows_per_second": round(one.rows_per_second),
                "cpu_micros_per_row": round(one.cpu_micros, 3),
                "peak_memory_mb": round(one.peak_memory / 2**20),
                "first_result_seconds": one.first_result,
                "firesteel_is": asdict(times) if (times := ratio(one, results)) else None,
                "runs": [{"seconds": run.seconds, "cpu_seconds": run.cpu} for run in one.runs],
                "problem": one.problem,
            }
            for one in results
        ],
    }


def write_report(results: Sequence[Measured], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(document(results), indent=1) + "\n")
    (folder / "results.md").write_text(render_table(results))
    (folder / "results.svg").write_text(render_picture(results))


_BAR, _GAP, _LEFT, _WIDTH = 18, 6, 330, 900


def render_picture(results: Sequence[Measured]) -> str:
    """A bar for each engine and workload: rows per second, with the CPU time per row behind it."""
    shown = [one for one in results if not one.problem]
    most = max((one.rows_per_second for one in shown), default=1.0)
    titles = {workload.name: workload.title for workload in WORKLOADS}
    parts: list[str] = []
    at = 34
    for workload in dict.fromkeys(one.workload for one in shown):
        at += 16
        parts.append(f'<text x="10" y="{at}" class="head">{escape(workload)}: {escape(titles[workload])}</text>')
        at += 10
        for one in (one for one in shown if one.workload == workload):
            length = max(1.0, one.rows_per_second / most * (_WIDTH - _LEFT - 190))
            kind = "own" if one.engine.startswith("firesteel") else "other"
            parts.append(f'<text x="{_LEFT - 8}" y="{at + 13}" text-anchor="end">{escape(_TITLES[one.engine])}</text>')
            parts.append(f'<rect x="{_LEFT}" y="{at}" width="{length:.1f}" height="{_BAR}" class="{kind}"/>')
            label = f"{one.rows_per_second:,.0f} rows/s, {one.cpu_micros:.1f} µs CPU per row"
            parts.append(f'<text x="{_LEFT + length + 6:.1f}" y="{at + 13}">{label}</text>')
            at += _BAR + _GAP
    style = (
        "text{font:12px sans-serif;fill:#222}.head{font-weight:bold}.own{fill:#d9622b}.other{fill:#8a97a6}"
        "@media (prefers-color-scheme:dark){text{fill:#ddd}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{at + 14}" viewBox="0 0 {_WIDTH} {at + 14}">'
        f'<style>{style}</style><text x="10" y="22" class="head">Rows per second, warm: longer is better</text>'
        f"{''.join(parts)}</svg>\n"
    )
