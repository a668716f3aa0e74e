"""What is told of measurements."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bench.latency import PLAIN
from bench.results import render_agreement, render_results, render_summary, render_targets, write_summary

ROOT = Path(__file__).parents[2]


def _one(workload: str, engine: str, rate: int, times: float | None = None, first: float = 8.0) -> dict[str, Any]:
    return {
        "workload": workload,
        "engine": engine,
        "rows": 1_000,
        "rows_per_second": rate,
        "cpu_micros_per_row": 2.0,
        "first_result_seconds": first,
        "firesteel_is": times and {"speed": times, "cpu": 2 * times},
        "problem": None,
    }


RESULTS = [
    _one("reference", "firesteel", 700_400, 1.0),
    _one("reference", "flink", 200_000, 3.5, first=9.0),
    _one("reference", "flink-tuned", 250_000, 2.8),
    _one("reference", "firesteel-rocksdb", 600_000, 1.17),
    _one("reference", "flink-rocksdb", 200_000, 3.5),
    _one("pass", "firesteel", 500_000, 1.0),
    _one("pass", "spark", 250_000, 2.0) | {"problem": "exit 1"},
]


def test_the_best_of_each_is_compared() -> None:
    assert render_summary(RESULTS).splitlines()[2:] == [
        "| PV and UV per region, json to avro | 700,000 | 250,000 |  | 2.8 × Flink |",
        "| the same, state in RocksDB | 600,000 | 200,000 |  | 3.0 × Flink |",
        "| filter and projection, json to json | 500,000 |  |  |  |",
    ]


def test_targets_are_those_of_what_was_measured() -> None:
    told = render_targets(RESULTS)
    assert "| reference | firesteel | flink-tuned | ≥ 2.5 × rows/s | 2.80 × with 1,000 rows |" in told
    assert "| reference | firesteel | flink | ≤ 1 × time to the first result | 0.89 × with 1,000 rows |" in told
    assert "spark" not in told and "latency" not in told


def test_the_longest_run_is_shown_and_targets_are_told_for_each_length() -> None:
    longer = [one | {"rows": 5_000, "rows_per_second": 2 * one["rows_per_second"]} for one in RESULTS[:5:2]]
    assert "| 1,401,000 | 500,000 |  | 2.8 × Flink |" in render_summary(RESULTS, longer)
    told = render_targets(RESULTS, longer)
    assert "2.80 × with 1,000 rows, 2.80 × with 5,000 rows |" in told


def test_the_latency_is_a_target() -> None:
    latencies = [{"setup": PLAIN, "rate": rate, "p50": rate / 2000} for rate in (1_000, 20_000)]
    told = render_targets(RESULTS, latencies=latencies)
    assert "| latency | firesteel | 1,000 rows/s with state | ≤ 0.5 s (p50) | 0.50 s |" in told
    assert told.count("latency") == 1


def test_ratios_of_two_runs_are_compared() -> None:
    second = [one | {"firesteel_is": {"speed": one["firesteel_is"]["speed"] * 1.1, "cpu": 7.0}} for one in RESULTS]
    told = render_agreement(RESULTS, second)
    assert "| reference | flink | 3.50 × | 3.85 × | 10% | 7.00 × | 7.00 × | 0% |" in told
    assert "| firesteel |" not in told


def test_the_readme_has_the_table_of_the_results(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text((ROOT / "README.md").read_text())
    results = (ROOT / "bench" / "RESULTS.md").read_text()
    table = results.partition("## Summary\n\n")[2].partition("\n## ")[0].rstrip("\n") + "\n"
    write_summary(readme, table)
    assert readme.read_text() == (ROOT / "README.md").read_text()


def test_the_page_is_made_of_what_was_measured() -> None:
    """And of nothing else: nobody has written into it."""
    assert (ROOT / "bench" / "RESULTS.md").read_text() == render_results(ROOT / "bench" / "measured")


def test_the_pictures_are_there() -> None:
    page = (ROOT / "bench" / "RESULTS.md").read_text()
    pictures = re.findall(r"\]\((\S+\.svg)\)", page)
    assert pictures and all((ROOT / "bench" / one).is_file() for one in pictures)
