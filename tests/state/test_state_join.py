"""Joins of two changing inputs give what joining their rows anew gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.state.run import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Hash, Row, Run, colliding, hashes

from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.join import pair
from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.operator.join import Join, JoinKind, Side
from firesteel.state.operator.operator import INPUT
from firesteel.state.order import Bools

LEFT = pa.schema([("a", pa.int64()), ("b", pa.string()), ("x", pa.int64())])
RIGHT = pa.schema([("c", pa.int64()), ("d", pa.string()), ("y", pa.int64())])
KEYS = (("a", "c"), ("b", "d"))


def condition(left: pa.RecordBatch, right: pa.RecordBatch) -> Bools:
    smaller = pc.less(left.column("x"), right.column("y"))
    marks: Bools = pc.fill_null(smaller, False).to_numpy(zero_copy_only=False)
    return marks


def meets(left: Row, right: Row, safe: bool, with_condition: bool, columns: int = 2) -> bool:
    for one, other in zip(left[:columns], right[:columns], strict=True):
        if one is None or other is None:
            if not (safe and one is None and other is None):
                return False
        elif one != other:
            return False
    return not with_condition or left[2] < right[2]


def plain_join(kind: JoinKind, left: list[Row], right: list[Row], meet: Callable[[Row, Row], bool]) -> Counter[Row]:
    result: Counter[Row] = Counter()
    met = Counter[int]()
    for one in left:
        partners = [i for i, other in enumerate(right) if meet(one, other)]
        met.update(partners)
        if kind is JoinKind.SEMI or kind is JoinKind.ANTI:
            result[one] += bool(partners) == (kind is JoinKind.SEMI)
        else:
            result.update((*one, *right[i]) for i in partners)
            if not partners and kind in (JoinKind.LEFT, JoinKind.FULL):
                result[(*one, None, None, None)] += 1
    if kind in (JoinKind.RIGHT, JoinKind.FULL):
        result.update((None, None, None, *other) for i, other in enumerate(right) if not met[i])
    return +result


def random_changes(rng: np.random.Generator, alive: list[Row], keys: int, count: int) -> list[Row]:
    changes: list[Row] = []
    for _ in range(count):
        number = int(rng.integers(0, keys))
        row = (
            None if rng.random() < 0.1 else number,
            None if rng.random() < 0.1 else f"{number % 3}",
            int(rng.integers(0, 4)),
        )
        if alive and rng.random() < 0.5:
            old = alive.pop(int(rng.integers(0, len(alive))))
            update = rng.random() < 0.5
            changes.append((UPDATE_BEFORE if update else DELETE, *old))
            if not update:
                continue
            changes.append((UPDATE_AFTER, *row))
        else:
            changes.append((INSERT, *row))
        alive.append(row)
    return changes


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("with_condition", [False, True])
@pytest.mark.parametrize("kind", JoinKind)
def test_a_join_gives_what_joining_anew_gives(
    tmp_path: Path, kind: JoinKind, with_condition: bool, safe: bool, hash_keys: Hash, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair, "_CHUNK", 37)
    for seed, keys in enumerate((2, 25)):
        rng = np.random.default_rng([seed, len(kind.value)])
        operator = Join(kind, Side(LEFT), Side(RIGHT), KEYS, (safe, safe), condition if with_condition else None)
        sides = {"left": ["a", "b"], "right": ["c", "d"]}
        run = Run(operator, tmp_path / str(seed), {"left": LEFT, "right": RIGHT}, sides, hash_keys)
        left, right = list[Row](), list[Row]()
        for batch in range(14):
            counts = rng.integers(0, 12, 2) * (rng.random(2) < 0.7)
            if batch == 9:
                changes = [[(DELETE, *row) for row in rows] for rows in (left, right)]
                left, right = [], []
            else:
                changes = [
                    random_changes(rng, rows, keys, int(n)) for rows, n in zip((left, right), counts, strict=True)
                ]
            run.apply(left=changes[0], right=changes[1])
            assert run.result == plain_join(kind, left, right, partial(meets, safe=safe, with_condition=with_condition))


@pytest.mark.parametrize("kind", JoinKind)
def test_a_join_of_inputs_with_unique_keys(tmp_path: Path, kind: JoinKind) -> None:
    for seed in range(3):
        rng = np.random.default_rng([seed, len(kind.value)])
        operator = Join(kind, Side(LEFT, None, ("x",)), Side(RIGHT, None, ("y",)), KEYS[:1])
        run = Run(operator, tmp_path / str(seed), {"left": LEFT, "right": RIGHT}, {"left": ["a"], "right": ["c"]})
        tables: tuple[dict[int, Row], dict[int, Row]] = ({}, {})
        for _ in range(20):
            changes: list[list[Row]] = []
            for table in tables:
                changes.append([])
                for _ in range(int(rng.integers(0, 15))):
                    key = int(rng.integers(0, 12))
                    old = table.pop(key, None)
                    if old is not None:
                        changes[-1].append((UPDATE_BEFORE, *old))
                    if old is None or rng.random() < 0.6:
                        table[key] = (int(rng.integers(0, 4)), f"{rng.integers(0, 3)}", key)
                        changes[-1].append((UPDATE_AFTER, *table[key]))
            before = run.result
            output = run.apply(left=changes[0], right=changes[1])
            left, right = (list(table.values()) for table in tables)
            one_column = partial(meets, safe=False, with_condition=False, columns=1)
            assert run.result == plain_join(kind, left, right, one_column)
            assert len(output) == ((before - run.result) + (run.result - before)).total()


def sides(kind: JoinKind, folder: Path, left_ttl: int | None = None, right_ttl: int | None = None) -> Run:
    left, right = pa.schema([("a", pa.int64()), ("x", pa.string())]), pa.schema([("b", pa.int64()), ("y", pa.string())])
    operator = Join(kind, Side(left, left_ttl), Side(right, right_ttl), (("a", "b"),))
    return Run(operator, folder, {"left": left, "right": right}, {"left": ["a"], "right": ["b"]})


def test_an_outer_join_takes_its_null_row_back_when_a_match_comes(tmp_path: Path) -> None:
    run = sides(JoinKind.LEFT, tmp_path)
    assert run.apply(left=[(INSERT, 1, "l")]) == [(INSERT, 1, "l", None, None)]
    assert run.apply(right=[(INSERT, 1, "r")]) == [(DELETE, 1, "l", None, None), (INSERT, 1, "l", 1, "r")]
    update = [(UPDATE_BEFORE, 1, "r"), (UPDATE_AFTER, 1, "s")]
    assert run.apply(right=update) == [(UPDATE_BEFORE, 1, "l", 1, "r"), (UPDATE_AFTER, 1, "l", 1, "s")]
    assert run.apply(right=[(DELETE, 1, "s")]) == [(DELETE, 1, "l", 1, "s"), (INSERT, 1, "l", None, None)]
    assert run.apply(left=[(DELETE, 1, "l")]) == [(DELETE, 1, "l", None, None)]


def test_each_side_expires_by_its_own_time(tmp_path: Path) -> None:
    run = sides(JoinKind.INNER, tmp_path, left_ttl=10, right_ttl=100)
    run.apply(clock=0, left=[(INSERT, 1, "l")], right=[(INSERT, 1, "r"), (INSERT, 2, "r")])
    assert run.apply(clock=9, right=[(INSERT, 1, "s")]) == [(INSERT, 1, "l", 1, "s")]
    assert run.apply(clock=10, right=[(INSERT, 1, "t")]) == []
    assert run.apply(clock=50, left=[(INSERT, 2, "m")]) == [(INSERT, 2, "m", 2, "r")]
    # what goes and has expired takes the pairs with it that it has made
    run.net[(3, "k", 2, "r")] = 1
    assert run.apply(clock=99, left=[(DELETE, 2, "m")]) == [(DELETE, 2, "m", 2, "r")]
    assert run.apply(clock=100, left=[(INSERT, 2, "m")]) == []


def test_a_key_with_very_many_matches(tmp_path: Path) -> None:
    run = sides(JoinKind.LEFT, tmp_path)
    count = 30_000
    run.apply(left=[(INSERT, 1, f"{i}") for i in range(count)])
    run.apply(right=[(INSERT, 1, "r")])
    assert len(run.result) == count and all(row[2] == 1 for row in run.result)


def test_what_joins_in_several_buckets_give_can_be_aggregated_in_any_order(tmp_path: Path) -> None:
    """Rows that a batch of a join takes back were all there before it: none has to wait for one that comes."""
    orders, people = (
        pa.schema([("id", pa.int64()), ("c", pa.int64())]),
        pa.schema([("p", pa.int64()), ("g", pa.int64())]),
    )
    rng = np.random.default_rng(5)
    joins = [
        Run(
            Join(JoinKind.LEFT, Side(orders), Side(people), (("c", "p"),)),
            tmp_path / f"join{bucket}",
            {"left": orders, "right": people},
            {"left": ["c"], "right": ["p"]},
        )
        for bucket in range(3)
    ]
    pairs = pa.schema([*orders, *people])
    total = Aggregate("top", Function.MAX, pa.int64(), "id")
    listed = Aggregate("ids", Function.ARRAY_AGG, pa.list_(pa.int64()), "id")
    grouped = Run(GroupAggregate(("g",), (total, listed)), tmp_path / "grouped", {INPUT: pairs}, {INPUT: ["g"]})
    left, right = list[Row](), list[Row]()
    for _ in range(25):
        # a row changes several times within a batch, and with it the bucket that joins it
        changed = (_moves(rng, left, 8, 6), _moves(rng, right, 8, 3))
        out = list[Row]()
        for bucket, join in enumerate(joins):
            mine = [
                [row for row in rows if row[1 + at] % 3 == bucket] for rows, at in zip(changed, (1, 0), strict=True)
            ]
            out += join.apply(left=mine[0], right=mine[1])
        grouped.rows([out[place] for place in rng.permutation(len(out))])
        wanted: dict[int | None, list[int]] = {}
        for row in plain_pairs(left, right):
            wanted.setdefault(row[3], []).append(row[0])
        found = {row[0]: (row[1], sorted(row[2])) for row in grouped.result}
        assert found == {group: (max(ids), sorted(ids)) for group, ids in wanted.items()}


def plain_pairs(left: list[Row], right: list[Row]) -> list[Row]:
    """Joins orders and people by hand."""
    pairs = list[Row]()
    for one in left:
        partners = [other for other in right if other[0] == one[1]] or [(None, None)]
        pairs += [(*one, *other) for other in partners]
    return pairs


def _moves(rng: np.random.Generator, alive: list[Row], keys: int, count: int) -> list[Row]:
    """Inserts, updates and deletes rows of two numbers, with several changes of a row among them."""
    changes = list[Row]()
    for _ in range(count):
        row = (int(rng.integers(0, keys)), int(rng.integers(0, keys)))
        if alive and rng.random() < 0.6:
            changes.append((DELETE, *alive.pop(int(rng.integers(max(0, len(alive) - 3), len(alive))))))
        if rng.random() < 0.7:
            changes.append((INSERT, *row))
            alive.append(row)
    return changes
