"""Turns upserts into a full changelog: each change gets its old row, a delete its whole row, and what changes nothing is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.state.group import Groups, deal_rows
from firesteel.state.hash import same_rows
from firesteel.state.operator.change import changes_of
from firesteel.state.operator.operator import INPUT
from firesteel.state.order import Bools, Ints
from firesteel.state.row import (
    DELETE,
    INSERT,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    block_of,
    data_of,
    is_retract,
    kinds_of,
    take,
    with_kind,
    with_numbers,
)
from firesteel.state.segment import concatenate
from firesteel.state.state import Now, State


@dataclass(frozen=True)
class Normalize:
    """Keeps the last row of each key. `old_rows`: whether UPDATE_BEFORE is wanted.

    It gives the net of a batch, or, with `order`, every change in the order of arrival, with the value of this column, which is not
    kept. With a time to live a row that changes nothing is handed on, as Flink does: it keeps what follows alive.
    """

    key: tuple[str, ...]
    ttl: int | None = None
    old_rows: bool = True
    order: str | None = None

    @property
    def is_timed(self) -> bool:
        return self.ttl is not None

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        rows = block_of(inputs.get(INPUT))
        if rows is None:
            return None
        table = state.table("rows", self.ttl)
        groups = deal_rows(rows, self.key, table, state)
        data = data_of(rows)
        kept = data if self.order is None else data.select([name for name in data.schema.names if name != self.order])
        gone = is_retract(kinds_of(rows))
        changed = self._changed(groups, take(kept, groups.tails), gone[groups.tails])
        at = np.flatnonzero(changed)
        new, gone_at = take(kept, groups.tails[at]), gone[groups.tails[at]]
        table.put(with_numbers(new, groups.k1[at], groups.k2[at]), gone_at)
        if self.order is not None:
            return self._every_change(groups, kept, gone, data.column(self.order))
        before = groups.known[changed[groups.known]]
        old = None if groups.old is None else take(groups.old, changed[groups.known])
        return changes_of((before, old), (at[~gone_at], take(new, ~gone_at)), self.old_rows)

    def _changed(self, groups: Groups, new: pa.RecordBatch, gone: Bools) -> Bools:
        """Marks the keys that have another row than before the batch."""
        changed = np.ones(len(groups), bool)
        if groups.old is not None and self.ttl is None:
            there = ~gone[groups.known]
            stored = take(groups.old, there)
            latest = take(new, groups.known[there]).select(stored.schema.names)
            same = same_rows(stored.columns, latest.columns, stored.num_rows)
            changed[groups.known[there][same]] = False
        changed &= ~gone | groups.is_known
        return changed

    def _every_change(self, groups: Groups, rows: pa.RecordBatch, gone: Bools, order: pa.Array) -> pa.Table | None:
        """Gives what each row changes: the row before it is the one that its key had last."""
        count = rows.num_rows
        # Rows and what is stored behind each other: a row is known by its place, -1 stands for none.
        before: Ints = np.full(count, -1)
        before[groups.order[1:]] = groups.order[:-1]
        before[groups.heads] = -1
        before[groups.heads[groups.known]] = count + np.arange(len(groups.known))
        everything = rows if groups.old is None else concatenate([rows, groups.old.select(rows.schema.names)])
        was_gone = np.append(gone, np.zeros(everything.num_rows - count, bool))
        lived = (before >= 0) & ~was_gone[before]
        changed = lived | ~gone
        if self.ttl is None:
            both = np.flatnonzero(lived & ~gone)
            old, new = take(everything, before[both]), take(rows, both)
            changed[both[same_rows(old.columns, new.columns, len(both))]] = False
        olds = np.flatnonzero(changed & lived & (gone | self.old_rows))
        news = np.flatnonzero(changed & ~gone)
        kinds = np.concatenate(
            [np.where(gone[olds], DELETE, UPDATE_BEFORE), np.where(lived[news], UPDATE_AFTER, INSERT)]
        )
        arrived = np.concatenate([olds * 2, news * 2 + 1])
        if not len(arrived):
            return None
        in_order = np.argsort(arrived)
        found = take(everything, np.concatenate([before[olds], news])[in_order])
        found = found.append_column(str(self.order), order.take(pa.array(arrived[in_order] // 2)))
        return pa.Table.from_batches([with_kind(found, kinds[in_order].astype(np.int8))])

    def wake(self, state: State) -> int | None:
        return None
