"""Merges sorted rows of several ages into one sorted run: of equal identities the newest row stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from firesteel.state.order import Bools, Ints, ends_of_runs, lexical_order
from firesteel.state.segment import GONE, KEYS, TOUCH, concatenate, numbers

#: Says which rows of a merge at the bottom are still needed: rows in their order, to a mark for each.
Keep = Callable[[pa.RecordBatch], Bools]


@dataclass(frozen=True)
class Rules:
    """What a merge may leave out. `bottom`: nothing older lies below, so nobody has to know what was deleted.

    Rows whose first number is at most `floor` are forgotten; rows last touched at or before `horizon` have expired. Those of a table
    that expires but has rows without a touch (it did not expire when they were written) count as touched at `clock`.
    """

    bottom: bool = False
    floor: int | None = None
    horizon: int | None = None
    clock: int | None = None
    keep: Keep | None = None


def merge_rows(batches: Sequence[pa.RecordBatch], rules: Rules) -> tuple[pa.RecordBatch, int]:
    """Merges rows, oldest first, into one order; tells how many have expired."""
    whole = concatenate(_aligned(batches, rules.clock))
    keys = [numbers(whole, name) for name in KEYS if name in whole.schema.names]
    order = lexical_order(keys)
    order = order[ends_of_runs([key[order] for key in keys])]
    expired = 0
    if rules.floor is not None:
        order = order[keys[0][order] > rules.floor]
    if rules.horizon is not None and TOUCH in whole.schema.names:
        # what has expired can be left out at any level: what it hides below was touched even earlier
        alive = numbers(whole, TOUCH)[order] > rules.horizon
        expired = int(len(alive) - np.count_nonzero(alive))
        order = order[alive]
    gone = whole.column(GONE)
    if rules.bottom and not pa.types.is_null(gone.type):
        order = order[~gone.to_numpy(zero_copy_only=False)[order]]
    merged = whole.take(pa.array(order))
    if rules.bottom and rules.keep is not None and merged.num_rows:
        merged = merged.filter(pa.array(rules.keep(merged)))
    return _without_marks(merged), expired


def _aligned(batches: Sequence[pa.RecordBatch], clock: int | None) -> list[pa.RecordBatch]:
    """Gives all batches the same columns: those for deletions and touches are there only where they say something."""
    marked = any(not pa.types.is_null(batch.column(GONE).type) for batch in batches)
    names = batches[-1].schema.names
    touched = clock is not None
    names = [name for name in names if name != TOUCH] + ([TOUCH] if touched else [])
    aligned = []
    for batch in batches:
        columns = []
        for name in names:
            if name == TOUCH and TOUCH not in batch.schema.names:
                column = pa.array(np.full(batch.num_rows, clock, np.int64))
            else:
                column = batch.column(name)
                if name == GONE and marked and pa.types.is_null(column.type):
                    column = pa.array(np.zeros(batch.num_rows, bool))
            columns.append(column)
        aligned.append(pa.RecordBatch.from_arrays(columns, names=names))
    return aligned


def _without_marks(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Says nothing of deletions where none is left."""
    at = rows.schema.names.index(GONE)
    gone = rows.column(at)
    if pa.types.is_null(gone.type) or gone.true_count:
        return rows
    columns = rows.columns
    columns[at] = pa.nulls(rows.num_rows)
    return pa.RecordBatch.from_arrays(columns, names=rows.schema.names)


def cut_rows(rows: pa.RecordBatch, most_rows: int, most_bytes: int) -> list[pa.RecordBatch]:
    """Cuts a run into parts of about equal size, none larger than it should be."""
    by_bytes = -(-rows.nbytes // most_bytes)
    count = max(-(-rows.num_rows // most_rows), min(by_bytes, rows.num_rows))
    edges = np.linspace(0, rows.num_rows, count + 1).astype(np.int64) if count else np.empty(0, np.int64)
    return [rows.slice(int(start), int(end - start)) for start, end in pairwise(edges)]


def sort_fresh(rows: pa.RecordBatch, keys: Sequence[Ints]) -> pa.RecordBatch:
    """Sorts rows that a batch has put, the last of equal ones stays."""
    order = lexical_order(keys)
    return rows.take(pa.array(order[ends_of_runs([key[order] for key in keys])]))
