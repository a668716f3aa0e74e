"""What a change costs in the stateful operators alone, without Spark, Kafka and formats:

    python -m bench.operator [--operators normalize,aggregate,join] [--keys 100000,1000000] [--rows 100000] [--batches 10] [--memory 192]

State is filled with one row of each key first; then come batches of changes of keys chosen by chance. An update is one change, though
it is two rows where an operator wants its old row too. CPU time of one thread, hashing of keys left out: Spark does that. What the process
holds at most, clean pages of files left out, is told, too; the store is in files.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from firesteel.changelog.hidden import CODES, KIND
from firesteel.changelog.kind import RowKind
from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.cache import Cache
from firesteel.state.hash import hash_columns
from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.operator.join import Join, JoinKind, Side
from firesteel.state.operator.materialize import Materialize
from firesteel.state.operator.normalize import Normalize
from firesteel.state.operator.operator import Operator
from firesteel.state.operator.part import apply_in_parts
from firesteel.state.operator.top import Sort, TopN
from firesteel.state.order import Ints
from firesteel.state.segment import K1, K2
from firesteel.state.state import Now, State
from firesteel.state.store import shape_within

Inputs = dict[str, pa.Table]
_INSERT, _DELETE = CODES[RowKind.INSERT], CODES[RowKind.DELETE]
_BEFORE, _AFTER = CODES[RowKind.UPDATE_BEFORE], CODES[RowKind.UPDATE_AFTER]
#: How many rows share a group, a partition.
_SHARED = 5


class _Files:
    """A store in files, as RocksDB's is, so that what the process holds is the operator's."""

    def __init__(self, folder: Path) -> None:
        self._manifest: bytes | None = None
        self.folder = folder
        folder.mkdir()

    def load(self) -> bytes | None:
        return self._manifest

    def save(self, manifest: bytes) -> None:
        self._manifest = manifest

    def get(self, name: str) -> bytes | None:
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def put(self, name: str, blob: bytes) -> None:
        (self.folder / name).write_bytes(blob)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink()

    @property
    def bytes(self) -> int:
        return sum(path.stat().st_size for path in self.folder.iterdir())


class _Held:
    """The most that this process holds in memory, in megabytes, looked at all the time."""

    def __init__(self) -> None:
        self.most = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    @staticmethod
    def now() -> float:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("RssAnon:")[2].split()[0]) / 1024

    def _watch(self) -> None:
        while True:
            self.most = max(self.most, self.now())
            time.sleep(0.02)


def _block(key: str, kinds: Ints, **columns: Ints) -> pa.Table:
    arrays = {name: pa.array(values) for name, values in columns.items()}
    hashed = [hash_columns([arrays[key]], seed) for seed in (1, 2)]
    return pa.table({K1: hashed[0], K2: hashed[1], KIND: pa.array(kinds.astype(np.int8)), **arrays})


class _Table:
    """A table that changes: one row of each key, its value, and the old rows of what changes."""

    def __init__(self, keys: int, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._values = np.full(keys, -1)
        self._keys = keys

    def some(self, count: int) -> Ints:
        """Keys by chance, each once."""
        return np.unique(self._random.integers(0, self._keys, count))

    def upserts(self, keys: Ints) -> pa.Table:
        """Upserts, of which one in a hundred deletes."""
        kinds = np.where(self._random.random(len(keys)) < 0.01, _DELETE, _AFTER)
        mixed = self._random.permutation(keys)
        return _block("k", kinds, k=mixed, v=self._random.integers(0, 10**6, len(keys)), w=mixed * 7)

    def updates(self, keys: Ints, names: tuple[str, str, str] = ("g", "k", "v"), group: str = "g") -> pa.Table:
        """Changes with their old rows: the group of a key, the key and its value."""
        values = self._random.integers(0, 10**6, len(keys))
        old = self._values[keys]
        there = np.flatnonzero(old >= 0)
        self._values[keys] = values
        place = np.concatenate([there * 2, np.arange(len(keys)) * 2 + 1])
        order = np.argsort(place)
        kinds = np.concatenate([np.full(len(there), _BEFORE), np.where(old < 0, _INSERT, _AFTER)])[order]
        whose = np.concatenate([keys[there], keys])[order]
        columns = [whose // _SHARED, whose, np.concatenate([old[there], values])[order]]
        return _block(group, kinds, **dict(zip(names, columns, strict=True)))


def _normalize(keys: int) -> tuple[Operator, Callable[[Ints], Inputs], _Table]:
    table = _Table(keys, 1)
    return Normalize(("k",)), lambda some: {"in": table.upserts(some)}, table


def _aggregate(keys: int) -> tuple[Operator, Callable[[Ints], Inputs], _Table]:
    table = _Table(keys, 2)
    count = Aggregate("n", Function.COUNT, pa.int64())
    total = Aggregate("s", Function.SUM, pa.int64(), "v")
    kinds = _INSERT

    def rows(some: Ints) -> Inputs:
        values = np.arange(len(some)) % 1000
        return {"in": _block("k", np.full(len(some), kinds), k=np.random.default_rng(5).permutation(some), v=values)}

    return GroupAggregate(("k",), (count, total)), rows, table


def _extreme(keys: int) -> tuple[Operator, Callable[[Ints], Inputs], _Table]:
    table = _Table(keys, 3)
    count = Aggregate("n", Function.COUNT, pa.int64())
    most = Aggregate("m", Function.MAX, pa.int64(), "v")
    return GroupAggregate(("g",), (count, most)), lambda some: {"in": table.updates(some)}, table


def _top(keys: int) -> tuple[Operator, Callable[[Ints], Inputs], _Table]:
    table = _Table(keys, 4)
    operator = TopN(("g",), (Sort("v", True),), 3, rank="rn")
    return operator, lambda some: {"in": table.updates(some)}, table


def _materialize(keys: int) -> tuple[Operator, Callable[[Ints], Inputs], _Table]:
    table = _Table(keys, 7)
    return Materialize(("k",)), lambda some: {"in": table.updates(some, group="k")}, table


def _join(keys: int, kind: JoinKind = JoinKind.INNER) -> tuple[Operator, Callable[[Ints], Inputs], _Table]:
    left, right = _Table(keys, 5), _Table(keys, 6)
    schemas = [pa.schema([(name, pa.int64()) for name in names]) for names in (("a", "k", "v"), ("b", "l", "w"))]
    operator = Join(kind, Side(schemas[0], None, ("k",)), Side(schemas[1], None, ("l",)), (("k", "l"),))

    def rows(some: Ints) -> Inputs:
        return {
            "left": left.updates(some[::2], ("a", "k", "v"), "k"),
            "right": right.updates(right.some(len(some) // 2), ("b", "l", "w"), "l"),
        }

    return operator, rows, left


def _left_join(keys: int) -> tuple[Operator, Callable[[Ints], Inputs], _Table]:
    return _join(keys, JoinKind.LEFT)


OPERATORS = {
    "normalize": _normalize,
    "aggregate": _aggregate,
    "extreme": _extreme,
    "top": _top,
    "join": _join,
    "left join": _left_join,
    "materialize": _materialize,
}


def measure(name: str, keys: int, fill: int, sizes: list[int], batches: int, memory: int) -> Iterator[str]:
    """Fills an operator's state, and gives a line for each size of batch."""
    operator, rows, table = OPERATORS[name](keys)
    number, watched = 0, _Held()
    with tempfile.TemporaryDirectory() as folder:
        cache, durable = Cache(Path(folder) / "cache", memory), _Files(Path(folder) / "store")

        def run(some: Ints) -> tuple[float, int, State]:
            nonlocal number
            number += 1
            inputs = rows(some)
            start = time.process_time()
            moment = Now(number, number)
            state = State(durable, cache, moment, shape_within(memory))
            for _ in apply_in_parts(operator, inputs, state, moment, memory // 16):
                pass
            state.commit()
            return time.process_time() - start, state.counts.written, state

        for start in range(0, keys, fill):
            everything = np.arange(start, min(start + fill, keys))
            run(np.repeat(everything, 2) if "join" in name else everything)
        for size in sizes:
            count = max(batches, min(200, 500_000 // size))
            changes, seconds, written = 0, list[float](), 0
            watched.most = 0.0
            for _ in range(count):
                some = table.some(size)
                second, bytes_, state = run(some)
                changes, written = changes + len(some), written + bytes_
                seconds.append(second)
            segments = sum(one.segments for one in state.report().values())
            yield (
                f"{name:11} {keys:>10,} {size:>8,} {1e6 * sum(seconds) / changes:8.2f} µs"
                f" {1e3 * statistics.median(seconds):8.1f} ms {1e3 * max(seconds):8.1f} ms"
                f" {written / changes:6.0f} {durable.bytes / keys:6.0f} {segments:5} {watched.most:6.0f} MB"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operators", default=",".join(OPERATORS))
    parser.add_argument("--keys", default="100000,1000000,5000000")
    parser.add_argument("--rows", default="500000,100000,10000", help="changes in a batch")
    parser.add_argument("--batches", type=int, default=5, help="at least so many batches of a size")
    parser.add_argument("--memory", type=int, default=192, help="megabytes that an operator may take")
    arguments = parser.parse_args()
    print("operator          keys  changes   CPU a change   median batch    worst  written stored segments   held")
    for name in arguments.operators.split(","):
        for keys in map(int, arguments.keys.split(",")):
            sizes = [int(size) for size in arguments.rows.split(",")]
            for line in measure(name, keys, 500_000, sizes, arguments.batches, arguments.memory << 20):
                print(line, flush=True)


if __name__ == "__main__":
    main()
