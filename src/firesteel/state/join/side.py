"""One input of a join: its rows by join key, how often each is there, and how many rows of the other input match it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.state.hash import hash_columns, same_rows
from firesteel.state.order import Bools, Ints, find_rows, lexical_order, starts_of_runs
from firesteel.state.row import Kinds, data_names, data_of, is_retract, kinds_of, take, with_numbers
from firesteel.state.segment import K1, K2, numbers
from firesteel.state.table import SortedTable

_COUNT, _MATCHES = "__count", "__matches"


@dataclass(frozen=True)
class SideRows:
    """Different rows of one input, sorted by the hash of their join key and their own.

    `before` says how often a row was there, `delta` by how much it becomes more, `matches` how many rows of the other input it had. `kind`
    is what the changes of a row are called.
    """

    k1: Ints
    k2: Ints
    before: Ints
    delta: Ints
    matches: Ints
    kind: Kinds
    data: pa.RecordBatch

    def __len__(self) -> int:
        return len(self.k1)

    @property
    def after(self) -> Ints:
        """Counts how often a row is there after the batch. A retraction of a row that is not there is not stored, but retracts its pairs."""
        after: Ints = np.maximum(self.before + self.delta, 0)
        return after

    def take(self, at: Ints | Bools) -> SideRows:
        numbers_ = (self.k1[at], self.k2[at], self.before[at], self.delta[at], self.matches[at])
        return SideRows(*numbers_, self.kind[at], take(self.data, at))

    def are_in(self, other: SideRows) -> Bools:
        """Marks the rows that the other has, too."""
        if not len(other):
            return np.zeros(len(self), bool)
        return find_rows([other.k1, other.k2], [self.k1, self.k2])[1]


def no_rows(schema: pa.Schema) -> SideRows:
    """Gives no rows of an input."""
    empty = np.empty(0, np.int64)
    data = pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], names=schema.names)
    return SideRows(empty, empty, empty, empty, empty, empty.astype(np.int8), data)


def net_rows(rows: pa.RecordBatch) -> tuple[pa.RecordBatch, list[Ints], Ints]:
    """Gives the different rows of a batch that become more or less: the last one of each, its two hashes, and by how much."""
    sign = np.where(is_retract(kinds_of(rows)), -1, 1)
    keys = [numbers(rows, K1), hash_columns(data_of(rows).columns, 51)]
    order = lexical_order(keys)
    starts = np.flatnonzero(starts_of_runs([key[order] for key in keys]))
    delta = np.add.reduceat(sign[order], starts)
    # the last row with the sign of all of them together: its kind is that of the change
    size = np.diff(starts, append=len(order))
    agrees = sign[order] == np.repeat(np.sign(delta), size)
    last = np.maximum.reduceat(np.where(agrees, np.arange(len(order)), starts.repeat(size)), starts)
    at = order[last[delta != 0]]
    return take(rows, at), [key[at] for key in keys], delta[delta != 0]


def net_rows_by_key(rows: pa.RecordBatch, unique: Sequence[str]) -> tuple[pa.RecordBatch, list[Ints], Ints]:
    """Gives the same for rows of which a join key has only one with each unique key: the row before the batch, and the row after it.

    An update gives two rows with the same hashes, the old one before the new one.
    """
    sign = np.where(is_retract(kinds_of(rows)), -1, 1)
    keys = [numbers(rows, K1), hash_columns([rows.column(name) for name in unique], 52)]
    order = lexical_order(keys)
    starts = starts_of_runs([key[order] for key in keys])
    ends = np.append(starts[1:], True)
    sorted_sign = sign[order]
    goes, comes = starts & (sorted_sign < 0), ends & (sorted_sign > 0)
    run = np.cumsum(starts) - 1
    changed = np.zeros(run[-1] + 1, bool)
    changed[run[goes]] = True
    # what was retracted and inserted again as it was has not changed
    both = comes & changed[run]
    old = order[starts][run[both]]
    data = data_of(rows)
    same = same_rows(take(data, old).columns, take(data, order[both]).columns, len(old))
    unchanged = np.zeros(run[-1] + 1, bool)
    unchanged[run[both][same]] = True
    some = (goes | comes) & ~unchanged[run]
    at = order[some]
    return take(rows, at), [key[at] for key in keys], sorted_sign[some]


def changes_of_side(rows: pa.RecordBatch, table: SortedTable, tracked: bool, unique: Sequence[str] | None) -> SideRows:
    """Gives the rows of an input that become more or less in a batch, with what is stored for them."""
    net, (k1, k2), delta = net_rows(rows) if unique is None else net_rows_by_key(rows, unique)
    first = starts_of_runs([k1, k2])
    asked = np.flatnonzero(first)
    found, old = table.get(k1[asked], k2[asked])
    before, matches = np.zeros(len(k1), np.int64), np.zeros(len(k1), np.int64)
    if old is not None:
        # of two rows with the same hashes the first is the one that was there
        before[asked[found]] = numbers(old, _COUNT)
        if tracked:
            matches[asked[found]] = numbers(old, _MATCHES)
    return SideRows(k1, k2, before, delta, matches, kinds_of(net), data_of(net))


def stored_rows(table: SortedTable, asked: Ints, names: Sequence[str], tracked: bool) -> SideRows | None:
    """Reads all rows with these hashes of join keys, as they were before the batch."""
    _, rows = table.scan(asked)
    if rows is None:
        return None
    zero = np.zeros(rows.num_rows, np.int64)
    matches = numbers(rows, _MATCHES) if tracked else zero
    kind = np.zeros(rows.num_rows, np.int8)
    return SideRows(
        numbers(rows, K1), numbers(rows, K2), numbers(rows, _COUNT), zero, matches, kind, rows.select(list(names))
    )


def put_rows(table: SortedTable, rows: SideRows, matches: Ints, tracked: bool) -> None:
    """Writes rows as they are after the batch."""
    after = rows.after
    names, columns = data_names(rows.data), rows.data.columns
    names, columns = [*names, _COUNT], [*columns, pa.array(after)]
    if tracked:
        names, columns = [*names, _MATCHES], [*columns, pa.array(matches)]
    table.put(with_numbers(pa.RecordBatch.from_arrays(columns, names=names), rows.k1, rows.k2), after == 0)
