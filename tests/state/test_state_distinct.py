"""What batches add to groups is what their rows and distinct values give."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import now
from tests.state.run import INSERT, SMALL, Hash, Row, Run, colliding, hashes

from firesteel.state.operator.distinct import DistinctParts, Part
from firesteel.state.state import State

SCHEMA = pa.schema([("g", pa.string()), ("u", pa.int64()), ("s", pa.string()), ("f", pa.bool_()), ("w", pa.int64())])
LONG = pa.int64()
PARTS = (
    Part("rows", LONG, "sum"),
    Part("values", LONG, "sum", "u", counts=True),
    Part("total", LONG, "sum", "u", filter="f"),
    Part("least", pa.string(), "min", "s"),
    Part("users", LONG, "sum", "u", counts=True, distinct=True),
    Part("some", LONG, "sum", "u", counts=True, filter="f", distinct=True),
    Part("summed", LONG, "sum", "u", distinct=True),
    Part("texts", LONG, "sum", "s", counts=True, distinct=True),
)


class Totals:
    """What plain Python makes of rows."""

    def __init__(self) -> None:
        self.rows = self.values = self.total = 0
        self.texts: list[str] = []
        self.users: set[int] = set()
        self.some: set[int] = set()

    def add(self, u: int | None, s: str | None, f: bool | None, w: int) -> None:
        self.rows += w
        if u is not None:
            self.values += w
            self.users.add(u)
            if f:
                self.total += u * w
                self.some.add(u)
        if s is not None:
            self.texts.append(s)

    @property
    def row(self) -> Row:
        least = min(self.texts, default=None)
        counts = len(self.users), len(self.some), sum(self.users), len(set(self.texts))
        return (self.rows, self.values, self.total, least, *counts)


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
@pytest.mark.parametrize("seed", range(3))
def test_parts_add_up_to_what_rows_give(tmp_path: Path, seed: int, hash_keys: Hash) -> None:
    rng = np.random.default_rng(seed)
    operator = DistinctParts(("g",), ("u", "s"), PARTS, "w")
    columns = {"in0": SCHEMA, "in1": SCHEMA}
    run = Run(operator, tmp_path, columns, {"in0": ["g", "u"], "in1": ["g", "s"]}, hash_keys)
    expected: dict[str | None, Totals] = defaultdict(Totals)
    sums: dict[str | None, list[int]] = defaultdict(lambda: [0] * 7)
    least: dict[str | None, str] = {}
    for number in range(20):
        rows: list[Row] = []
        for _ in range(int(rng.integers(0, 60))):
            group = None if rng.random() < 0.1 else f"g{rng.integers(0, 3)}"
            u = None if rng.random() < 0.1 else int(rng.integers(0, 40))
            s = None if rng.random() < 0.2 else f"t{rng.integers(0, 30)}"
            f = None if rng.random() < 0.1 else bool(rng.random() < 0.5)
            w = int(rng.integers(1, 4))
            expected[group].add(u, s, f, w)
            rows.append((INSERT, group, u, s, f, w))
        state = State(run.durable, run.cache, now(number), SMALL)
        out = operator.apply({name: run.block(name, rows) for name in columns} if rows else {}, state, now(number))
        state.commit()
        for one in out.to_pylist() if out is not None else []:
            names = ["rows", "values", "total", "users", "some", "summed", "texts"]
            sums[one["g"]] = [have + (one[name] or 0) for have, name in zip(sums[one["g"]], names, strict=True)]
            if one["least"] is not None:
                least[one["g"]] = min(one["least"], least.get(one["g"], one["least"]))
    found = {group: (*row[:3], least.get(group), *row[3:]) for group, row in sums.items()}
    assert found == {group: totals.row for group, totals in expected.items()}


def test_a_group_without_a_key_is_one(tmp_path: Path) -> None:
    parts = (Part("n", LONG, "sum"), Part("d", LONG, "sum", "u", counts=True, distinct=True))
    run = Run(DistinctParts((), ("u",), parts), tmp_path, {"in0": SCHEMA}, {"in0": ["u"]})
    rows: list[Row] = [(INSERT, "a", u, None, None, 1) for u in (1, 2, 1)]
    state = State(run.durable, run.cache, now(1), SMALL)
    out = run.operator.apply({"in0": run.block("in0", rows)}, state, now(1))
    assert out is not None
    assert [(one["n"], one["d"]) for one in out.to_pylist()] == [(3, None), (None, 2)]
