"""Aggregates over rows that come and go are those of the rows that are there."""

from __future__ import annotations

import datetime
import decimal
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.state.run import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Hash, Row, Run, colliding, hashes

from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.operator.aggregate import GroupAggregate

D = decimal.Decimal
decimal.getcontext().prec = 60
SCHEMA = pa.schema(
    [
        ("k", pa.string()),
        ("id", pa.int32()),
        ("i", pa.int32()),
        ("b", pa.int64()),
        ("f", pa.float64()),
        ("d", pa.decimal128(10, 2)),
        ("w", pa.decimal128(38, 5)),
        ("s", pa.string()),
        ("t", pa.timestamp("us")),
        ("p", pa.bool_()),
    ]
)
WIDE = pa.decimal128(38, 2)
F = Function
AGGREGATES = (
    Aggregate("n", F.COUNT, pa.int64()),
    Aggregate("np", F.COUNT, pa.int64(), None, "p"),
    Aggregate("ni", F.COUNT, pa.int64(), "i"),
    Aggregate("si", F.SUM, pa.int32(), "i"),
    Aggregate("sbp", F.SUM, pa.int64(), "b", "p"),
    Aggregate("ai", F.AVG, pa.int32(), "i"),
    Aggregate("sf", F.SUM, pa.float64(), "f"),
    Aggregate("sd", F.SUM, WIDE, "d"),
    Aggregate("ad", F.AVG, pa.decimal128(38, 6), "d"),
    Aggregate("sw", F.SUM, pa.decimal128(38, 5), "w"),
    Aggregate("mni", F.MIN, pa.int32(), "i"),
    Aggregate("mxi", F.MAX, pa.int32(), "i", "p"),
    Aggregate("mxf", F.MAX, pa.float64(), "f"),
    Aggregate("mns", F.MIN, pa.string(), "s"),
    Aggregate("mxs", F.MAX, pa.string(), "s"),
    Aggregate("mnd", F.MIN, pa.decimal128(10, 2), "d"),
    Aggregate("mxw", F.MAX, pa.decimal128(38, 5), "w"),
    Aggregate("mxt", F.MAX, pa.timestamp("us"), "t"),
    Aggregate("mxp", F.MAX, pa.bool_(), "p"),
    Aggregate("fi", F.FIRST_VALUE, pa.int32(), "i"),
    Aggregate("ls", F.LAST_VALUE, pa.string(), "s", "p"),
    Aggregate("list", F.LISTAGG, pa.string(), "s", None, False, "|"),
    Aggregate("dlist", F.LISTAGG, pa.string(), "s", "p", True),
    Aggregate("array", F.ARRAY_AGG, pa.list_(pa.int32()), "i"),
    Aggregate("bag", F.COLLECT, pa.map_(pa.string(), pa.int32()), "s"),
    Aggregate("ndi", F.COUNT, pa.int64(), "i", None, True),
    Aggregate("sdi", F.SUM, pa.int32(), "i", None, True),
    Aggregate("nds", F.COUNT, pa.int64(), "s", "p", True),
)


def counted(row: Row, aggregate: Aggregate) -> bool:
    """Whether an aggregate counts a row."""
    names = SCHEMA.names
    if aggregate.filter is not None and not row[names.index(aggregate.filter)]:
        return False
    if aggregate.argument is None or aggregate.function is F.ARRAY_AGG:
        return True
    return row[names.index(aggregate.argument)] is not None


