"""A batch that is worked on in parts gives what it gives as a whole, and needs the memory of a part."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import Memory, now
from tests.state.run import INSERT, Hash, Row, Run, colliding, hashes
from tests.state.test_state_join import LEFT, RIGHT, random_changes
from tests.state.test_state_operator_crash import OPERATORS

from firesteel.state.cache import Cache
from firesteel.state.operator.join import Join, JoinKind, Side
from firesteel.state.operator.part import apply_in_parts
from firesteel.state.state import State


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("name", OPERATORS)
def test_parts_give_what_the_whole_gives(tmp_path: Path, name: str, hash_keys: Hash) -> None:
    operator, rng = OPERATORS[name], np.random.default_rng(len(name))
    schemas = {"left": LEFT, "right": RIGHT} if name == "join" else {"in": LEFT}
    keys = {"left": ["a", "b"], "right": ["c", "d"], "in": ["a"]}
    whole = Run(operator, tmp_path / "whole", schemas, keys, hash_keys)
    parts = Run(operator, tmp_path / "parts", schemas, keys, hash_keys, part_bytes=300)
    alive: dict[str, list[Row]] = {"left": [], "right": [], "in": []}
    for _ in range(30):
        rows = {side: random_changes(rng, alive[side], 30, int(rng.integers(1, 60))) for side in schemas}
        if name == "keep":
            rows = {side: [(INSERT, *row) for kind, *row in rows[side]] for side in rows}
        expected, found = whole.apply(None, **rows), parts.apply(None, **rows)
        assert sorted(map(repr, found)) == sorted(map(repr, expected))


def test_the_memory_for_a_frequent_join_key_has_a_bound(tmp_path: Path) -> None:
    """1,000 rows that each meet 5,000: pairs are made as they are taken."""
    sides = [pa.schema([(name, pa.int64()) for name in names]) for names in (("a", "k"), ("b", "l"))]
    operator = Join(JoinKind.INNER, Side(sides[0]), Side(sides[1]), (("k", "l"),))

    def rows(key: str, other: str, count: int) -> pa.Table:
        same = np.zeros(count, np.int64)
        return pa.table(
            {"__k1": same, "__k2": same, "__kind": same.astype(np.int8), key: np.arange(count), other: same}
        )

    durable, cache = Memory(), Cache(tmp_path)
    state = State(durable, cache, now(0))
    assert list(apply_in_parts(operator, {"right": rows("b", "l", 5000)}, state, now(0), 1 << 20)) == []
    state.commit()
    state, taken, most = State(durable, cache, now(1)), 0, 0
    base = pa.total_allocated_bytes()
    tracemalloc.start()
    for block in apply_in_parts(operator, {"left": rows("a", "k", 1000)}, state, now(1), 1 << 20):
        taken += block.num_rows
        most = max(most, pa.total_allocated_bytes() - base)
    most += tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    state.commit()
    assert taken == 5_000_000
    assert most < 60_000_000
