"""Runs an operator over batches, each in a state opened anew, and keeps what its output adds up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tests.state.durable import Memory, mix, now

from firesteel.state.cache import Cache
from firesteel.state.hash import hash_columns
from firesteel.state.operator.operator import INPUT, Operator
from firesteel.state.operator.part import apply_in_parts
from firesteel.state.order import Ints
from firesteel.state.state import State
from firesteel.state.store import Shape

SMALL = Shape(part_rows=50, part_bytes=6000, piece_bytes=700, slice_rows=80)
INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = range(4)
#: A row of a changelog: its kind, then its values.
Row = tuple[Any, ...]
Hash = Callable[[list[pa.Array]], tuple[Ints, Ints]]


def hashes(columns: list[pa.Array]) -> tuple[Ints, Ints]:
    """Two hashes that tell keys apart."""
    return hash_columns(columns, 100), hash_columns(columns, 101)


def colliding(columns: list[pa.Array]) -> tuple[Ints, Ints]:
    """Two hashes of which both are often the same for different keys, at the end of all numbers, too."""
    few = hash_columns(columns, 100) % 5
    return np.where(few == 0, 2**63 - 1, mix(few)), few


def frozen(value: Any) -> Any:
    """Makes a value fit for a dictionary."""
    if isinstance(value, list):
        return tuple(frozen(one) for one in value)
    return tuple(sorted(value.items())) if isinstance(value, dict) else value


class Run:
    """An operator at work. `keys`: of each input, the columns that are hashed."""

    def __init__(
        self,
        operator: Operator,
        folder: Path,
        schemas: Mapping[str, pa.Schema],
        keys: Mapping[str, Sequence[str]],
        hash_keys: Hash = hashes,
        part_bytes: int = 1 << 30,
    ) -> None:
        self.operator, self.schemas, self.keys, self._hash = operator, schemas, keys, hash_keys
        self.durable, self.cache, self.part_bytes = Memory(), Cache(folder), part_bytes
        self.net: Counter[Row] = Counter()
        self.kinds: Counter[int] = Counter()
        self.batch = 0
        self.state: State | None = None

    def block(self, name: str, rows: Sequence[Row]) -> pa.Table:
        """Makes an operator's input."""
        schema = self.schemas[name]
        columns = {field.name: pa.array([row[i + 1] for row in rows], field.type) for i, field in enumerate(schema)}
        k1, k2 = self._hash([columns[key] for key in self.keys[name]] or [pa.array([1] * len(rows))])
        return pa.table({"__k1": k1, "__k2": k2, "__kind": pa.array([row[0] for row in rows], pa.int8()), **columns})

    def apply(self, clock: int | None = None, **inputs: Sequence[Row]) -> list[Row]:
        """Runs a batch; tells what came out, and adds it up."""
        moment = now(self.batch, clock)
        self.state = State(self.durable, self.cache, moment, SMALL)
        blocks = {name: self.block(name, rows) for name, rows in inputs.items() if rows}
        outputs = list(apply_in_parts(self.operator, blocks, self.state, moment, self.part_bytes))
        self.state.commit()
        self.batch += 1
        if not outputs:
            return []
        output = pa.concat_tables(outputs)
        names = [name for name in output.column_names if name != "__kind"]
        kinds = output["__kind"].to_pylist()
        values = [tuple(frozen(value) for value in row.values()) for row in output.select(names).to_pylist()]
        for kind, row in zip(kinds, values, strict=True):
            self.net[row] += -1 if kind in (UPDATE_BEFORE, DELETE) else 1
            assert self.net[row] >= 0, f"{row} goes and was not there"
        self.kinds.update(kinds)
        return [(kind, *row) for kind, row in zip(kinds, values, strict=True)]

    def rows(self, rows: Sequence[Row], clock: int | None = None) -> list[Row]:
        """Runs a batch of an operator that has one input."""
        return self.apply(clock, **{INPUT: rows})

    @property
    def result(self) -> Counter[Row]:
        """What the output adds up to."""
        return +self.net
