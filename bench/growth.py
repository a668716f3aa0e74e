"""Whether the cost of a row stays the same when there are more rows, more users or more partitions:

    python -m bench.growth [--engines firesteel] [--series rows,users,partitions] [--small] [--out FOLDER]

The reference job, warm. The answer is checked each time, as everywhere here. A table, JSON and a picture are written; series
that are not asked for stay as they are found there.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from bench.engine import ENGINES
from bench.measure import Topic, measure
from bench.report import commit
from bench.workload import WORKLOADS
from firesteel.dev.broker.broker import start_broker

_MILLION = 1_000_000
#: The first of them are those of a JVM that is not warm.
_ROUNDS = 4


@dataclass(frozen=True)
class Point:
    rows: int
    users: int
    partitions: int


SERIES: dict[str, tuple[Point, ...]] = {
    "rows": tuple(Point(rows * _MILLION, 100_000, 4) for rows in (1, 5, 20)),
    "users": tuple(Point(5 * _MILLION, users, 4) for users in (10_000, 100_000, _MILLION, 5 * _MILLION)),
    "partitions": tuple(Point(2 * _MILLION, 100_000, partitions) for partitions in (1, 4, 16)),
}


@dataclass(frozen=True)
class Grown:
    series: str
    engine: str
    at: int
    rows_per_second: float
    cpu_micros: float
    peak_memory: int
    problem: str | None
    commit: str = ""


def render_growth(found: Sequence[Grown]) -> str:
    lines = [
        "| series | at | engine | rows/s | CPU µs per row | peak memory | commit |",
        "|---|--:|---|--:|--:|--:|---|",
    ]
    for one in found:
        figures = (
            f"{one.rows_per_second:,.0f} | {one.cpu_micros:.2f} | {one.peak_memory / 2**20:,.0f} MB"
            if one.problem is None
            else f"{one.problem} | |"
        )
        lines.append(f"| {one.series} | {one.at:,} | {one.engine} | {figures} | {one.commit} |")
    return "\n".join(lines) + "\n"


_WIDTH, _HEIGHT, _MARGIN = 300, 190, 40


def render_picture(found: Sequence[Grown]) -> str:
    """A panel for each series: the CPU time of a row over how much there is of something, on a scale of tens."""
    shown = [one for one in found if one.problem is None]
    most = max((one.cpu_micros for one in shown), default=1.0) * 1.15
    panels = []
    for number, series in enumerate(dict.fromkeys(one.series for one in shown)):
        points = [one for one in shown if one.series == series]
        low, high = (math.log(value(one.at for one in points)) for value in (min, max))
        parts = [f'<text x="0" y="-8" class="head">{escape(series)}: CPU µs per row</text>']
        parts.append(f'<path class="axis" d="M0 0V{_HEIGHT}H{_WIDTH}"/>')
        for engine in dict.fromkeys(one.engine for one in points):
            line = []
            for one in (one for one in points if one.engine == engine):
                x = (math.log(one.at) - low) / ((high - low) or 1.0) * (_WIDTH - 20) + 10
                y = _HEIGHT - one.cpu_micros / most * _HEIGHT
                line.append(f"{x:.0f},{y:.0f}")
                parts.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" class="{engine}"/>')
                parts.append(f'<text x="{x:.0f}" y="{y - 7:.0f}" text-anchor="middle">{one.cpu_micros:.1f}</text>')
                parts.append(f'<text x="{x:.0f}" y="{_HEIGHT + 14}" text-anchor="middle">{_short(one.at)}</text>')
            parts.append(f'<polyline class="{engine}" points="{" ".join(line)}"/>')
        at = _MARGIN + number * (_WIDTH + _MARGIN)
        panels.append(f'<g transform="translate({at},{_MARGIN})">{"".join(parts)}</g>')
    width = len(panels) * (_WIDTH + _MARGIN) + _MARGIN
    style = (
        "text{font:11px sans-serif;fill:#222}.head{font-weight:bold}polyline{fill:none;stroke:#8a97a6;stroke-width:2}"
        "circle{fill:#8a97a6}polyline.firesteel{stroke:#d9622b}circle.firesteel{fill:#d9622b}"
        ".axis{fill:none;stroke:#999}@media (prefers-color-scheme:dark){text{fill:#ddd}}"
    )
    height = _HEIGHT + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<style>{style}</style>{''.join(panels)}</svg>\n"
    )


def _short(number: int) -> str:
    """
    >>> _short(16), _short(10_000), _short(5_000_000)
    ('16', '10 k', '5 M')
    """
    if number >= _MILLION:
        return f"{number // _MILLION} M"
    return f"{number // 1000} k" if number >= 1000 else str(number)


def _read(path: Path) -> list[Grown]:
    return [Grown(**one) for one in json.loads(path.read_text())] if path.exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="firesteel")
    parser.add_argument("--series", default=",".join(SERIES))
    parser.add_argument("--small", action="store_true", help="a twentieth of the rows and users, to see it work")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    args = parser.parse_args()
    engines = [engine for engine in ENGINES if engine.name in args.engines.split(",")]
    [workload] = [one for one in WORKLOADS if one.name == "reference"]
    asked = args.series.split(",")
    args.out.mkdir(parents=True, exist_ok=True)
    found = [] if args.small else [one for one in _read(args.out / "growth.json") if one.series not in asked]
    for series in asked:
        for point in SERIES[series]:
            rows, users = (point.rows // 20, point.users // 20) if args.small else (point.rows, point.users)
            views = workload.views(rows, users)
            # A broker for each: the topics of twenty million rows are not to fill the disk together.
            with start_broker(heap="1g") as broker:
                topic = Topic(broker.bootstrap, "views", views, point.partitions)
                topic.fill()
                for one in measure(engines, workload, topic, topic, _ROUNDS):
                    found.append(
                        Grown(
                            series,
                            one.engine,
                            getattr(point, series),
                            one.rows_per_second,
                            one.cpu_micros,
                            one.peak_memory,
                            one.problem,
                            commit(),
                        )
                    )
                    print(render_growth(found[-1:]).splitlines()[-1], flush=True)
            (args.out / "growth.json").write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
            (args.out / "growth.md").write_text(render_growth(found))
            (args.out / "growth.svg").write_text(render_picture(found))


if __name__ == "__main__":
    main()