class Lists:
    """The values of each group and aggregate in their order: one that goes takes the first equal one away."""

    def __init__(self) -> None:
        self.groups: dict[Any, dict[str, list[Any]]] = {}
        self.rows: Counter[Any] = Counter()
        #: When each value of a group and aggregate came while none of it was there.
        self.since: dict[Any, int] = {}
        self.clock = 0

    def follow(self, changes: Sequence[Row]) -> None:
        """Works a batch's changes in."""
        for kind, *row in changes:
            lists = self.groups.setdefault(row[0], {one.name: [] for one in AGGREGATES})
            self.clock += 1
            self.rows[row[0]] += 1 if kind in (INSERT, UPDATE_AFTER) else -1
            for one in AGGREGATES:
                if counted(tuple(row), one):
                    value = row[SCHEMA.names.index(one.argument)] if one.argument else None
                    if kind in (INSERT, UPDATE_AFTER):
                        if value not in lists[one.name]:
                            self.since[row[0], one.name, value] = self.clock
                        lists[one.name].append(value)
                    else:
                        lists[one.name].remove(value)
        self.groups = {key: lists for key, lists in self.groups.items() if self.rows[key]}

    def expected(self, before: dict[Any, dict[str, list[Any]]]) -> tuple[Counter[Row], dict[Any, dict[str, list[Any]]]]:
        """The results; values that are distinct stay where they are as long as a batch ends with one of them."""
        distinct = {
            key: {name: self._distinct(key, name, before, values) for name, values in lists.items()}
            for key, lists in self.groups.items()
        }
        results = Counter(
            (
                key,
                *(plain_result((distinct if one.distinct else self.groups)[key][one.name], one) for one in AGGREGATES),
            )
            for key in self.groups
        )
        return results, distinct

    def _distinct(self, key: Any, name: str, before: dict[Any, dict[str, list[Any]]], values: list[Any]) -> list[Any]:
        kept = [value for value in before.get(key, {}).get(name, []) if value in values]
        new = [value for value in dict.fromkeys(values) if value not in kept]
        return kept + sorted(new, key=lambda value: self.since[key, name, value])


