"""The first or last row of each key is the one that a dictionary keeps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.run import INSERT, UPDATE_AFTER, UPDATE_BEFORE, Hash, Row, Run, colliding, hashes

from firesteel.state.operator.keep import KeepFirst, KeepRow

SCHEMA = pa.schema([("k", pa.string()), ("t", pa.int64()), ("v", pa.int64())])


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("how", ["first arrival", "last arrival", "first time", "last time", "first kept"])
def test_the_row_that_is_kept_is_that_of_a_dictionary(tmp_path: Path, how: str, hash_keys: Hash) -> None:
    rng = np.random.default_rng(len(how))
    first, time = how.startswith("first"), "t" if how.endswith("time") else None
    operator = KeepFirst(("k",)) if how == "first arrival" else KeepRow(("k",), time, first)
    run = Run(operator, tmp_path, {"in": SCHEMA}, {"in": ["k"]}, hash_keys)
    kept: dict[str, Row] = {}
    for batch in range(30):
        rows: list[Row] = []
        for i in range(int(rng.integers(0, 50))):
            row = (f"{rng.integers(0, 80)}", int(rng.integers(0, 20)), batch * 100 + i)
            rows.append((INSERT, *row))
            old = kept.get(row[0])
            if old is None or (not first if time is None else row[1] < old[1] if first else row[1] >= old[1]):
                kept[row[0]] = row
        run.rows(rows)
        assert run.result == Counter(kept.values())
    assert set(run.kinds) == ({INSERT} if how in ("first arrival", "first kept") else {0, 1, 2})


def test_a_row_that_changes_nothing_is_left_out(tmp_path: Path) -> None:
    run = Run(KeepRow(("k",)), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    assert run.rows([(INSERT, "a", 1, 1), (INSERT, "a", 1, 2)]) == [(INSERT, "a", 1, 2)]
    assert run.rows([(INSERT, "a", 1, 2)]) == []
    assert run.rows([(INSERT, "a", 1, 3)]) == [(UPDATE_BEFORE, "a", 1, 2), (UPDATE_AFTER, "a", 1, 3)]


def test_a_key_that_has_expired_is_new(tmp_path: Path) -> None:
    run = Run(KeepFirst(("k",), ttl=10), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    assert run.rows([(INSERT, "a", 1, 1)], clock=0) == [(INSERT, "a", 1, 1)]
    assert run.rows([(INSERT, "a", 1, 1)], clock=9) == []
    assert run.rows([(INSERT, "a", 1, 2)], clock=10) == [(INSERT, "a", 1, 2)]


def test_of_the_rows_of_one_batch_the_first_by_time_is_kept(tmp_path: Path) -> None:
    run = Run(KeepFirst(("k",), time="t"), tmp_path, {"in": SCHEMA}, {"in": ["k"]})
    assert run.rows([(INSERT, "a", 5, 1), (INSERT, "a", 3, 2), (INSERT, "a", 3, 3)]) == [(INSERT, "a", 3, 2)]
    assert run.rows([(INSERT, "a", 1, 4)]) == []
