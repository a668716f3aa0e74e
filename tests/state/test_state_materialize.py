"""A sink key has the last of its rows, and the one before when that goes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import now
from tests.state.run import DELETE, INSERT, SMALL, UPDATE_AFTER, UPDATE_BEFORE, Hash, Row, Run, colliding, hashes

from firesteel.errors import JobError
from firesteel.state.operator.materialize import Conflict, Materialize
from firesteel.state.state import State

SCHEMA = pa.schema([("k", pa.string()), ("id", pa.int64()), ("v", pa.int64())])


class Plain:
    """Flink's lists: rows of each sink key in their order."""

    def __init__(self, query_key: bool) -> None:
        self.lists: dict[str, list[Row]] = {}
        self.query_key = query_key

    def find(self, rows: list[Row], row: Row) -> int:
        for i, other in enumerate(rows):
            if other[1] == row[1] if self.query_key else other == row:
                return i
        return -1

    def follow(self, changes: list[Row]) -> None:
        for kind, *values in changes:
            row, rows = tuple(values), self.lists.setdefault(values[0], [])
            at = self.find(rows, row)
            if kind in (UPDATE_BEFORE, DELETE):
                if at >= 0:
                    del rows[at]
            elif self.query_key and at >= 0:
                rows[at] = row
            else:
                rows.append(row)

    def shown(self, first: bool) -> Counter[Row]:
        return Counter(rows[0 if first else -1] for rows in self.lists.values() if rows)


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("conflict", [Conflict.DEDUPLICATE, Conflict.NOTHING])
@pytest.mark.parametrize("query_key", [None, ("id",)])
def test_the_last_row_of_a_key_counts(
    tmp_path: Path, query_key: tuple[str, ...] | None, conflict: Conflict, hash_keys: Hash
) -> None:
    for seed in range(2):
        rng = np.random.default_rng(seed)
        operator = Materialize(("k",), query_key, conflict, old_rows=True)
        run = Run(operator, tmp_path / str(seed), {"in": SCHEMA}, {"in": ["k"]}, hash_keys)
        plain, alive, number = Plain(query_key is not None), dict[int, Row](), 0
        for _ in range(30):
            changes: list[Row] = []
            for _ in range(int(rng.integers(0, 30))):
                key = f"{rng.integers(0, 12)}"
                if alive and rng.random() < 0.55:
                    ident = int(rng.choice(list(alive)))
                    old = alive.pop(ident)
                    if query_key and rng.random() < 0.3:  # a change that comes without its old row
                        alive[ident] = (old[0], ident, number)
                        changes.append((UPDATE_AFTER, *alive[ident]))
                        number += 1
                        continue
                    changes.append((UPDATE_BEFORE, *old))
                    if rng.random() < 0.5:
                        continue
                else:
                    ident = number
                number += 1
                alive[ident] = (key, ident, int(rng.integers(0, 3)))
                changes.append((UPDATE_AFTER, *alive[ident]))
            plain.follow(changes)
            before = run.result
            output = run.rows(changes)
            assert run.result == plain.shown(conflict is Conflict.NOTHING)
            assert len(output) == ((before - run.result) + (run.result - before)).total()


def test_a_deleted_row_leaves_the_other_of_its_key(tmp_path: Path) -> None:
    run = Run(Materialize(("k",)), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    assert run.rows([(INSERT, "A", 1, 0), (INSERT, "A", 2, 0)]) == [(INSERT, "A", 2, 0)]
    assert run.rows([(DELETE, "A", 1, 0)]) == []
    assert run.rows([(INSERT, "A", 1, 0)]) == [(UPDATE_AFTER, "A", 1, 0)]
    run.net.clear()
    run.net[("A", 1, 0)] = 1
    assert run.rows([(DELETE, "A", 1, 0)]) == [(UPDATE_AFTER, "A", 2, 0)]
    run.net = Counter({("A", 2, 0): 1})
    assert run.rows([(DELETE, "A", 2, 0)]) == [(DELETE, "A", 2, 0)]
    assert run.rows([(DELETE, "A", 2, 0)]) == []


def test_a_job_can_refuse_several_rows_of_a_key(tmp_path: Path) -> None:
    run = Run(Materialize(("k",), None, Conflict.ERROR), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    assert run.rows([(INSERT, "A", 1, 0), (DELETE, "A", 1, 0), (INSERT, "A", 2, 0)]) == [(INSERT, "A", 2, 0)]
    with pytest.raises(JobError, match="'k = 'A''"):
        run.rows([(INSERT, "A", 3, 0)])


@pytest.mark.parametrize("conflict", [Conflict.NOTHING, Conflict.DEDUPLICATE])
def test_of_rows_that_never_go_only_the_one_that_counts_is_kept(tmp_path: Path, conflict: Conflict) -> None:
    operator = Materialize(("k",), None, conflict, append_only=True)
    run = Run(operator, tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    keeps_first = conflict is Conflict.NOTHING
    for batch in range(4):
        output = run.rows([(INSERT, "a", batch, 1), (INSERT, "a", batch, 2)])
        assert len(output) == (batch == 0 or not keeps_first)
        run.net = Counter({("a", 0, 1) if keeps_first else ("a", batch, 2): 1})
        assert output == [] or output[0][1:] in run.net
        state = State(run.durable, run.cache, now(run.batch), SMALL)
        _, stored = state.table("rows").scan(hashes([pa.array(["a"])])[0])
        assert stored is not None and stored.num_rows == 1
