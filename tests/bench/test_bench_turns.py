"""`bench.turns` shows the medians of two commits, and every run."""

from __future__ import annotations

from typing import Any

from bench.turns import render


def runs(*costs: float) -> list[dict[str, Any]]:
    return [{"rows_per_second": round(1_000_000 / cost), "cpu_micros_per_row": cost} for cost in costs]


def document(*workloads: dict[str, Any]) -> dict[str, Any]:
    return {"commits": {"before": "aaaaaaa", "now": "bbbbbbb"}, "machine": {"load": 1.25}, "workloads": list(workloads)}


def test_the_ratio_is_that_of_the_medians() -> None:
    compared = {"before": runs(1.0, 9.0, 1.25), "now": runs(1.0, 1.5, 8.0)}
    shown = render(document({"workload": "reference", "rows": 4_000_000, "problems": {}, "runs": compared}))
    assert "| reference | 4,000,000 | 1.250 | 1.500 | 1.200 | 800,000 | 666,667 | 0.833 |" in shown
    assert "- reference, now: 1.000, 1.500, 8.000 µs; 1,000,000 · 666,667 · 125,000 rows/s" in shown
    assert "Before is commit aaaaaaa, now is bbbbbbb. At the end the load of the machine was 1.2:" in shown


def test_a_workload_that_failed_has_no_figures() -> None:
    failed = {"workload": "pass", "rows": 10, "problems": {"now": "exit 1: a | b"}, "runs": {"before": [], "now": []}}
    assert "| pass | 10 | now: exit 1: a / b | | | | | |" in render(document(failed))
