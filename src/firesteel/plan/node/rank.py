"""ROW_NUMBER with a limit: Top-N, and deduplication to the first or the last row of each key."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from firesteel.changelog.kind import ALL, INSERT_ONLY, Changelog, RowKind
from firesteel.errors import Span
from firesteel.plan.expression import Expression
from firesteel.plan.node.plan_node import SingleInput, UniqueKey
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node
    from firesteel.plan.node.window_columns import WindowColumns


@dataclass(frozen=True)
class Ordering:
    """A column to order by. NULL is the smallest value where the query does not say otherwise."""

    column: str
    descending: bool
    nulls_first: bool

    def __str__(self) -> str:
        usual = self.nulls_first != self.descending
        nulls = "" if usual else f" NULLS {'FIRST' if self.nulls_first else 'LAST'}"
        return f"{self.column} {'DESC' if self.descending else 'ASC'}{nulls}"


@dataclass(frozen=True)
class Rank(SingleInput):
    """Keeps the rows with the row numbers `first` to `last` of each partition.

    `number` is the column with the row number, None if no node reads it; `last` is None until `limit_rank` sets it.
    `by_time`: the order is by event time or processing time, so that the first row of a partition is final.
    """

    input: Node
    partition: tuple[str, ...]
    order: tuple[Ordering, ...]
    number: Field | None
    first: int = 1
    last: int | None = None
    by_time: bool = False
    old_rows: bool = False
    #: The column of the partition that holds a window's end: rows are emitted when it closes. `window_is_local` as in Window.
    window_end: str | None = None
    window_is_local: bool = False
    #: The clause of the query, for messages.
    clause: str = field(default="ROW_NUMBER()", compare=False)
    span: Span | None = field(default=None, compare=False)
    #: Both as in `Aggregate`.
    ttl: int | None = None
    on_engine: bool = field(default=False, compare=False)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields if self.number is None else (*self.input.fields, self.number)

    @property
    def keeps_first(self) -> bool:
        """Says whether this keeps the first row of each partition, which is never updated."""
        return self._keeps_one and not any(column.descending for column in self.order)

    @property
    def keeps_last(self) -> bool:
        """Says whether this keeps the last row of each partition, which each newer row replaces."""
        return self._keeps_one and all(column.descending for column in self.order)

    @property
    def _keeps_one(self) -> bool:
        """Says whether this is a deduplication: one row by time, of rows that are not retracted."""
        return self.by_time and self.last == 1 and self.input.changelog == INSERT_ONLY

    @cached_property
    def changelog(self) -> Changelog:
        if self.keeps_first or self.window_end is not None:
            return INSERT_ONLY
        if not self.by_place or self.old_rows:
            return ALL
        # A place loses its row only when there are fewer rows than before.
        gone = {RowKind.DELETE} & self.input.changelog
        return frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER}) | gone

    @property
    def by_place(self) -> bool:
        """Says whether changes are made for each row number: a row that replaces another at its number is an update."""
        return self.number is not None or self.last == self.first

    @cached_property
    def unique_key(self) -> UniqueKey:
        if self.last == self.first:
            return frozenset(self.partition)
        return None if self.number is None else frozenset({*self.partition, self.number.name})

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def narrowed(self, outputs: frozenset[str]) -> Self:
        return self if self.number is None or self.number.name in outputs else replace(self, number=None)

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (outputs | {*self.partition, *(column.column for column in self.order)},)

    @property
    def event_times(self) -> frozenset[str]:
        # Without a window, rows are emitted and retracted long after their time.
        return self.input.event_times if self.closes else frozenset()

    @property
    def window_columns(self) -> WindowColumns | None:
        return self.input.window_columns if self.closes else None

    @property
    def closes(self) -> bool:
        return self.window_end is not None

    @property
    def label(self) -> str:
        # The word 'places' stands in the state of running jobs, so it stays.
        places = f"{self.first}" if self.first == self.last else f"{self.first} to {self.last or 'end'}"
        number = f", number=[{self.number.name}]" if self.number else ""
        order = ", ".join(map(str, self.order))
        name = "Rank" if self.window_end is None else "WindowRank"
        return f"{name}(places=[{places}], partitionBy=[{', '.join(self.partition)}], orderBy=[{order}]{number})"
