"""A batch's rows as aggregates see them: sorted by group, each with +1 or -1, beside what is stored for the groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.order import Ints, starts_of_runs
from firesteel.state.segment import numbers
from firesteel.state.table import SortedTable


@dataclass(frozen=True)
class Stored:
    """The groups of a batch: their numbers, each its own; which of them are stored, and what is stored for these."""

    k1: Ints
    known: Ints
    old: pa.RecordBatch | None


@dataclass(frozen=True)
class Change:
    """The rows of a batch by their groups. `at` sorts `rows` by group; `owner`, `sign` and `arrival` are those of the sorted rows.

    With `append_only` no row is ever retracted.
    """

    rows: pa.RecordBatch
    at: Ints
    owner: Ints
    sign: Ints
    arrival: Ints
    stored: Stored
    tables: Callable[[str], SortedTable]
    append_only: bool = False
    starts: Ints = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", np.flatnonzero(starts_of_runs([self.owner])))

    @property
    def groups(self) -> int:
        return len(self.stored.k1)

    @property
    def k1(self) -> Ints:
        """Gives the number of each group."""
        return self.stored.k1

    @property
    def known(self) -> Ints:
        """Gives the groups that are stored."""
        return self.stored.known

    @property
    def old(self) -> pa.RecordBatch | None:
        """Gives what is stored for the groups that are known."""
        return self.stored.old

    def table(self, name: str) -> SortedTable:
        """Gives a table of the operator."""
        return self.tables(name)

    def column(self, name: str) -> pa.Array:
        """Gives a column of the sorted rows."""
        return self.rows.column(name).take(pa.array(self.at))

    def select(self, places: Ints, sign: Ints) -> Change:
        """Gives some of the sorted rows, with other signs."""
        return replace(self, at=self.at[places], owner=self.owner[places], sign=sign, arrival=self.arrival[places])

    def counted(self, aggregate: Aggregate) -> Ints:
        """Gives the signs, 0 for rows that an aggregate leaves out: where its filter is not true, and NULL arguments."""
        sign = self.sign
        if aggregate.filter is not None:
            sign = np.where(pc.fill_null(self.column(aggregate.filter), False).to_numpy(zero_copy_only=False), sign, 0)
        argument = None if aggregate.function is Function.ARRAY_AGG else aggregate.argument
        if argument is not None and self.rows.column(argument).null_count:
            sign = np.where(self.column(argument).is_valid().to_numpy(zero_copy_only=False), sign, 0)
        return sign

    def total(self, values: NDArray[np.int64]) -> Ints:
        """Adds whole numbers up, by group."""
        total = np.zeros(self.groups, np.int64)
        if len(self.starts):
            total[self.owner[self.starts]] = np.add.reduceat(values, self.starts)
        return total

    def total_of_doubles(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Adds doubles up, by group."""
        total = np.zeros(self.groups, np.float64)
        if len(self.starts):
            total[self.owner[self.starts]] = np.add.reduceat(values, self.starts)
        return total

    def stored_number(self, name: str) -> Ints:
        """Gives a stored whole number of each group, 0 where none is stored."""
        values = np.zeros(self.groups, np.int64)
        if self.old is not None:
            values[self.known] = numbers(self.old, name)
        return values

    def stored_double(self, name: str) -> NDArray[np.float64]:
        """Gives a stored double of each group, 0 where none is stored."""
        values = np.zeros(self.groups, np.float64)
        if self.old is not None:
            values[self.known] = self.old.column(name).to_numpy()
        return values


@dataclass(frozen=True)
class Outcome:
    """An aggregate's results before and after a batch, one for each group, and what has to be stored for the next batch."""

    before: pa.Array
    after: pa.Array
    kept: Sequence[tuple[str, pa.Array]] = ()


class Accumulator(Protocol):
    """One aggregate at work."""

    def work(self, change: Change) -> Outcome:
        """Adds inserted rows, subtracts retracted ones."""
        ...
