"""Upserts become the changes of a dictionary."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import now
from tests.state.run import DELETE, INSERT, SMALL, UPDATE_AFTER, UPDATE_BEFORE, Hash, Row, Run, colliding, hashes

from firesteel.state.operator.normalize import Normalize
from firesteel.state.state import State

SCHEMA = pa.schema([("k", pa.string()), ("v", pa.int64()), ("s", pa.string())])


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("seed", range(3))
def test_upserts_become_the_changes_of_a_dictionary(tmp_path: Path, seed: int, hash_keys: Hash) -> None:
    rng = np.random.default_rng(seed)
    run = Run(Normalize(("k",)), tmp_path, {"in": SCHEMA}, {"in": ["k"]}, hash_keys)
    table: dict[str | None, Row] = {}
    for _ in range(40):
        before, rows = dict(table), []
        for number in rng.integers(0, 60, rng.integers(0, 80)):
            key = None if number == 0 else f"key {number}"
            kind = int(rng.choice([INSERT, UPDATE_AFTER, DELETE]))
            row = (key, int(rng.integers(0, 3)), None if rng.random() < 0.3 else "x" * int(rng.integers(0, 20)))
            rows.append((kind, *((key, None, None) if kind == DELETE else row)))
            if kind == DELETE:
                table.pop(key, None)
            else:
                table[key] = row
        output = run.rows(rows)
        assert run.result == Counter(table.values())
        expected = Counter[Row]()
        for key in {*before, *table}:
            old, new = before.get(key), table.get(key)
            if old != new:
                expected.update([(UPDATE_BEFORE if new else DELETE, *old)] if old else [])
                expected.update([(UPDATE_AFTER if old else INSERT, *new)] if new else [])
        assert Counter(output) == expected


def test_as_flink_recorded_it(tmp_path: Path) -> None:
    run = Run(Normalize(("k",)), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    assert run.rows([(UPDATE_AFTER, "a", 1, None)]) == [(INSERT, "a", 1, None)]
    assert run.rows([(UPDATE_AFTER, "a", 1, None)]) == []
    assert run.rows([(UPDATE_AFTER, "a", 2, None)]) == [(UPDATE_BEFORE, "a", 1, None), (UPDATE_AFTER, "a", 2, None)]
    assert run.rows([(DELETE, "b", None, None)]) == []
    assert run.rows([(DELETE, "a", None, None)]) == [(DELETE, "a", 2, None)]
    assert run.rows([]) == []


ORDERED = pa.schema([*SCHEMA, ("o", pa.int64())])


@pytest.mark.parametrize("ttl", [None, 1000])
@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("seed", range(3))
def test_every_change_is_given_in_the_order_of_arrival(
    tmp_path: Path, seed: int, hash_keys: Hash, ttl: int | None
) -> None:
    rng = np.random.default_rng(seed)
    run = Run(Normalize(("k",), order="o", ttl=ttl), tmp_path, {"in": ORDERED}, {"in": ["k"]}, hash_keys)
    table: dict[str, Row] = {}
    place = 0
    for _ in range(30):
        rows: list[Row] = []
        expected: list[Row] = []
        for number in rng.integers(0, 12, rng.integers(0, 50)):
            key, place = f"key {number}", place + 1
            row = (key, int(rng.integers(0, 2)), None if rng.random() < 0.3 else "x")
            old = table.get(key)
            if rng.random() < 0.3:
                rows.append((DELETE, key, None, None, place))
                expected += [(DELETE, *old, place)] if old else []
                table.pop(key, None)
                continue
            rows.append((UPDATE_AFTER, *row, place))
            if old != row or ttl is not None:
                expected += [(UPDATE_BEFORE, *old, place)] if old else []
                expected.append((UPDATE_AFTER if old else INSERT, *row, place))
            table[key] = row
        run.net.clear()
        run.net.update(dict.fromkeys([tuple(row[1:]) for row in expected], 9))
        assert run.rows(rows) == expected


def test_texts_may_come_in_dictionaries_and_in_several_chunks(tmp_path: Path) -> None:
    run = Run(Normalize(("k",)), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    for number in range(3):
        block = run.block("in", [(UPDATE_AFTER, "a", number, "x"), (UPDATE_AFTER, "b", number, None)])
        place = block.column_names.index("s")
        block = block.set_column(place, "s", block["s"].dictionary_encode())
        block = pa.concat_tables([block.slice(0, 1), block.slice(1), block.slice(0, 0)])
        state = State(run.durable, run.cache, now(number), SMALL)
        output = run.operator.apply({"in": block}, state, now(number))
        state.commit()
        assert output is not None and output["s"].type == pa.string() and output.num_rows == (2 if number == 0 else 4)


def test_old_rows_are_left_out_where_nobody_wants_them(tmp_path: Path) -> None:
    run = Run(Normalize(("k",), old_rows=False), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    run.rows([(UPDATE_AFTER, "a", 1, None), (UPDATE_AFTER, "b", 1, None)])
    run.net.update({("a", 2, None): 9, ("b", 1, None): 9})
    output = run.rows([(UPDATE_AFTER, "a", 2, None), (DELETE, "b", None, None)])
    assert sorted(output) == [(UPDATE_AFTER, "a", 2, None), (DELETE, "b", 1, None)]


def test_with_a_time_to_live_rows_are_forgotten_and_nothing_is_suppressed(tmp_path: Path) -> None:
    run = Run(Normalize(("k",), ttl=10), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    assert run.rows([(UPDATE_AFTER, "a", 1, None), (UPDATE_AFTER, "b", 1, None)], clock=0)
    again = [(UPDATE_BEFORE, "a", 1, None), (UPDATE_AFTER, "a", 1, None)]
    assert run.rows([(UPDATE_AFTER, "a", 1, None)], clock=5) == again
    assert run.rows([(UPDATE_AFTER, "a", 1, None)], clock=14) == again
    run.net.clear()
    assert run.rows([(UPDATE_AFTER, "b", 2, None)], clock=14) == [(INSERT, "b", 2, None)]
    assert run.rows([(UPDATE_AFTER, "a", 1, None)], clock=24) == [(INSERT, "a", 1, None)]
