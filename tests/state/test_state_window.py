"""A window is answered once, when its end has passed, with the rows that came in time."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import Memory
from tests.state.run import DELETE, INSERT, SMALL, Hash, Row, colliding, frozen, hashes

from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.cache import Cache
from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.operator.window import WindowAggregate
from firesteel.state.state import Now, State

COLUMNS = pa.schema([("k", pa.string()), ("end", pa.int64()), ("v", pa.int64()), ("d", pa.decimal128(10, 0))])
AGGREGATES = (
    Aggregate("n", Function.COUNT, pa.int64()),
    Aggregate("s", Function.SUM, pa.int64(), "v"),
    Aggregate("w", Function.SUM, pa.decimal128(38, 0), "d"),
    Aggregate("m", Function.MAX, pa.int64(), "v"),
    Aggregate("l", Function.ARRAY_AGG, pa.list_(pa.int64()), "v"),
    Aggregate("u", Function.COUNT, pa.int64(), "v", None, True),
)


class Windows:
    """The operator in one bucket."""

    def __init__(self, folder: Path, hash_keys: Hash, by_clock: bool) -> None:
        self.operator = WindowAggregate(GroupAggregate(("k", "end"), AGGREGATES), COLUMNS, "end", by_clock)
        self.durable, self.cache, self.hash_keys, self.batch, self.late = Memory(), Cache(folder), hash_keys, 0, 0

    def run(self, rows: list[Row], time: int | None) -> list[Row]:
        self.batch += 1
        values = list(zip(*rows, strict=True)) if rows else [()] * 5
        columns = {field.name: pa.array(values[i + 1], field.type) for i, field in enumerate(COLUMNS)}
        k1, k2 = self.hash_keys([columns["k"], columns["end"]])
        block = pa.table({"__k1": k1, "__k2": k2, "__kind": pa.array(values[0], pa.int8()), **columns})
        now = Now(self.batch, time or 0, time)
        self.state = State(self.durable, self.cache, now, SMALL)
        output = self.operator.apply({"in": block} if rows else {}, self.state, now)
        self.state.commit()
        self.late += self.state.counts.late
        self.wake = self.operator.wake(self.state)
        return [] if output is None else [tuple(map(frozen, row.values())) for row in output.to_pylist()]


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
def test_windows_are_answered_once(tmp_path: Path, hash_keys: Hash) -> None:
    rng = np.random.default_rng(0)
    windows = Windows(tmp_path, hash_keys, False)
    open_: dict[tuple[str, int], list[int]] = {}
    watermark, late = -1, 0
    for batch in range(60):
        rows: list[Row] = []
        for _ in range(int(rng.integers(0, 25))):
            end = max(100, (watermark + int(rng.integers(-150, 400))) // 100 * 100)
            key = (f"{rng.integers(0, 5)}", end)
            values = open_.get(key, [])
            if end <= watermark + 1:
                late += 1
                rows.append((INSERT, *key, 1, 1))
            elif values and rng.random() < 0.3:
                value = values.pop(0)
                rows.append((DELETE, *key, value, value))
            else:
                value = int(rng.integers(0, 5))
                open_.setdefault(key, []).append(value)
                rows.append((INSERT, *key, value, value))
        watermark = max(watermark, watermark + int(rng.integers(-50, 120)))
        output = windows.run(rows, watermark)
        closed = {key: values for key, values in open_.items() if key[1] - 1 <= watermark}
        open_ = {key: values for key, values in open_.items() if key not in closed}
        expected = [(*k, len(v), sum(v), sum(v), max(v), tuple(v), len(set(v)), INSERT) for k, v in closed.items() if v]
        assert Counter(output) == Counter(expected), batch
        assert windows.late == late
    last = windows.run([], watermark + 10_000)
    assert Counter(row[:2] for row in last) == Counter(key for key, values in open_.items() if values)
    for step in range(40):
        windows.run([], watermark + 10_001 + step)
    assert windows.wake is None
    assert sum(report.rows for report in windows.state.report().values()) < 200


def test_windows_of_event_time_wait_for_their_last_millisecond(tmp_path: Path) -> None:
    windows = Windows(tmp_path, hashes, False)
    assert windows.run([(INSERT, "a", 300, 1, 1), (INSERT, "a", 200, 2, 2)], None) == []
    assert windows.run([], 198) == []
    assert windows.run([], 199) == [("a", 200, 1, 2, 2, 2, (2,), 1, INSERT)]
    assert windows.run([(INSERT, "a", 200, 7, 7)], 250) == [] and windows.late == 1
    # A watermark comes with a batch of its own: the clock has nothing to do with it.
    assert windows.wake is None


def test_windows_of_processing_time_are_answered_at_their_end(tmp_path: Path) -> None:
    windows = Windows(tmp_path, hashes, True)
    assert windows.run([(INSERT, "a", 300, 1, 1), (INSERT, "a", 200, 2, 2)], 150) == [] and windows.wake == 200
    assert windows.run([(INSERT, "a", 200, 3, 3)], 199) == []
    assert windows.run([(INSERT, "b", 300, 4, 4)], 200) == [("a", 200, 2, 5, 5, 3, (2, 3), 2, INSERT)]
    assert windows.wake == 300
    assert len(windows.run([], 301)) == 2 and windows.wake is None


def test_no_row_is_late_by_a_clock_that_is_put_back(tmp_path: Path) -> None:
    windows = Windows(tmp_path, hashes, True)
    windows.run([(INSERT, "a", 200, 1, 1)], 150)
    assert len(windows.run([], 500)) == 1
    assert windows.run([(INSERT, "a", 200, 2, 2)], 150) == [] and windows.late == 0
    assert windows.run([], 499) == []
    assert windows.run([], 501) == [("a", 200, 1, 2, 2, 2, (2,), 1, INSERT)]
