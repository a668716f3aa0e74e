"""State goes on with another number of buckets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import Memory, now
from tests.state.run import DELETE, INSERT, SMALL, Hash, Row, colliding, hashes

from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.block import bucket_of
from firesteel.state.cache import Cache
from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.order import Ints
from firesteel.state.rescale import deal_bucket
from firesteel.state.state import State

AGGREGATES = (
    Aggregate("n", Function.COUNT, pa.int64()),
    Aggregate("m", Function.MAX, pa.int64(), "v"),
    Aggregate("l", Function.LAST_VALUE, pa.int64(), "v"),
    Aggregate("d", Function.COUNT, pa.int64(), "v", None, True),
)


class Job:
    """An operator in buckets."""

    def __init__(self, folder: Path, buckets: int, hash_keys: Hash) -> None:
        self.stores = [Memory() for _ in range(buckets)]
        self.caches = [Cache(folder / f"{buckets}-{bucket}") for bucket in range(buckets)]
        self.hash_keys = hash_keys

    def bucket_of(self, k1: Ints) -> Ints:
        return bucket_of(k1, len(self.stores))

    def state(self, bucket: int, batch: int) -> State:
        return State(self.stores[bucket], self.caches[bucket], now(batch), SMALL)

    def run(self, rows: list[Row], batch: int, net: Counter[Row]) -> None:
        operator = GroupAggregate(("k",), AGGREGATES, ttl=1000)
        keys, values = pa.array([row[1] for row in rows], pa.string()), pa.array([row[2] for row in rows])
        k1, k2 = self.hash_keys([keys])
        kinds = pa.array([row[0] for row in rows], pa.int8())
        block = pa.table({"__k1": k1, "__k2": k2, "__kind": kinds, "k": keys, "v": values})
        for bucket in range(len(self.stores)):
            state = self.state(bucket, batch)
            mine = block.filter(pa.array(self.bucket_of(k1) == bucket))
            output = operator.apply({"in": mine} if mine.num_rows else {}, state, now(batch))
            state.commit()
            for row in [] if output is None else output.to_pylist():
                kind = row.pop("__kind")
                net[tuple(row.values())] += -1 if kind in (1, 3) else 1

    def deal(self, folder: Path, buckets: int, batch: int) -> Job:
        new = Job(folder, buckets, self.hash_keys)
        targets = [new.state(bucket, batch) for bucket in range(buckets)]
        for bucket in range(len(self.stores)):
            deal_bucket(self.state(bucket, batch), targets, new.bucket_of)
        for target in targets:
            target.commit()
        return new


@pytest.mark.parametrize("hash_keys", [hashes, colliding])
def test_a_job_goes_on_with_more_buckets_and_with_fewer(tmp_path: Path, hash_keys: Hash) -> None:
    rng = np.random.default_rng(1)
    job, net, groups = Job(tmp_path, 3, hash_keys), Counter[Row](), dict[str, list[int]]()
    for batch in range(40):
        rows: list[Row] = []
        for _ in range(50):
            key = f"{rng.integers(0, 40)}"
            values = groups.setdefault(key, [])
            if values and rng.random() < 0.45:
                rows.append((DELETE, key, values.pop(int(rng.integers(0, len(values))))))
            else:
                values.append(int(rng.integers(0, 6)) + 10 * batch)
                rows.append((INSERT, key, values[-1]))
        job.run(rows, batch, net)
        expected = {key: (len(values), max(values), len(set(values))) for key, values in groups.items() if values}
        assert {row[0]: (row[1], row[2], row[4]) for row, count in net.items() if count} == expected
        if batch in (9, 19, 29):
            job = job.deal(tmp_path / f"{batch}", {9: 8, 19: 1, 29: 5}[batch], batch)


def test_rows_that_wait_for_a_time_go_to_the_bucket_of_their_key(tmp_path: Path) -> None:
    memory = Memory()
    source = State(memory, Cache(tmp_path), now(0))
    times, keys = [1, 2, 5, 6, 7], [hash_of * 2**33 for hash_of in (1, 2, 1, 2, 3)]
    source.table("waiting").put(pa.table({"__k1": times, "__k2": keys}))
    source.table("waiting").forget(2)
    source.commit()
    targets = [State(Memory(), Cache(tmp_path / f"{bucket}"), now(0)) for bucket in range(2)]
    deal_bucket(State(memory, Cache(tmp_path), now(1)), targets, lambda k1: bucket_of(k1, 2))
    for target in targets:
        target.commit()
    waiting = [target.table("waiting").up_to(100) for target in targets]
    assert [rows and rows.column("__k1").to_pylist() for rows in waiting] == [[6], [5, 7]]
