"""Gives each key of a sink one row, where several rows of the query may have it: the last that was inserted, and when it is retracted, the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pyarrow as pa

from firesteel.errors import JobError
from firesteel.state.group import Groups, deal_rows
from firesteel.state.hash import hash_columns, same_rows
from firesteel.state.operator.change import changes_of
from firesteel.state.operator.operator import INPUT
from firesteel.state.order import Bools, Ints, ends_of_runs, find_rows, lexical_order, starts_of_runs
from firesteel.state.removal import taken_rows
from firesteel.state.row import block_of, data_names, data_of, signs_of, take, with_numbers
from firesteel.state.segment import K2, concatenate, numbers
from firesteel.state.state import Now, State

_ARRIVALS = "arrivals"


class Conflict(Enum):
    """What becomes of several rows of one key: the last one counts, the first one counts, or the job fails."""

    DEDUPLICATE = "DEDUPLICATE"
    NOTHING = "NOTHING"
    ERROR = "ERROR"


@dataclass(frozen=True)
class _Listed:
    """Rows of keys, in the order of keys and arrival."""

    owner: Ints
    hashed: Ints
    arrival: Ints
    data: pa.RecordBatch

    def take(self, at: Ints | Bools) -> _Listed:
        return _Listed(self.owner[at], self.hashed[at], self.arrival[at], take(self.data, at))


@dataclass(frozen=True)
class Materialize:
    """Keeps all rows of each sink key. `query_key`: the columns that tell the query's rows apart; without them all columns do.

    `append_only`: no row ever goes, so only the one that counts is kept.
    """

    key: tuple[str, ...]
    query_key: tuple[str, ...] | None = None
    conflict: Conflict = Conflict.DEDUPLICATE
    ttl: int | None = None
    old_rows: bool = False
    append_only: bool = False

    @property
    def is_timed(self) -> bool:
        return self.ttl is not None

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        rows = block_of(inputs.get(INPUT))
        if rows is None:
            return None
        groups = deal_rows(rows, self.key, state.table("keys", self.ttl), state, narrow=True)
        listed = self._stored(groups, state)
        given, sign = self._given(groups, state)
        if self.query_key is None:
            stays, new = self._change_multiset(listed, given, sign)
        else:
            stays, new = self._change_by_key(listed, given, sign)
        after = _join(listed.take(stays), new)
        if self.append_only:
            after = self._shown(after)
            stays = np.isin(listed.arrival, after.arrival)
            new = after.take(~np.isin(after.arrival, listed.arrival))
        self._put(groups, listed.take(~stays), new, state)
        self._put_keys(groups, after, state)
        return self._answer(self._shown(listed), self._shown(after))

    def wake(self, state: State) -> int | None:
        return None

    def _stored(self, groups: Groups, state: State) -> _Listed:
        names = data_names(groups.rows)
        owner, rows = state.table("rows", self.ttl).scan(groups.k1)
        if rows is None:
            empty = np.empty(0, np.int64)
            return _Listed(empty, empty, empty, data_of(groups.rows).slice(0, 0))
        data = rows.select(names)
        return _Listed(owner, self._hash(data), numbers(rows, K2), data)

    def _given(self, groups: Groups, state: State) -> tuple[_Listed, Ints]:
        first = state.own.get(_ARRIVALS, 0)
        state.own[_ARRIVALS] = first + groups.rows.num_rows
        data = take(data_of(groups.rows), groups.order)
        given = _Listed(groups.owner, self._hash(data), first + groups.order, data)
        return given, signs_of(groups.rows)[groups.order]

    def _hash(self, data: pa.RecordBatch) -> Ints:
        names = data.schema.names if self.query_key is None else self.query_key
        return hash_columns([data.column(name) for name in names], 61)

    def _change_multiset(self, listed: _Listed, given: _Listed, sign: Ints) -> tuple[Bools, _Listed]:
        """Removes for each retracted row the first equal one. Gives marks of the stored rows that stay, and the new rows."""
        new, lost = given.take(sign > 0), given.take(sign < 0)
        owner = np.concatenate([listed.owner, new.owner])
        hashed = np.concatenate([listed.hashed, new.hashed])
        arrival = np.concatenate([listed.arrival, new.arrival])
        stays = ~taken_rows(owner, hashed, arrival, (lost.owner, lost.hashed))
        return stays[: len(listed.owner)], new.take(stays[len(listed.owner) :])

    def _change_by_key(self, listed: _Listed, given: _Listed, sign: Ints) -> tuple[Bools, _Listed]:
        """Applies the last change of each row of the query. A row that is updated without a retraction keeps its place."""
        order = lexical_order([given.owner, given.hashed])
        keys = [given.owner[order], given.hashed[order]]
        starts = np.flatnonzero(starts_of_runs(keys))
        last_gone = np.maximum.reduceat(np.where(sign[order] < 0, np.arange(len(order)), -1), starts)
        last = order[ends_of_runs(keys)]
        comes = sign[last] > 0
        since = order[np.where(last_gone < 0, starts, np.minimum(last_gone + 1, len(order) - 1))]
        arrival = given.arrival[since]
        stored, change = _places_of(listed, given.take(last))
        stays = np.ones(len(listed.owner), bool)
        stays[stored] = False
        keeps = last_gone[change] < 0
        arrival[change[keeps]] = listed.arrival[stored[keeps]]
        new = given.take(last[comes])
        return stays, _Listed(new.owner, new.hashed, arrival[comes], new.data)

    def _put(self, groups: Groups, gone: _Listed, new: _Listed, state: State) -> None:
        table = state.table("rows", self.ttl)
        for rows, mark in ((gone, True), (new, False)):
            numbered = with_numbers(rows.data, groups.k1[rows.owner], rows.arrival)
            table.put(numbered, np.full(len(rows.owner), mark))

    def _put_keys(self, groups: Groups, after: _Listed, state: State) -> None:
        has = np.zeros(len(groups), bool)
        has[after.owner] = True
        at = np.flatnonzero((has != groups.is_known) | (has & (self.ttl is not None)))
        key = take(groups.rows.select(list(self.key)), groups.heads[at])
        state.table("keys", self.ttl).put(with_numbers(key, groups.k1[at], groups.k2[at]), ~has[at])

    def _shown(self, rows: _Listed) -> _Listed:
        """Gives the row of each key that counts."""
        if self.conflict is Conflict.ERROR:
            several = np.flatnonzero(~starts_of_runs([rows.owner]))
            if len(several):
                values = [f"{name} = {rows.data.column(name)[int(several[0])].as_py()!r}" for name in self.key]
                raise JobError(
                    f"Several rows of the query have the PRIMARY KEY {', '.join(values)}, which 'ON CONFLICT DO ERROR' refuses.",
                    hint="Group the query by that key, or write ON CONFLICT DO DEDUPLICATE.",
                )
        edges = starts_of_runs if self.conflict is Conflict.NOTHING else ends_of_runs
        return rows.take(edges([rows.owner]))

    def _answer(self, before: _Listed, after: _Listed) -> pa.Table | None:
        place, there = find_rows([after.owner], [before.owner])
        one, other = np.flatnonzero(there), place[there]
        if self.ttl is None:
            same = same_rows(take(before.data, one).columns, take(after.data, other).columns, len(one))
            before = before.take(np.delete(np.arange(len(before.owner)), one[same]))
            after = after.take(np.delete(np.arange(len(after.owner)), other[same]))
        old = before.data if len(before.owner) else None
        new = after.data if len(after.owner) else None
        return changes_of((before.owner, old), (after.owner, new), self.old_rows)


def _places_of(listed: _Listed, changed: _Listed) -> tuple[Ints, Ints]:
    """Finds stored rows and the changes of them; on both sides each row of the query is there once."""
    owner, hashed = np.append(listed.owner, changed.owner), np.append(listed.hashed, changed.hashed)
    order = lexical_order([owner, hashed])
    owner, hashed = owner[order], hashed[order]
    # the order is stable: of two equal ones the change stands behind
    hit = np.flatnonzero((owner[1:] == owner[:-1]) & (hashed[1:] == hashed[:-1]))
    return order[hit], order[hit + 1] - len(listed.owner)


def _join(one: _Listed, other: _Listed) -> _Listed:
    owner, arrival = np.append(one.owner, other.owner), np.append(one.arrival, other.arrival)
    order = lexical_order([owner, arrival])
    whole = _Listed(owner, np.append(one.hashed, other.hashed), arrival, concatenate([one.data, other.data]))
    return whole.take(order)
