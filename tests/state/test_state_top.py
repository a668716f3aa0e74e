"""Top-N gives the rows that sorting each partition anew gives."""

from __future__ import annotations

import decimal
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.state.run import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Hash, Row, Run, colliding, hashes

from firesteel.state.operator.top import Sort, TopN

SCHEMA = pa.schema(
    [("k", pa.string()), ("v", pa.int64()), ("s", pa.string()), ("d", pa.decimal128(38, 1)), ("f", pa.float64())]
)
ORDERS = {
    "v down": (Sort("v", True),),
    "v up, s down": (Sort("v"), Sort("s", True)),
    "s": (Sort("s"),),
    "s down, NULL first, v": (Sort("s", True, True), Sort("v")),
    "d down, v NULL last": (Sort("d", True), Sort("v", False, False)),
    "f down, d": (Sort("f", True), Sort("d")),
    "nothing": (),
}


def sort_key(sort: Sort, value: Any) -> tuple[int, Any]:
    """A key that sorts upwards as Flink sorts."""
    if value is None:
        return (0 if sort.puts_nulls_first else 2, 0)
    if isinstance(value, str):
        code = [*value.encode()]
        return (1, [*(-one for one in code), 1] if sort.descending else code)
    number = (1, 0) if value != value else (0, value)
    return (1, (-number[0], -number[1]) if sort.descending else number)


class Plain:
    """The rows that are there, how often, and in which order they came."""

    def __init__(self) -> None:
        self.rows: dict[Row, int] = {}

    def follow(self, changes: list[Row]) -> None:
        net: dict[Row, int] = {}
        for kind, *values in changes:
            net[tuple(values)] = net.get(tuple(values), 0) + (1 if kind in (INSERT, UPDATE_AFTER) else -1)
        for row, delta in net.items():
            if delta:
                self.rows[row] = self.rows.get(row, 0) + delta
                if self.rows[row] <= 0:
                    del self.rows[row]

    def top(self, order: tuple[Sort, ...], first: int, last: int, rank: bool) -> Counter[Row]:
        result: Counter[Row] = Counter()
        partitions: dict[Any, list[Row]] = {}
        for row, count in self.rows.items():
            partitions.setdefault(row[0], []).extend([row] * min(count, last))
        for rows in partitions.values():
            rows.sort(key=lambda row: [sort_key(by, row[SCHEMA.names.index(by.column)]) for by in order])
            result.update((*row, i) if rank else row for i, row in enumerate(rows[:last], 1) if i >= first)
        return result


def some_row(rng: np.random.Generator, partitions: int) -> Row:
    number = int(rng.integers(0, partitions))
    return (
        None if number == 0 else f"{number}",
        None if rng.random() < 0.1 else int(rng.choice([1, 2, 5, -3, 2**63 - 1, -(2**63)])),
        [None, "", "abcdefghij", "abcdefghik", "b", "ü"][int(rng.integers(0, 6))],
        None if rng.random() < 0.1 else decimal.Decimal(int(rng.integers(-3, 3))) * 10**30,
        [None, 1.5, -2.0, float("inf"), 1e300][int(rng.integers(0, 5))],
    )


def random_changes(rng: np.random.Generator, alive: list[Row], partitions: int, comes: float) -> list[Row]:
    changes: list[Row] = []
    for _ in range(int(rng.integers(0, 40))):
        if alive and rng.random() > comes:
            row = alive.pop(int(rng.integers(0, len(alive))))
            changes.append((DELETE, *row))
            if rng.random() < 0.4:
                row = (row[0], *some_row(rng, 2)[1:])
                changes.append((UPDATE_AFTER, *row))
                alive.append(row)
        else:
            row = some_row(rng, partitions)
            changes.append((INSERT, *row))
            alive.append(row)
    return changes


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("rank", ["rn", None])
@pytest.mark.parametrize("order", ORDERS)
def test_the_top_is_that_of_the_rows_sorted_anew(tmp_path: Path, order: str, rank: str | None, hash_keys: Hash) -> None:
    for seed, (first, last, partitions) in enumerate([(1, 1, 30), (1, 3, 3), (2, 3, 6), (2, 2, 1)]):
        rng = np.random.default_rng([seed, len(order)])
        operator = TopN(("k",), ORDERS[order], last, first, rank)
        run = Run(operator, tmp_path / str(seed), {"in": SCHEMA}, {"in": ["k"]}, hash_keys)
        plain, alive = Plain(), list[Row]()
        for batch in range(12):
            changes = random_changes(rng, alive, partitions, 0.8 if batch < 8 else 0.3)
            plain.follow(changes)
            before = run.result
            output = run.rows(changes)
            assert run.result == plain.top(ORDERS[order], first, last, rank is not None)
            if rank is None or hash_keys is hashes:
                assert len(output) == ((before - run.result) + (run.result - before)).total()


@pytest.mark.parametrize("rank", ["rn", None])
def test_rows_that_only_come_and_are_behind_are_forgotten(tmp_path: Path, rank: str | None) -> None:
    rng = np.random.default_rng(1)
    operator = TopN(("k",), ORDERS["v down"], 3, 1, rank, append_only=True)
    run = Run(operator, tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    plain = Plain()
    for batch in range(60):
        changes: list[Row] = [
            (INSERT, f"{rng.integers(0, 5)}", int(v), f"{batch}", None, None) for v in rng.integers(0, 999, 20)
        ]
        plain.follow(changes)
        run.rows(changes)
        assert run.result == plain.top(ORDERS["v down"], 1, 3, rank is not None)
    assert run.state is not None and run.state.report()["rows"].rows < 100


def test_the_places_of_a_partition_change_as_flink_recorded_it(tmp_path: Path) -> None:
    schema = pa.schema([("k", pa.string()), ("id", pa.int32()), ("v", pa.int32())])
    operator = TopN(("k",), (Sort("v", True), Sort("id")), 2, 1, "rn")
    run = Run(operator, tmp_path, {"in": schema}, {"in": ["k"]})
    assert run.rows([(INSERT, "a", 1, 5)]) == [(INSERT, "a", 1, 5, 1)]
    assert run.rows([(INSERT, "a", 2, 9)]) == [
        (UPDATE_BEFORE, "a", 1, 5, 1),
        (UPDATE_AFTER, "a", 2, 9, 1),
        (INSERT, "a", 1, 5, 2),
    ]
    assert run.rows([(UPDATE_BEFORE, "a", 2, 9), (UPDATE_AFTER, "a", 2, 2)]) == [
        (UPDATE_BEFORE, "a", 2, 9, 1),
        (UPDATE_BEFORE, "a", 1, 5, 2),
        (UPDATE_AFTER, "a", 1, 5, 1),
        (UPDATE_AFTER, "a", 2, 2, 2),
    ]
    assert run.rows([(DELETE, "a", 1, 5)]) == [
        (DELETE, "a", 2, 2, 2),
        (UPDATE_BEFORE, "a", 1, 5, 1),
        (UPDATE_AFTER, "a", 2, 2, 1),
    ]


def test_the_front_of_a_large_partition_goes_again_and_again(tmp_path: Path) -> None:
    schema = pa.schema([("k", pa.string()), ("v", pa.int64())])
    run = Run(TopN(("k",), (Sort("v"),), 2, 1, "rn"), tmp_path, {"in": schema}, {"in": ["k"]})
    values = list(range(2000))
    run.rows([(INSERT, "a", value) for value in values])
    while values:
        count = min(len(values), 170)
        run.rows([(DELETE, "a", value) for value in values[:count]])
        values = values[count:]
        assert run.result == Counter(("a", value, i) for i, value in enumerate(values[:2], 1))
