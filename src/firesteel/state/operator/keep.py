"""Keeps the first or the last row of each key of a stream of inserted rows, by arrival or by a time: ROW_NUMBER() … = 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.state.encode import order_prefix
from firesteel.state.group import Groups, deal_rows
from firesteel.state.hash import same_rows
from firesteel.state.operator.change import changes_of
from firesteel.state.operator.operator import INPUT
from firesteel.state.order import Bools, Ints, ends_of_runs, lexical_order, starts_of_runs
from firesteel.state.row import INSERT, block_of, data_of, output_of, take, with_kind, with_numbers
from firesteel.state.state import Now, State


@dataclass(frozen=True)
class KeepFirst:
    """Hands on the first row of each key that arrives, of one batch the first by `time`, and remembers only the key."""

    key: tuple[str, ...]
    ttl: int | None = None
    time: str | None = None

    @property
    def is_timed(self) -> bool:
        return self.ttl is not None

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        rows = block_of(inputs.get(INPUT))
        if rows is None:
            return None
        table = state.table("keys", self.ttl)
        groups = deal_rows(rows, self.key, table, state)
        new = np.flatnonzero(~groups.is_known)
        heads = take(rows, (groups.heads if self.time is None else _edges(groups, self.time, first=True))[new])
        table.put(with_numbers(heads.select(list(self.key)), groups.k1[new], groups.k2[new]))
        return output_of([with_kind(data_of(heads), INSERT)])

    def wake(self, state: State) -> int | None:
        return None


@dataclass(frozen=True)
class KeepRow:
    """Keeps the last row of each key, or by a time the first or the last one, and says where it changes.

    Of rows with one time the first by arrival is the first, and the last is the last.
    """

    key: tuple[str, ...]
    time: str | None = None
    first: bool = False
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
        new = take(data_of(rows), self._best(groups))
        changed = self._is_better(groups, new)
        at = np.flatnonzero(changed)
        new = take(new, at)
        table.put(with_numbers(new, groups.k1[at], groups.k2[at]))
        before = groups.known[changed[groups.known]]
        old = None if groups.old is None else take(groups.old, changed[groups.known])
        return changes_of((before, old), (at, new), self.old_rows)

    def _best(self, groups: Groups) -> Ints:
        """Chooses a row of each key within the batch."""
        if self.time is None:
            return groups.heads if self.first else groups.tails
        return _edges(groups, self.time, self.first)

    def _is_better(self, groups: Groups, new: pa.RecordBatch) -> Bools:
        """Marks the keys whose new row takes the place of the stored one."""
        better = np.ones(len(groups), bool)
        if groups.old is None:
            return better
        rivals = take(new, groups.known)
        if self.time is not None:
            stored = order_prefix(groups.old.column(self.time), False, True)[0]
            time = order_prefix(rivals.column(self.time), False, True)[0]
            better[groups.known] = time < stored if self.first else time >= stored
        elif self.first:
            better[groups.known] = False
        elif self.ttl is None:
            better[groups.known] = ~same_rows(groups.old.columns, rivals.columns, rivals.num_rows)
        return better

    def wake(self, state: State) -> int | None:
        return None


def _edges(groups: Groups, time: str, first: bool) -> Ints:
    """Chooses the first or the last row of each key by a time; of rows with one time the order of arrival decides."""
    codes = order_prefix(groups.column(time), False, True)[0]
    order = lexical_order([groups.owner, codes])
    edges = starts_of_runs if first else ends_of_runs
    # the order is stable
    best: Ints = groups.order[order[edges([groups.owner[order]])]]
    return best
