"""Finds the values that a group sees for the first time, and adds up what each batch adds to each group.

COUNT(DISTINCT) keeps every value. Rows are dealt by group and value, so that few groups with many values fill all buckets; what a bucket
finds is a part of each group's result, and whoever reads the parts adds them up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.state.group import deal_rows
from firesteel.state.row import INSERT, block_of, take, with_kind, with_numbers
from firesteel.state.segment import one_batch
from firesteel.state.state import Now, State


@dataclass(frozen=True)
class Part:
    """What is added up: `how` is `sum`, `min` or `max` of a column, or with `counts` the number of its values; without a column that of rows.

    `filter` names a column that is true for the rows that count. `distinct`: each value of a group once.
    """

    name: str
    type: pa.DataType
    how: str
    value: str | None = None
    counts: bool = False
    filter: str | None = None
    distinct: bool = False


@dataclass(frozen=True)
class DistinctParts:
    """Keeps the values of `arguments` that each group has seen; each argument has an input of its own, dealt by group and value.

    `weight` names the column that says for how many rows a row stands. The output has the group's columns and the parts. Only rows that
    never go are read.
    """

    group: tuple[str, ...]
    arguments: tuple[str, ...]
    parts: tuple[Part, ...]
    weight: str | None = None

    @property
    def is_timed(self) -> bool:
        return False

    @property
    def key(self) -> tuple[str, ...]:
        """Names what state is kept for."""
        return (*self.group, *self.arguments)

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        found = []
        for place, argument in enumerate(self.arguments):
            rows = block_of(inputs.get(input_name(place)))
            if rows is None:
                continue
            if place == 0:
                plain = [part for part in self.parts if not part.distinct]
                found += [self._add_up(rows, plain, self.weight)] if plain else []
            mine = [part for part in self.parts if part.distinct and part.value == argument]
            # In the order in which they stand: state is kept by it.
            for condition in dict.fromkeys(part.filter for part in mine):
                new = self._first_seen(rows, place, argument, condition, state)
                if new.num_rows:
                    found.append(self._add_up(new, [part for part in mine if part.filter == condition], None))
        if not found:
            return None
        types = {part.name: part.type for part in self.parts}
        schema = pa.schema([*(found[0].schema.field(name) for name in self.group), *types.items()])
        blocks = [with_kind(_with_all(one, schema), INSERT) for one in found]
        return pa.Table.from_batches(blocks)

    def wake(self, state: State) -> int | None:
        return None

    def _first_seen(
        self, rows: pa.RecordBatch, place: int, argument: str, condition: str | None, state: State
    ) -> pa.RecordBatch:
        """Gives one row for each value that its group did not have before."""
        counts = rows.column(argument).is_valid()
        if condition is not None:
            counts = pc.and_(counts, pc.fill_null(rows.column(condition), False))
        rows = rows.filter(counts)
        if not rows.num_rows:
            return rows
        conditions = list(dict.fromkeys(p.filter for p in self.parts if p.distinct and p.value == argument))
        table = state.table(f"seen{place}_{conditions.index(condition)}")
        key = (*self.group, argument)
        groups = deal_rows(rows, key, table, state)
        new = np.flatnonzero(~groups.is_known)
        first = take(rows, groups.heads[new])
        kept = first.select(list(key))
        table.put(with_numbers(kept, groups.k1[new], groups.k2[new]), np.zeros(len(new), bool))
        return first

    def _add_up(self, rows: pa.RecordBatch, parts: list[Part], weight: str | None) -> pa.RecordBatch:
        columns = [rows.column(name) for name in self.group]
        columns += [_values(rows, part, weight) for part in parts]
        table = pa.table(columns, names=[*self.group, *(part.name for part in parts)])
        added = table.group_by(list(self.group), use_threads=False).aggregate([(part.name, part.how) for part in parts])
        values = [added.column(f"{part.name}_{part.how}").cast(part.type) for part in parts]
        names = [*self.group, *(part.name for part in parts)]
        return one_batch(pa.table([*(added.column(name) for name in self.group), *values], names=names))


def input_name(place: int) -> str:
    """Names the input of an argument."""
    return f"in{place}"


def _values(rows: pa.RecordBatch, part: Part, weight: str | None) -> pa.Array:
    """Gives what each row adds; NULL is nothing."""
    value = pa.nulls(0) if part.value is None else rows.column(part.value)
    if part.value is None or part.counts:
        ones = rows.column(weight) if weight is not None else pa.repeat(pa.scalar(1, pa.int64()), rows.num_rows)
        added = ones if part.value is None else pc.if_else(value.is_valid(), ones, pa.scalar(None, pa.int64()))
    elif part.how == "sum":
        added = value.cast(part.type)
        added = added if weight is None else pc.multiply(added, rows.column(weight))
    else:
        added = value
    if part.filter is None:
        return added
    return pc.if_else(pc.fill_null(rows.column(part.filter), False), added, pa.scalar(None, added.type))


def _with_all(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Adds the columns that are missing."""
    there = set(rows.schema.names)
    columns = [
        rows.column(field.name) if field.name in there else pa.nulls(rows.num_rows, field.type) for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, names=schema.names)
