"""Tables answer as plain dictionaries do, over many batches, whatever was merged, forgotten or has expired."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import Memory, mix, now

from firesteel.state.cache import Cache
from firesteel.state.order import Bools, Ints, find_rows, is_sorted, lexical_order, rank_in_runs
from firesteel.state.state import State
from firesteel.state.store import Shape

#: Small enough for parts, slices and pieces to be many.
SMALL = Shape(part_rows=40, part_bytes=4000, piece_bytes=500, slice_rows=100)
SHAPES = [
    SMALL,
    Shape(),
    Shape(part_rows=15, slice_rows=30, ratio=0.3),
    Shape(part_rows=1000, slice_rows=64, ratio=2.0),
]


class Model:
    """A table as a dictionary: identities to values and the clock of their last write."""

    def __init__(self, ttl: int | None) -> None:
        self.ttl = ttl
        self.rows: dict[tuple[int, ...], tuple[int, str | None, int]] = {}
        self.floor: int | None = None

    def alive(self, clock: int) -> dict[tuple[int, ...], tuple[int, str | None]]:
        return {key: (v, s) for key, (v, s, touch) in self.rows.items() if self.ttl is None or touch > clock - self.ttl}


def sorted_keys(keys: set[tuple[int, ...]], width: int) -> list[Ints]:
    table = np.array(sorted(keys), np.int64).reshape(-1, width)
    return [table[:, i] for i in range(width)]


def random_keys(rng: np.random.Generator, count: int, width: int, space: int) -> list[Ints]:
    """Identities with many equal first numbers, and extreme ones."""
    numbers = rng.integers(0, space, count)
    first = mix(numbers // 5)
    first = np.where(numbers % 17 == 0, -(2**63), np.where(numbers % 19 == 0, 2**63 - 1, first))
    second = np.where(numbers % 3 == 0, numbers, 2**63 - 1) if width > 2 else numbers
    return [first, second, mix(numbers, 2)][:width]


def put_at_random(rng: np.random.Generator, state: State, model: Model, clock: int, width: int, space: int) -> None:
    table = state.table("rows", model.ttl)
    count = int(rng.integers(0, 150))
    keys = random_keys(rng, count, width, space)
    values = rng.integers(0, 1000, count)
    texts = [None if v % 7 == 0 else f"text {v}" for v in values]
    gone: Bools = rng.random(count) < 0.3
    data: dict[str, Any] = dict(zip(["__k1", "__k2", "__k3"], keys, strict=False))
    table.put(pa.table({**data, "v": values, "s": pa.array(texts, pa.string())}), gone)
    for i, key in enumerate(zip(*(k.tolist() for k in keys), strict=True)):
        if gone[i]:
            model.rows.pop(key, None)
        else:
            model.rows[key] = (int(values[i]), texts[i], clock)


def check_get(rng: np.random.Generator, state: State, model: Model, clock: int, width: int, space: int) -> None:
    asked = random_keys(rng, 120, width, space)
    keys = sorted_keys(set(zip(*(k.tolist() for k in asked), strict=True)), width)
    at, rows = state.table("rows", model.ttl).get(*keys)
    alive = model.alive(clock)
    tuples = list(zip(*(k.tolist() for k in keys), strict=True))
    expected = [(i, *alive[key]) for i, key in enumerate(tuples) if key in alive]
    found = [] if rows is None else list(zip(at.tolist(), *(c.to_pylist() for c in rows.columns), strict=True))
    assert found == expected


def check_scan(rng: np.random.Generator, state: State, model: Model, clock: int, width: int, space: int) -> None:
    asked = np.unique(random_keys(rng, 60, width, space)[0])
    table = state.table("rows", model.ttl)
    alive = model.alive(clock)
    owner, rows = table.scan(asked)
    found = [] if rows is None else [(int(o), *row.values()) for o, row in zip(owner, rows.to_pylist(), strict=True)]
    expected = sorted(
        (
            (i, *key, *value)
            for i, first in enumerate(asked.tolist())
            for key, value in alive.items()
            if key[0] == first
        ),
        key=lambda row: row[: width + 1],
    )
    assert found == expected
    count = rng.integers(0, 6, len(asked))
    start = rng.integers(0, space, len(asked)) if rng.random() < 0.5 else None
    owner, rows = table.first(asked, count, start)
    found = [] if rows is None else [(int(o), *row.values()) for o, row in zip(owner, rows.to_pylist(), strict=True)]
    wanted = []
    for i in range(len(asked)):
        mine = [row for row in expected if row[0] == i and (start is None or row[2] >= start[i])]
        top = mine[: count[i]]
        wanted += top + [row for row in mine[count[i] :] if top and row[2] == top[-1][2]]
    assert found == wanted


@pytest.mark.parametrize("ttl", [None, 6])
@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_a_table_answers_as_a_dictionary_does(tmp_path: Path, shape: int, width: int, ttl: int | None) -> None:
    for seed in range(2):
        rng = np.random.default_rng([seed, shape, width])
        durable, model, cache = Memory(), Model(ttl), Cache(tmp_path / str(seed), memory=20_000)
        space = int(rng.choice([60, 400, 3000]))
        for batch in range(25):
            clock = batch * 2 // 3
            state = State(durable, cache, now(batch, clock), SHAPES[shape])
            state.table("rows", ttl)
            check_get(rng, state, model, clock, width, space)
            check_scan(rng, state, model, clock, width, space)
            put_at_random(rng, state, model, clock, width, space)
            if rng.random() < 0.3:
                state.table("rows", ttl).flush()
                check_get(rng, state, model, clock, width, space)
                put_at_random(rng, state, model, clock, width, space)
            state.commit()
        named = set(durable.blobs)
        state = State(durable, Cache(tmp_path / f"{seed}-lost"), now(99, clock), SHAPES[shape])
        check_get(rng, state, model, clock, width, space)
        parts = [part for entry in state._manifest.tables.values() for part in entry.parts]
        assert named == {f"{part.name}.{i}" for part in parts for i in range(part.pieces)}


def test_a_version_is_found_as_of_a_time(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    durable, versions = Memory(), dict[tuple[int, int], int]()
    for batch in range(30):
        state = State(durable, Cache(tmp_path), now(batch), SMALL)
        table = state.table("versions")
        asked = lexical_order([keys := mix(rng.integers(0, 40, 50)), times := rng.integers(0, 1000, 50)])
        keys, times = keys[asked], times[asked]
        at, rows = table.as_of(keys, times)
        found = dict(zip(at.tolist(), [] if rows is None else rows["v"].to_pylist(), strict=True))
        for i, (key, time) in enumerate(zip(keys.tolist(), times.tolist(), strict=True)):
            earlier = [t for k, t in versions if k == key and t <= time]
            value = versions[key, max(earlier)] if earlier else -1
            assert found.get(i, -1) == value
        keys, times, values = mix(rng.integers(0, 40, 50)), rng.integers(0, 1000, 50), rng.integers(0, 1000, 50)
        # where a version was deleted, the one before it is found
        gone = rng.random(50) < 0.1
        table.put(pa.table({"__k1": keys, "__k2": times, "v": values}), gone)
        for key, time, value, deleted in zip(keys.tolist(), times.tolist(), values.tolist(), gone, strict=True):
            if deleted:
                versions.pop((key, time), None)
            else:
                versions[key, time] = value
        state.commit()


def test_rows_wait_for_a_time_and_are_forgotten_behind_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    durable, waiting, number = Memory(), set[tuple[int, int]](), 0
    for batch in range(60):
        state = State(durable, Cache(tmp_path), now(batch), SMALL)
        table = state.table("waiting")
        assert table.least() == min((time for time, _ in waiting), default=None)
        limit = batch * 20
        rows = table.up_to(limit)
        due = set() if rows is None else set(zip(*(c.to_pylist() for c in rows.columns[:2]), strict=True))
        assert due == {row for row in waiting if row[0] <= limit}
        table.forget(limit)
        waiting = {row for row in waiting if row[0] > limit}
        times = rng.integers(limit + 1, limit + 300, 40)
        table.put(pa.table({"__k1": times, "__k2": np.arange(number, number + 40)}))
        waiting |= {(int(time), number + i) for i, time in enumerate(times)}
        number += 40
        state.commit()
    assert state.report()["waiting"].rows < 1500


def test_state_that_is_no_longer_written_expires(tmp_path: Path) -> None:
    durable = Memory()
    for batch in range(200):
        state = State(durable, Cache(tmp_path), now(batch), SMALL)
        table = state.table("rows", 10)
        keys = mix(np.arange(batch * 20, batch * 20 + 20)) if batch < 100 else np.empty(0, np.int64)
        table.put(pa.table({"__k1": keys, "__k2": keys, "v": keys}))
        state.commit()
        assert state.report().get("rows") is None or state.report()["rows"].rows <= 20 * 45
    assert state.report() == {} and durable.blobs == {}


def test_a_table_that_begins_to_expire_keeps_what_was_there_for_one_time_more(tmp_path: Path) -> None:
    durable = Memory()
    keys = np.arange(300)
    for batch in range(80):
        state = State(durable, Cache(tmp_path), now(batch), SMALL)
        table = state.table("rows", None if batch < 5 else 10)
        if batch < 5:
            table.put(pa.table({"__k1": keys, "__k2": keys, "v": keys * batch}))
        if batch == 6:
            table.put(pa.table({"__k1": keys[:10], "__k2": keys[:10], "v": keys[:10]}))
        at, rows = table.get(keys, keys)
        if 5 <= batch < 16:
            assert len(at) == 300
        if batch == 17 and rows is not None:
            assert not set(at.tolist()) & set(range(10)), "what hides older rows does not go before them"
        state.commit()
    assert durable.blobs == {}


def test_a_large_merge_is_spread_over_batches(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    durable, shape = Memory(), Shape(part_rows=500, slice_rows=1000)
    most, keys = 0, np.arange(20_000)
    state = State(durable, Cache(tmp_path), now(0), shape)
    state.table("rows").put(pa.table({"__k1": keys * 3, "__k2": keys}))
    state.commit()
    for batch in range(1, 200):
        state = State(durable, Cache(tmp_path), now(batch), shape)
        some = rng.integers(0, 20_000, 200)
        state.table("rows").put(pa.table({"__k1": some * 3, "__k2": some}))
        state.commit()
        most = max(most, state.counts.merged)
        assert state.report()["rows"].rows < 50_000
    assert most < 6_000
    assert len(state.table("rows").get(keys * 3, keys)[0]) == 20_000


def test_a_merge_that_changes_nothing_of_what_was_just_written_keeps_it(tmp_path: Path) -> None:
    """A segment is named by its batch and its content: merged alone, it gets the name that it had."""
    durable, shape = Memory(), Shape(part_rows=50, slice_rows=50)
    for batch, keys in enumerate([np.arange(400), np.arange(1000, 1200), np.arange(2000, 2200)]):
        state = State(durable, Cache(tmp_path), now(batch), shape)
        state.table("rows").put(pa.table({"__k1": keys, "__k2": keys}))
        state.commit()
    shutil.rmtree(tmp_path)
    whole = State(durable, Cache(tmp_path), now(3), shape).table("rows").whole()
    assert whole is not None and whole.num_rows == 800


def test_only_so_much_stays_mapped(tmp_path: Path) -> None:
    durable, cache, keys = Memory(), Cache(tmp_path, memory=50_000), np.arange(20_000)
    for batch in range(2):
        state = State(durable, cache, now(batch), Shape(part_rows=500))
        assert len(state.table("rows").get(keys, keys)[0]) == (20_000 if batch else 0)
        state.table("rows").put(pa.table({"__k1": keys, "__k2": keys, "v": keys}))
        state.commit()
        assert cache.mapped <= 50_000


def test_a_batch_without_writes_costs_no_call_but_one(tmp_path: Path) -> None:
    durable = Memory()
    state = State(durable, Cache(tmp_path), now(0))
    state.table("rows").put(pa.table({"__k1": [1], "__k2": [2]}))
    state.own["n"] = 1
    state.commit()
    calls = durable.calls
    state = State(durable, Cache(tmp_path), now(1))
    state.table("rows").get(np.array([1]), np.array([2]))
    state.commit()
    assert durable.calls == calls + 1


def test_attempts_of_a_batch_name_their_segments_alike(tmp_path: Path) -> None:
    contents = []
    for attempt in range(2):
        durable = Memory()
        for batch in range(5):
            state = State(durable, Cache(tmp_path / str(attempt)), now(batch), SMALL)
            keys = mix(np.arange(batch * 50, batch * 50 + 300))
            state.table("rows").put(pa.table({"__k1": keys, "__k2": keys}))
            state.commit()
        contents.append(durable.content)
    assert contents[0] == contents[1]


def test_rows_are_found_among_many_with_the_same_first_number() -> None:
    rng = np.random.default_rng(5)
    keys = [np.sort(rng.integers(0, 3, 2000)), *rng.integers(0, 40, (2, 2000))]
    order = lexical_order(keys)
    keys = [key[order] for key in keys]
    asked = list(rng.integers(-1, 41, (3, 500)))
    asked[0] = np.sort(rng.integers(0, 3, 500))
    present = set(zip(*(key.tolist() for key in keys), strict=True))
    at, hit = find_rows(keys, asked)
    for i, row in enumerate(zip(*(number.tolist() for number in asked), strict=True)):
        assert hit[i] == (row in present)
        assert not hit[i] or tuple(int(key[at[i]]) for key in keys) == row
    assert not is_sorted(keys) or len(present) == 2000
    assert rank_in_runs(np.array([3, 3, 7, 9, 9, 9])).tolist() == [0, 1, 0, 0, 1, 2]


@pytest.mark.parametrize("space", [3, 200, 2**62])
@pytest.mark.parametrize("count", [0, 1, 2, 700])
def test_the_order_of_rows_is_stable_and_by_all_numbers(count: int, space: int) -> None:
    rng = np.random.default_rng([count, space])
    for width in (1, 2, 3):
        keys = list(rng.integers(-space, space, (width, count)))
        for given in (keys, [np.sort(keys[0]), *keys[1:]], [np.sort(keys[0]), *(key * 0 for key in keys[1:])]):
            rows = list(zip(*(key.tolist() for key in given), strict=True))
            assert lexical_order(given).tolist() == sorted(range(count), key=rows.__getitem__)
