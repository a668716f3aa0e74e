"""Operators answer as Flink 2.3.0 did: final rows of recorded runs, whatever the batches are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.state.run import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Row, Run

from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.operator.operator import Operator
from firesteel.state.operator.top import Sort, TopN

F, INT, BIGINT = Function, pa.int32(), pa.int64()
#: A changelog of id, k and v, with two filters and a quotient: deletes, a row that changes its group, groups that end, NULL.
CHANGES: list[Row] = [
    (INSERT, 1, "a", 5),
    (INSERT, 2, "a", 9),
    (INSERT, 3, "b", 7),
    (INSERT, 4, "a", 9),
    (UPDATE_BEFORE, 2, "a", 9),
    (UPDATE_AFTER, 2, "a", 2),
    (DELETE, 4, "a", 9),
    (UPDATE_BEFORE, 3, "b", 7),
    (UPDATE_AFTER, 3, "a", 7),
    (INSERT, 5, "b", None),
    (DELETE, 5, "b", None),
    (INSERT, 6, "c", 1),
    (DELETE, 6, "c", 1),
    (INSERT, 7, "d", 4),
    (UPDATE_BEFORE, 7, "d", 4),
    (UPDATE_AFTER, 7, "d", None),
    (INSERT, 8, "e", 3),
    (INSERT, 9, "e", 3),
    (DELETE, 9, "e", 3),
]
SCHEMA = pa.schema([("id", INT), ("k", pa.string()), ("v", INT), ("late", pa.bool_()), ("large", pa.bool_())])
ADDED: list[Row] = [(INSERT, *row) for row in [("a", "x", 5), ("a", "y", 7), ("a", "z", 6), ("b", "x", 1)]] + [
    (INSERT, *row)
    for row in [("a", "y", -5), ("a", "w", 6), ("b", "y", 1), ("a", "x", None), ("c", "x", None), ("a", "z", -6)]
]
ADDED_SCHEMA = pa.schema([("k", pa.string()), ("u", pa.string()), ("v", INT)])


def of_v(
    name: str, function: Function, kind: pa.DataType = INT, filter_: str | None = None, distinct: bool = False
) -> Aggregate:
    return Aggregate(name, function, kind, "v", filter_, distinct)


def grouped(*aggregates: Aggregate) -> Operator:
    return GroupAggregate(("k",), aggregates)


CASES: list[tuple[str, Operator, list[Any]]] = [
    (
        "retract-01-min-max",
        grouped(of_v("mn", F.MIN), of_v("mx", F.MAX), Aggregate("c", F.COUNT, BIGINT), of_v("cv", F.COUNT, BIGINT)),
        [["a", 2, 7, 3, 3], ["d", None, None, 1, 0], ["e", 3, 3, 1, 1]],
    ),
    (
        "retract-02-first-last-value",
        grouped(of_v("f", F.FIRST_VALUE), of_v("l", F.LAST_VALUE)),
        [["a", 5, 7], ["d", None, None], ["e", 3, 3]],
    ),
    (
        "retract-04-array-agg",
        grouped(of_v("s", F.ARRAY_AGG, pa.list_(INT))),
        [["a", [5, 2, 7]], ["d", [None]], ["e", [3]]],
    ),
    (
        "rank-08-cdc-deletes",
        TopN(("k",), (Sort("v", True), Sort("id")), 2, rank="rn"),
        [
            [3, "a", 7, True, True, 1],
            [1, "a", 5, False, True, 2],
            [7, "d", None, True, None, 1],
            [8, "e", 3, True, True, 1],
        ],
    ),
]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_changes_end_as_flink_recorded_them(tmp_path: Path, case: tuple[str, Operator, list[Any]], size: int) -> None:
    run = Run(case[1], tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    rows = [(*row, row[1] > 2, None if row[3] is None else row[3] > 2) for row in CHANGES]
    for start in range(0, len(rows), size):
        run.rows(rows[start : start + size])
    assert sorted(map(json.dumps, run.result)) == sorted(map(json.dumps, case[2]))


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_ranks_two_and_three_end_as_flink_recorded_them(tmp_path: Path, size: int) -> None:
    operator = TopN(("k",), (Sort("v", True),), 3, 2, "rn", append_only=True)
    run = Run(operator, tmp_path, {"in": ADDED_SCHEMA}, {"in": ["k"]})
    for start in range(0, len(ADDED), size):
        run.rows(ADDED[start : start + size])
    assert set(run.result) == {("a", "z", 6, 2), ("a", "w", 6, 3), ("b", "y", 1, 2)}
