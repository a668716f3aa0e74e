"""Deals a batch's rows to the keys that they belong to, and finds what is stored for each key.

A key is known by hashes, and hashes can be equal by chance or by ill will: the real keys are compared, within the batch and with what
is stored. Of keys whose hashes are the same the first one keeps them, each further one counts its first hash up; which key has
which step is kept among the operator's own things, for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.errors import JobError
from firesteel.state.hash import same_rows
from firesteel.state.order import Bools, Ints, lexical_order, starts_of_runs
from firesteel.state.segment import K1, K2, numbers
from firesteel.state.state import State
from firesteel.state.table import SortedTable

_COLLISIONS = "collisions"


@dataclass(frozen=True)
class Groups:
    """A batch's rows by their keys, in the order of arrival within a key.

    `order` sorts the rows by key, `owner` is the key of each sorted row, `starts` the first sorted row of each key. `known` are the keys
    that the table has, and `old` what it has for them.
    """

    rows: pa.RecordBatch
    order: Ints
    owner: Ints
    starts: Ints
    k1: Ints
    k2: Ints
    known: Ints
    old: pa.RecordBatch | None

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def heads(self) -> Ints:
        """Gives the first row of each key, as a place in `rows`."""
        heads: Ints = self.order[self.starts]
        return heads

    @cached_property
    def tails(self) -> Ints:
        """Gives the last row of each key, as a place in `rows`."""
        tails: Ints = self.order[np.append(self.starts[1:], len(self.order)) - 1]
        return tails

    @cached_property
    def is_known(self) -> Bools:
        """Marks the keys that the table has."""
        marks = np.zeros(len(self), bool)
        marks[self.known] = True
        return marks

    def column(self, name: str) -> pa.Array:
        """Gives a column sorted by key."""
        return self.rows.column(name).take(pa.array(self.order))


def deal_rows(
    rows: pa.RecordBatch, key: Sequence[str], table: SortedTable, state: State, narrow: bool = False
) -> Groups:
    """Deals rows to their keys. `narrow`: a key is known by its first hash alone, so that it can have a range in other tables."""
    k1 = numbers(rows, K1)
    k2 = np.zeros(len(k1), np.int64) if narrow else numbers(rows, K2)
    registry: dict[str, list[str]] = state.own.get(_COLLISIONS, {}).get(table.name, {})
    renamed = k1
    if registry:
        renamed = _rename(rows, key, k1, k2, registry, set(registry))
    groups = _deal(rows, renamed, k2, table)
    doubtful = _doubtful(groups, key)
    if doubtful.any():
        registry = state.own.setdefault(_COLLISIONS, {}).setdefault(table.name, {})
        _remember_stored(groups, key, doubtful, registry)
        names = {_name(int(groups.k1[group]), int(groups.k2[group])) for group in np.flatnonzero(doubtful)}
        groups = _deal(rows, _rename(rows, key, k1, k2, registry, names | set(registry)), k2, table)
        if _doubtful(groups, key).any():
            raise JobError("Keys with the same hashes cannot be told apart.")
    return groups


def _deal(rows: pa.RecordBatch, k1: Ints, k2: Ints, table: SortedTable) -> Groups:
    order = lexical_order([k1, k2])
    sorted1, sorted2 = k1[order], k2[order]
    first = starts_of_runs([sorted1, sorted2])
    starts = np.flatnonzero(first)
    known, old = table.get(sorted1[starts], sorted2[starts])
    return Groups(rows, order, np.cumsum(first) - 1, starts, sorted1[starts], sorted2[starts], known, old)


def _doubtful(groups: Groups, key: Sequence[str]) -> Bools:
    """Marks the keys whose rows do not all have the same key, or another one than is stored."""
    doubtful = np.zeros(len(groups), bool)
    if len(groups.order) > len(groups):
        columns = [groups.column(name) for name in key]
        count = len(groups.order) - 1
        differs = ~same_rows(
            [column.slice(1) for column in columns], [column.slice(0, count) for column in columns], count
        )
        differs &= groups.owner[1:] == groups.owner[:-1]
        doubtful[groups.owner[1:][differs]] = True
    if groups.old is not None:
        heads = pa.array(groups.heads[groups.known])
        stored = [groups.old.column(name) for name in key]
        same = same_rows(stored, [groups.rows.column(name).take(heads) for name in key], len(groups.known))
        doubtful[groups.known[~same]] = True
    return doubtful


def _remember_stored(groups: Groups, key: Sequence[str], doubtful: Bools, registry: dict[str, list[str]]) -> None:
    """Remembers that what is stored keeps its hashes."""
    if groups.old is None:
        return
    for place, group in enumerate(groups.known):
        if doubtful[group]:
            fingerprint = _fingerprint(groups.old, key, place)
            registry.setdefault(_name(int(groups.k1[group]), int(groups.k2[group])), [fingerprint])


def _rename(
    rows: pa.RecordBatch, key: Sequence[str], k1: Ints, k2: Ints, registry: dict[str, list[str]], names: set[str]
) -> Ints:
    """Counts the first hashes of colliding keys up, each by its step. They are so few that each row is looked at."""
    renamed = k1.copy()
    firsts = np.array([int(name.split(",")[0]) for name in names], np.int64)
    for row in np.flatnonzero(np.isin(k1, firsts)):
        name = _name(int(k1[row]), int(k2[row]))
        if name in names:
            steps = registry.setdefault(name, [])
            fingerprint = _fingerprint(rows, key, int(row))
            if fingerprint not in steps:
                steps.append(fingerprint)
            renamed[row] = _step(int(k1[row]), steps.index(fingerprint))
    return renamed


def stepped_hashes(own: dict[str, Any]) -> dict[int, int]:
    """Gives the first hashes that were counted up, and those that they were counted up from."""
    stepped = {}
    for registry in own.get(_COLLISIONS, {}).values():
        for name, steps in registry.items():
            first = int(name.split(",")[0])
            stepped.update({_step(first, step): first for step in range(1, len(steps))})
    return stepped


def _step(first: int, step: int) -> int:
    # beyond the last number counting goes on with the first
    return (first + step + 2**63) % 2**64 - 2**63


def _name(k1: int, k2: int) -> str:
    return f"{k1},{k2}"


def _fingerprint(rows: pa.RecordBatch, key: Sequence[str], row: int) -> str:
    values = repr([rows.column(name)[row].as_py() for name in key])
    return blake2b(values.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