def plain_result(values: list[Any], aggregate: Aggregate) -> Any:
    """What an aggregate is, worked out from its values."""
    function = aggregate.function
    if function is F.COUNT:
        return len(values)
    if function is F.COLLECT:
        return tuple(Counter(values).items())
    if not values:
        return None
    if function is F.SUM:
        total = sum(values[1:], values[0])
        return (total + 2**31) % 2**32 - 2**31 if aggregate.type == pa.int32() else total
    if function is F.AVG:
        if isinstance(values[0], int):
            return int(math.copysign(abs(sum(values)) // len(values), sum(values)))
        return (sum(values) / len(values)).quantize(D("0.000001"), decimal.ROUND_HALF_UP)
    if function in (F.MIN, F.MAX):
        order = str.encode if isinstance(values[0], str) else (lambda value: value)
        return (min if function is F.MIN else max)(values, key=order)
    if function is F.FIRST_VALUE:
        return values[0]
    if function is F.LAST_VALUE:
        return values[-1]
    return aggregate.separator.join(values) if function is F.LISTAGG else tuple(values)


def some_row(rng: np.random.Generator, number: int, groups: int) -> Row:
    texts = ["", "a", "abcdefgh", "abcdefghi", "abcdefgha", "abcdefgh\0", "ü", "\x7f", None]
    group = int(rng.integers(0, groups))
    return (
        None if group == 0 else f"group {group}",
        number,
        None if rng.random() < 0.1 else int(rng.choice([1, 2, 3, -7, 2**31 - 1, -(2**31)])),
        None if rng.random() < 0.1 else int(rng.integers(-(2**40), 2**40)),
        None if rng.random() < 0.1 else float(rng.choice([0.5, -1.25, 3.0, 1024.0])),
        None if rng.random() < 0.1 else D(int(rng.integers(-500, 500))).scaleb(-2),
        None if rng.random() < 0.1 else D(int(rng.choice([-1, 1, 7, 10**17]))) * D("400000000000000.12345"),
        texts[int(rng.integers(0, len(texts)))],
        None if rng.random() < 0.1 else datetime.datetime(2024, 1, int(rng.integers(1, 6))),
        None if rng.random() < 0.1 else bool(rng.random() < 0.5),
    )


def random_changes(rng: np.random.Generator, alive: list[Row], count: int, groups: int, number: int) -> list[Row]:
    """Changes of a table, each update as two rows; `alive` follows them, in the order of arrival."""
    changes: list[Row] = []
    for i in range(count):
        if alive and rng.random() < 0.5:
            row = alive.pop(int(rng.integers(0, len(alive))))
            update = rng.random() < 0.4
            changes.append((UPDATE_BEFORE if update else DELETE, *row))
            if not update:
                continue
            row, kind = some_row(rng, row[1], groups), UPDATE_AFTER
        else:
            row, kind = some_row(rng, number + i, groups), INSERT
        changes.append((kind, *row))
        alive.append(row)
    return changes


def assert_same(result: Counter[Row], expected: Counter[Row]) -> None:
    """Compares results column by column, so that a difference is told by the name of its aggregate."""
    names = ["k", *(one.name for one in AGGREGATES)]
    found, wanted = ({row[0]: dict(zip(names, row, strict=True)) for row in rows} for rows in (result, expected))
    assert set(found) == set(wanted)
    differences = [
        (key, n, found[key][n], wanted[key][n]) for key in found for n in names if found[key][n] != wanted[key][n]
    ]
    assert differences == []
    assert result == expected


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("seed", range(3))
def test_aggregates_are_those_of_the_rows_that_are_there(tmp_path: Path, seed: int, hash_keys: Hash) -> None:
    rng = np.random.default_rng(seed)
    run = Run(GroupAggregate(("k",), AGGREGATES), tmp_path, {"in": SCHEMA}, {"in": ["k"]}, hash_keys)
    alive: list[Row] = []
    groups = [3, 12, 40][seed]
    lists, distinct = Lists(), dict[Any, dict[str, list[Any]]]()
    for batch in range(25):
        if batch == 15:  # everything goes
            run.rows([(DELETE, *row) for row in alive])
            assert not run.result
            alive.clear()
            lists, distinct = Lists(), {}
        before = set(run.result)
        changes = random_changes(rng, alive, int(rng.integers(0, 30)), groups, batch * 1000)
        output = run.rows(changes)
        lists.follow(changes)
        expected, distinct = lists.expected(distinct)
        assert_same(run.result, expected)
        # the net of the batch: nothing goes and comes back
        changed = before ^ set(run.result)
        assert len(output) == len(changed) and {row[1:] for row in output} == changed
    assert set(run.kinds) == {INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE}


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
def test_of_rows_that_only_come_nothing_but_the_answers_is_kept(tmp_path: Path, hash_keys: Hash) -> None:
    rng = np.random.default_rng(11)
    functions = (F.MIN, F.MAX, F.FIRST_VALUE, F.LAST_VALUE, F.COUNT, F.SUM)
    aggregates = tuple(one for one in AGGREGATES if one.function in functions and not one.distinct)
    run = Run(GroupAggregate(("k",), aggregates, append_only=True), tmp_path, {"in": SCHEMA}, {"in": ["k"]}, hash_keys)
    lists = Lists()
    for batch in range(20):
        changes = [(INSERT, *some_row(rng, batch, 12)) for _ in range(int(rng.integers(0, 30)))]
        run.rows(changes)
        lists.follow(changes)
        assert run.result == Counter(
            (key, *(plain_result(values[one.name], one) for one in aggregates)) for key, values in lists.groups.items()
        )
    assert run.state is not None and set(run.state.report()) == {"groups"}


DEVIATIONS = tuple(
    Aggregate(function.value, function, pa.float64(), "f")
    for function in (F.STDDEV_POP, F.STDDEV_SAMP, F.VAR_POP, F.VAR_SAMP, F.AVG)
)


def test_deviations_are_as_flink_recorded_them(tmp_path: Path) -> None:
    schema = pa.schema([("k", pa.string()), ("f", pa.float64())])
    run = Run(GroupAggregate(("k",), DEVIATIONS), tmp_path, {"in": schema}, {"in": ["k"]})
    run.rows([(INSERT, "a", value) for value in (2.0, 4.0, 100.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0)])
    run.rows([(INSERT, "b", 3.0), (INSERT, "b", 5.0), (INSERT, "d", None)])
    run.rows([(DELETE, "a", 100.0), (DELETE, "b", 3.0)])
    rounded = {row[0]: tuple(v if v is None else round(v, 6) for v in row[1:]) for row in run.result}
    assert rounded == {
        "a": (2.0, 2.13809, 4.0, 4.571429, 5.0),
        "b": (0.0, None, 0.0, None, 5.0),
        "d": (None, None, None, None, None),
    }


SMALL = pa.schema([("k", pa.string()), ("v", pa.int64())])
COUNT_SUM = (Aggregate("n", F.COUNT, pa.int64()), Aggregate("s", F.SUM, pa.int64(), "v"))


def test_a_group_ends_with_its_last_row_and_begins_anew(tmp_path: Path) -> None:
    run = Run(GroupAggregate(("k",), COUNT_SUM), tmp_path, {"in": SMALL}, {"in": ["k"]})
    assert run.rows([(INSERT, "a", 5)]) == [(INSERT, "a", 1, 5)]
    assert run.rows([(DELETE, "a", 5), (INSERT, "b", None)]) == [(DELETE, "a", 1, 5), (INSERT, "b", 1, None)]
    assert run.rows([(INSERT, "a", None), (INSERT, "a", 4)]) == [(INSERT, "a", 2, 4)]
    assert run.rows([(INSERT, "c", 1), (DELETE, "c", 1)]) == []
    assert run.rows([(UPDATE_BEFORE, "a", 4), (UPDATE_AFTER, "a", 4)]) == []


def test_rows_that_leave_a_group_without_rows_are_ignored(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    run = Run(GroupAggregate(("k",), COUNT_SUM), tmp_path, {"in": SMALL}, {"in": ["k"]})
    groups: dict[str, tuple[int, int]] = {}
    for _ in range(60):
        changes: list[Row] = []
        for _ in range(int(rng.integers(1, 40))):
            key, value = f"{rng.integers(0, 6)}", int(rng.integers(0, 9))
            kind = INSERT if rng.random() < 0.4 else DELETE
            changes.append((kind, key, value))
            count, total = groups.get(key, (0, 0))
            if kind == INSERT:
                groups[key] = (count + 1, total + value)
            elif count == 1:
                del groups[key]
            elif count:
                groups[key] = (count - 1, total - value)
        run.rows(changes)
        counts = {row[0]: row[1] for row in run.result}
        assert counts == {key: count for key, (count, _) in groups.items()}


def test_one_group_of_all_rows(tmp_path: Path) -> None:
    schema = pa.schema([("v", pa.int64()), ("k", pa.string())])
    aggregates = (*COUNT_SUM, Aggregate("d", F.COUNT, pa.int64(), "k", None, True))
    run = Run(GroupAggregate((), aggregates), tmp_path, {"in": schema}, {"in": []})
    assert run.rows([(INSERT, 5, "a")]) == [(INSERT, 1, 5, 1)]
    assert run.rows([(DELETE, 5, "a")]) == [(DELETE, 1, 5, 1)]
    assert run.rows([(INSERT, None, "a")]) == [(INSERT, 1, None, 1)]
    assert run.rows([(INSERT, 4, "b")]) == [(UPDATE_BEFORE, 1, None, 1), (UPDATE_AFTER, 2, 4, 2)]


def test_select_distinct_is_a_group_without_aggregates(tmp_path: Path) -> None:
    run = Run(GroupAggregate(("k", "v"), ()), tmp_path, {"in": SMALL}, {"in": ["k", "v"]})
    assert run.rows([(INSERT, "a", None), (INSERT, "a", None)]) == [(INSERT, "a", None)]
    assert run.rows([(DELETE, "a", None)]) == []
    assert run.rows([(DELETE, "a", None)]) == [(DELETE, "a", None)]


def test_groups_expire(tmp_path: Path) -> None:
    aggregates = (*COUNT_SUM, Aggregate("m", F.MAX, pa.int64(), "v"))
    run = Run(GroupAggregate(("k",), aggregates, ttl=10), tmp_path, {"in": SMALL}, {"in": ["k"]})
    run.rows([(INSERT, "a", 1), (INSERT, "b", 9)], clock=0)
    run.rows([(INSERT, "a", 2)], clock=9)
    run.net.clear()
    assert run.rows([(INSERT, "b", 1)], clock=10) == [(INSERT, "b", 1, 1, 1)]
    run.net[("a", 2, 3, 2)] = 1
    same = [(UPDATE_BEFORE, "a", 2, 3, 2), (UPDATE_AFTER, "a", 2, 3, 2)]
    assert run.rows([(UPDATE_BEFORE, "a", 2), (UPDATE_AFTER, "a", 2)], clock=18) == same
    assert run.rows([(DELETE, "a", 2)], clock=28) == []
    for clock in range(29, 60):
        run.rows([], clock=clock)
    assert run.durable.blobs == {}, "state ends, although nothing comes any more"


def test_texts_of_a_group_that_goes_on_expire_one_by_one(tmp_path: Path) -> None:
    texts = Aggregate("texts", F.LISTAGG, pa.string(), "t", separator=",")
    schema = pa.schema([("k", pa.string()), ("t", pa.string())])
    run = Run(GroupAggregate(("k",), (texts,), ttl=10, append_only=True), tmp_path, {"in": schema}, {"in": ["k"]})
    run.rows([(INSERT, "a", "one")], clock=0)
    run.rows([(INSERT, "a", "two")], clock=6)
    run.net.clear()
    run.net[("a", "two")] = 1
    assert run.rows([(INSERT, "a", "three")], clock=12)[-1] == (UPDATE_AFTER, "a", "two,three")


@pytest.mark.parametrize("function", [F.MIN, F.MAX])
@pytest.mark.parametrize("kind", [pa.int64(), pa.string()])
def test_of_rows_that_never_go_the_extreme_alone_is_kept(tmp_path: Path, function: Function, kind: pa.DataType) -> None:
    best = Aggregate("best", function, kind, "v", filter="f")
    schema = pa.schema([("k", pa.string()), ("v", kind), ("f", pa.bool_())])
    run = Run(GroupAggregate(("k",), (best,), append_only=True), tmp_path, {"in": schema}, {"in": ["k"]})
    rng = np.random.default_rng(3)
    kept: dict[str, Any] = {}
    for _ in range(20):
        rows: list[Row] = []
        for _ in range(int(rng.integers(0, 40))):
            number = int(rng.integers(0, 1000))
            value = None if number < 100 else number if kind == pa.int64() else f"a long beginning {number}"
            key, passes = f"{rng.integers(0, 9)}", (True, False, None)[rng.integers(0, 3)]
            rows.append((INSERT, key, value, passes))
            known = kept.setdefault(key, None)
            if passes and value is not None:
                kept[key] = value if known is None else (min if function is F.MIN else max)(known, value)
        run.rows(rows)
        assert run.result == Counter(kept.items())
    assert run.state is not None and set(run.state.report()) == {"groups"}


def test_the_extreme_of_rows_that_never_go_stays_as_long_as_its_group(tmp_path: Path) -> None:
    best = Aggregate("best", F.MAX, pa.int64(), "v")
    run = Run(GroupAggregate(("k",), (best,), ttl=10, append_only=True), tmp_path, {"in": SMALL}, {"in": ["k"]})
    run.rows([(INSERT, "a", 9)], clock=0)
    assert run.rows([(INSERT, "a", 1)], clock=8)[-1] == (UPDATE_AFTER, "a", 9)
    assert run.rows([(INSERT, "a", 2)], clock=16)[-1] == (UPDATE_AFTER, "a", 9)
    run.net.clear()
    assert run.rows([(INSERT, "a", 3)], clock=26) == [(INSERT, "a", 3)]


@pytest.mark.parametrize("function", [F.MIN, F.MAX])
def test_the_extreme_of_a_large_group_goes_again_and_again(tmp_path: Path, function: Function) -> None:
    rng = np.random.default_rng(7)
    aggregate = Aggregate("m", function, pa.int64(), "v")
    run = Run(GroupAggregate(("k",), (aggregate,)), tmp_path, {"in": SMALL}, {"in": ["k"]})
    values = sorted(rng.integers(-(10**6), 10**6, 3000).tolist(), reverse=function is F.MIN)
    run.rows([(INSERT, "a", value) for value in values])
    while values:
        gone = [values.pop() for _ in range(min(len(values), int(rng.integers(1, 200))))]
        run.rows([(DELETE, "a", value) for value in gone])
        assert run.result == (Counter([("a", values[-1])]) if values else Counter())


def test_a_sum_of_too_many_digits_is_null_until_it_is_smaller_again(tmp_path: Path) -> None:
    schema = pa.schema([("k", pa.string()), ("w", pa.decimal128(38, 0))])
    aggregates = (Aggregate("s", F.SUM, pa.decimal128(38, 0), "w"), Aggregate("n", F.COUNT, pa.int64()))
    average = GroupAggregate(("k",), (Aggregate("a", F.AVG, pa.decimal128(38, 6), "w"),))
    run = Run(average, tmp_path / "average", {"in": schema}, {"in": ["k"]})
    run.rows([(INSERT, "a", D(10**33)), (INSERT, "b", D(5)), (INSERT, "b", D(2)), (INSERT, "c", D(1 - 10**32))])
    assert run.result == Counter([("a", None), ("b", D("3.500000")), ("c", D(1 - 10**32).quantize(D("0.000001")))])
    run = Run(GroupAggregate(("k",), aggregates), tmp_path, {"in": schema}, {"in": ["k"]})
    for sign in (1, -1):
        most = D(sign * (10**38 - 1))
        run.rows([(INSERT, "a", most), (INSERT, "a", D(sign))])
        assert run.result == Counter([("a", None, 2)])
        run.rows([(DELETE, "a", D(sign))])
        assert run.result == Counter([("a", most, 1)])
        run.rows([(INSERT, "a", most), (INSERT, "a", most), (DELETE, "a", most), (INSERT, "a", -most)])
        assert run.result == Counter([("a", most, 3)])
        run.rows([(DELETE, "a", most), (DELETE, "a", most), (DELETE, "a", -most)])
        assert not run.result
