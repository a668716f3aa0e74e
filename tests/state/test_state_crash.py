"""State is right after every batch, whatever attempts died, ran twice, or lost their cache.

The store keeps or drops an attempt's changes as a whole, as Spark's does; in checkpoint format 1 it may also keep one attempt's pieces
and another's manifest, so attempts have to be equal to the byte.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import Content, Died, Memory, mix, now

from firesteel.state.cache import Cache
from firesteel.state.manifest import read_manifest
from firesteel.state.order import Bools, Ints
from firesteel.state.state import State
from firesteel.state.store import Shape

SMALL = Shape(part_rows=60, part_bytes=6000, piece_bytes=700, slice_rows=90)


class Machines:
    """Three machines' caches, one with two workers; machines are lost, with or without their workers."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folders = [folder / str(number) for number in range(3)]
        self._chance = chance
        self.lost = 0
        self._start_workers()

    def _start_workers(self) -> None:
        self._caches = [Cache(folder, memory=30_000) for folder in [*self._folders, self._folders[0]]]

    def cache(self) -> Cache:
        if self._chance.random() < 0.1:
            shutil.rmtree(self._chance.choice(self._folders), ignore_errors=True)
            self.lost += 1
            if self._chance.random() < 0.5:
                self._start_workers()
        return self._chance.choice(self._caches)


def upsert(state: State, keys: Ints, values: Ints, gone: Bools, ttl: int | None) -> Counter[tuple[int, int]]:
    """Writes rows, and tells what changes: rows that come count 1, rows that go -1. Hashes are made to collide."""
    order = np.lexsort([np.arange(len(keys)), keys])
    last = order[np.append(keys[order][1:] != keys[order][:-1], True)]
    keys, values, gone = keys[last], values[last], gone[last]
    first = mix(keys // 7)
    order = np.lexsort([keys, first])
    keys, values, gone, first = keys[order], values[order], gone[order], first[order]
    table = state.table("rows", ttl)
    at, old = table.get(first, keys)
    table.put(pa.table({"__k1": first, "__k2": keys, "k": keys, "v": values}), gone)
    changes: Counter[tuple[int, int]] = Counter()
    changes.update(zip(keys[~gone].tolist(), values[~gone].tolist(), strict=True))
    if old is not None:
        assert old["k"].to_pylist() == keys[at].tolist()
        changes.subtract(zip(old["k"].to_pylist(), old["v"].to_pylist(), strict=True))
    state.own["changes"] = state.own.get("changes", 0) + len(changes)
    return changes


def run_batch(
    base: Content,
    machines: Machines,
    batch: int,
    chance: random.Random,
    rows: tuple[Ints, Ints, Bools],
    ttl: int | None,
) -> tuple[list[tuple[Content, Counter[tuple[int, int]]]], int]:
    """Runs attempts until one, or both of two twins, are done; tells what each left, and how many died."""
    winners: list[tuple[Content, Counter[tuple[int, int]]]] = []
    died, wanted = 0, 2 if chance.random() < 0.2 else 1
    while len(winners) < wanted:
        durable = Memory(base, chance.randrange(1, 16) if chance.random() < 0.7 else None)
        try:
            state = State(durable, machines.cache(), now(batch), SMALL)
            changes = upsert(state, *rows, ttl)
            state.commit()
            winners.append((durable.content, changes))
        except Died:
            died += 1
    return winners, died


@pytest.mark.parametrize("ttl", [None, 7])
def test_state_is_right_whatever_fails(tmp_path: Path, ttl: int | None) -> None:
    died = twins = lost = 0
    for seed in range(4):
        rng, chance = np.random.default_rng(seed), random.Random(seed)
        machines = Machines(tmp_path / str(seed), chance)
        base: Content = (None, {})
        alive: dict[int, tuple[int, int]] = {}
        for batch in range(30):
            count = int(rng.integers(1, 200))
            keys, values, gone = rng.integers(0, 500, count), rng.integers(0, 1000, count), rng.random(count) < 0.3
            winners, dead = run_batch(base, machines, batch, chance, (keys, values, gone), ttl)
            died, twins = died + dead, twins + len(winners) - 1
            assert winners[0] == winners[-1], "attempts of a batch are equal, to the byte"
            base, changes = chance.choice(winners)
            alive = {key: row for key, row in alive.items() if ttl is None or row[1] > batch - ttl}
            expected = Counter({(key, -1): 0 for key in alive})
            expected.subtract((key, alive[key][0]) for key in {*keys.tolist()} & {*alive})
            for key, value, deleted in zip(keys.tolist(), values.tolist(), gone, strict=True):
                if deleted:
                    alive.pop(key, None)
                else:
                    alive[key] = (value, batch)
            expected.update((key, alive[key][0]) for key in {*keys.tolist()} & {*alive})
            assert {row: n for row, n in changes.items() if n} == {row: n for row, n in expected.items() if n}
            manifest = read_manifest(base[0]) if base[0] else None
            parts = [part for entry in manifest.tables.values() for part in entry.parts] if manifest else []
            assert set(base[1]) == {f"{part.name}.{number}" for part in parts for number in range(part.pieces)}
        lost += machines.lost
    assert died > 80 and twins > 10 and lost > 10
