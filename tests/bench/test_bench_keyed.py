"""`python -m bench.keyed`: what is generated is what is expected, and what is told is what was measured."""

from __future__ import annotations

from pathlib import Path

import orjson
import polars as pl
import pytest
from bench.keyed.answer import compare
from bench.keyed.batch import Batches
from bench.keyed.changes import Changes, left_of
from bench.keyed.measure import Figures
from bench.keyed.report import Document, read, render, write
from bench.keyed.target import outcomes
from bench.keyed.topic import CHANGELOG, UPSERTS, Topic
from bench.keyed.workload import AGGREGATE, WORKLOADS, Workload

from firesteel.errors import Source
from firesteel.plan.analyze import analyze

CHANGES = Changes(5_000, 300)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
@pytest.mark.parametrize("checked", [True, False])
def test_every_script_is_one_that_runs(workload: Workload, checked: bool) -> None:
    topics = [Topic(source, f"{source.table}-topic", CHANGES, 1) for source in workload.sources]
    text = workload.render("127.0.0.1:9092", topics, "sink", checked=checked)
    found = analyze(Source("job.sql", text))
    assert not found.errors, found.errors


def test_the_last_message_of_each_key_is_what_is_left() -> None:
    last: dict[bytes, str | None] = {}
    for block in UPSERTS.messages(CHANGES):
        last.update(zip(block["key"], block["value"], strict=True))
    left = [orjson.loads(value) for value in last.values() if value is not None]
    assert len(left) < len(last) == 300
    assert compare(CHANGES.left(), pl.DataFrame(left)) is None


def test_a_changelog_takes_back_the_row_that_was_there() -> None:
    rows: dict[int, dict[str, int]] = {}
    for block in CHANGELOG.messages(CHANGES):
        for change in map(orjson.loads, block["value"]):
            before, after, key = change["before"], change["after"], (change["before"] or change["after"])["k"]
            assert rows.pop(key, None) == before
            assert change["op"] == ("d" if not after else "u" if before else "c")
            if after:
                rows[key] = after
    assert compare(CHANGES.left(), pl.DataFrame(list(rows.values()))) is None


def test_a_filled_table_has_each_key_before_one_comes_again() -> None:
    changes = pl.concat(Changes(700, 500, filled=True).blocks())
    assert set(changes["k"][:500]) == set(range(500))
    assert not changes["gone"][:500].any()


def test_changes_follow_each_other() -> None:
    more = Changes(200, 300, seed=8)
    twice = left_of(CHANGES, more).sort("k")
    touched = pl.concat(more.blocks())["k"].unique()
    untouched = ~pl.col("k").is_in(touched.implode())
    assert twice.filter(untouched).equals(CHANGES.left().sort("k").filter(untouched))


def test_groups_are_counted() -> None:
    rows = pl.DataFrame({"k": [1, 2, 3], "g": [10, 10, 20], "c": [1, 1, 2], "v": [5, 7, 9]})
    expected = pl.DataFrame({"g": [20, 10], "n": [1, 2], "total": [9, 12], "most": [9, 7]})
    assert compare(expected, AGGREGATE.expected([rows])) is None


def _figures(engine: str, seconds: float, cpu: float, workload: str = "aggregate", keys: int = 100) -> Figures:
    return Figures(workload, engine, 1_000, keys, (seconds, 9.0, seconds / 2), (cpu, cpu, 9.0), 500, 2**31, 2**30)


def test_medians_are_compared_with_the_targets() -> None:
    found = [
        _figures("firesteel", 1.0, 0.004),
        _figures("flink-tuned", 4.0, 0.015),
        _figures("flink-rocksdb", 5.0, 0.02),
    ]
    told = [(one.target, one.measured, one.is_met) for one in outcomes(found, None)]
    assert told == [
        ("≥ 4 × rows/s of flink-tuned", "4.00 ×", True),
        ("≤ 0.25 × CPU of flink-tuned", "0.27 ×", False),
        ("≥ 6 × rows/s of flink-rocksdb", "5.00 ×", False),
    ]


def test_growth_and_memory_are_those_of_the_most_keys() -> None:
    found = [_figures("firesteel", 1.0, cpu, "keys", keys) for keys, cpu in ((1_000, 0.006), (100, 0.004))]
    growth, memory = outcomes(found, None)
    assert (growth.measured, growth.is_met) == ("1.50 × (8.00 to 12.00 µs); per row 4.00 to 6.00 µs", True)
    assert (memory.measured, memory.is_met) == ("1.07 GB", True)


def test_batches_are_compared_with_those_without_state() -> None:
    batches = Batches(5_000, 100, [0.3] * 98 + [2.0] * 2, [0.25] * 100)
    assert [one.is_met for one in outcomes([], batches)] == [True, False]


def test_an_engine_that_failed_has_no_figures() -> None:
    failed = Figures("aggregate", "flink-tuned", 1_000, 100, problem="exit 1: a | b")
    told = render(Document((_figures("firesteel", 1.0, 0.004), failed)))
    assert "exit 1: a / b" in told
    assert "target" not in told


def test_what_is_not_measured_again_is_kept(tmp_path: Path) -> None:
    first = Document((_figures("firesteel", 1.0, 0.004), _figures("flink-tuned", 4.0, 0.015)))
    write(first, tmp_path)
    again = read(tmp_path).without("aggregate").with_found([_figures("firesteel", 2.0, 0.004)])
    assert [one.rows_per_second for one in again.figures] == [500.0]
    assert read(tmp_path).without("join") == read(tmp_path)
    assert "2.00 ×" not in (tmp_path / "keyed.md").read_text()
