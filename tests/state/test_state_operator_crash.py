"""Operators give the same, to the byte, in every attempt of a batch, and what they give under failures is what they give without."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import Content, Died, Memory, now
from tests.state.run import SMALL, Row, Run
from tests.state.test_state_crash import Machines
from tests.state.test_state_join import LEFT, RIGHT, random_changes

from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.manifest import read_manifest
from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.operator.join import Join, JoinKind, Side
from firesteel.state.operator.keep import KeepRow
from firesteel.state.operator.materialize import Materialize
from firesteel.state.operator.normalize import Normalize
from firesteel.state.operator.operator import Operator
from firesteel.state.operator.top import Sort, TopN
from firesteel.state.state import State

AGGREGATES = (
    Aggregate("n", Function.COUNT, pa.int64()),
    Aggregate("m", Function.MIN, pa.int64(), "x"),
    Aggregate("l", Function.LISTAGG, pa.string(), "b"),
    Aggregate("d", Function.SUM, pa.int64(), "x", None, True),
)
OPERATORS: dict[str, Operator] = {
    "normalize": Normalize(("a",)),
    "aggregate": GroupAggregate(("a",), AGGREGATES),
    "keep": KeepRow(("a",), "x", first=True),
    "top": TopN(("a",), (Sort("x", True), Sort("b")), 2, rank="rn"),
    "materialize": Materialize(("a",)),
    "join": Join(JoinKind.FULL, Side(LEFT), Side(RIGHT), (("a", "c"), ("b", "d"))),
}


def attempt(
    operator: Operator, base: Content, machines: Machines, batch: int, inputs: dict[str, pa.Table], dies_at: int | None
) -> tuple[Content, pa.Table | None]:
    """Runs one attempt of a batch."""
    durable, moment = Memory(base, dies_at), now(batch)
    state = State(durable, machines.cache(), moment, SMALL)
    output = operator.apply(inputs, state, moment)
    state.commit()
    return durable.content, output


@pytest.mark.parametrize("name", OPERATORS)
def test_failures_change_nothing(tmp_path: Path, name: str) -> None:
    operator, died = OPERATORS[name], 0
    rng, chance = np.random.default_rng(len(name)), random.Random(len(name))
    machines = Machines(tmp_path / "machines", chance)
    schemas = {"left": LEFT, "right": RIGHT} if name == "join" else {"in": LEFT}
    keys = {"left": ["a", "b"], "right": ["c", "d"], "in": ["a"]}
    calm = Run(operator, tmp_path / "calm", schemas, keys)
    base: Content = (None, {})
    alive: dict[str, list[Row]] = {"left": [], "right": [], "in": []}
    for batch in range(25):
        rows = {side: random_changes(rng, alive[side], 30, int(rng.integers(1, 40))) for side in schemas}
        if name == "keep":
            rows = {side: [(0, *row) for kind, *row in rows[side]] for side in rows}
        inputs = {side: calm.block(side, rows[side]) for side in rows if rows[side]}
        winners: list[tuple[Content, pa.Table | None]] = []
        wanted = 1 + (chance.random() < 0.3)
        while len(winners) < wanted:
            dies_at = chance.randrange(1, 25) if chance.random() < 0.6 else None
            try:
                winners.append(attempt(operator, base, machines, batch, inputs, dies_at))
            except Died:
                died += 1
        assert winners[0][0] == winners[-1][0]
        assert winners[0][1] == winners[-1][1]
        base = winners[0][0]
        calm.apply(None, **rows)
        # the same segments, whatever the caches held
        assert calm.durable.content == base
        named = read_manifest(base[0]).tables.values() if base[0] else ()
        parts = [part for entry in named for part in entry.parts]
        assert set(base[1]) == {f"{part.name}.{number}" for part in parts for number in range(part.pieces)}
    assert died > 5
