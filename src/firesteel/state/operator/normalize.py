"""Turns upserts into a full changelog: each change gets its old row, a delete its whole row, and what changes nothing is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.state.group import deal_rows
from firesteel.state.hash import same_rows
from firesteel.state.operator.change import changes_of
from firesteel.state.operator.operator import INPUT
from firesteel.state.row import block_of, data_of, is_retract, kinds_of, take, with_numbers
from firesteel.state.state import Now, State


@dataclass(frozen=True)
class Normalize:
    """Keeps the last row of each key. `old_rows`: whether UPDATE_BEFORE is wanted.

    With a time to live a row that changes nothing is handed on, as Flink does: it keeps what follows alive.
    """

    key: tuple[str, ...]
    ttl: int | None = None
    old_rows: bool = True

    @property
    def is_timed(self) -> bool:
        return self.ttl is not None

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        rows = block_of(inputs.get(INPUT))
        if rows is None:
            return None
        table = state.table("rows", self.ttl)
        groups = deal_rows(rows, self.key, table, state)
        new = take(data_of(rows), groups.tails)
        gone = is_retract(kinds_of(rows)[groups.tails])
        changed = np.ones(len(groups), bool)
        if groups.old is not None and self.ttl is None:
            there = ~gone[groups.known]
            stored = take(groups.old, there)
            same = same_rows(
                stored.columns, take(new, groups.known[there]).select(stored.schema.names).columns, stored.num_rows
            )
            changed[groups.known[there][same]] = False
        changed &= ~gone | groups.is_known
        at = np.flatnonzero(changed)
        table.put(take(with_numbers(new, groups.k1, groups.k2), at), gone[at])
        before = groups.known[changed[groups.known]]
        old = None if groups.old is None else take(groups.old, changed[groups.known])
        after = at[~gone[at]]
        return changes_of((before, old), (after, take(new, after)), self.old_rows)

    def wake(self, state: State) -> int | None:
        return None
