"""The sources of a plan: tables, upsert topics as full changelogs, and VALUES."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from firesteel.catalog.table import Table
from firesteel.changelog.kind import ALL, Changelog
from firesteel.errors import Span
from firesteel.plan.expression import Expression
from firesteel.plan.node.plan_node import KeylessInserts, NoInput, PlanNode, UniqueKey, name_list
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node
    from firesteel.plan.node.window_columns import WindowColumns


#: The greatest number of rows whose values a plan shows.
_SHOWN_ROWS = 3


@dataclass(frozen=True)
class Scan(NoInput):
    """Reads the physical and metadata columns of a table; only `fields` of them are decoded."""

    table: Table
    fields: tuple[Field, ...]
    changelog: Changelog
    #: Each row carries its position in the order of arrival, for an operator above that depends on it.
    ordered: bool = field(default=False, compare=False)
    #: Combine equal rows into one with a count; the operators above need no more.
    combined: bool = field(default=False, compare=False)
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def unique_key(self) -> UniqueKey:
        names = {column.name for column in self.fields}
        return (
            frozenset(self.table.primary_key)
            if self.table.primary_key and names.issuperset(self.table.primary_key)
            else None
        )

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def narrowed(self, outputs: frozenset[str]) -> Self:
        return replace(self, fields=tuple(field for field in self.fields if field.name in outputs))

    @property
    def label(self) -> str:
        return f"Scan(table=[{self.table.name}], columns=[{name_list(self.fields)}])"


@dataclass(frozen=True)
class Values(NoInput, KeylessInserts):
    """The rows of a VALUES clause, read once."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[Expression, ...], ...]
    #: As in `Scan`.
    ordered: bool = field(default=False, compare=False)
    span: Span | None = field(default=None, compare=False)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(value for row in self.rows for value in row)

    def narrowed(self, outputs: frozenset[str]) -> Self:
        # One column stays at least: rows without columns would be lost.
        kept = [index for index, field in enumerate(self.fields) if field.name in outputs] or [0]
        fields = tuple(self.fields[index] for index in kept)
        return replace(self, fields=fields, rows=tuple(tuple(row[index] for index in kept) for row in self.rows))

    @property
    def label(self) -> str:
        rows = ", ".join(f"({', '.join(map(str, row))})" for row in self.rows[:_SHOWN_ROWS])
        more = ", …" if len(self.rows) > _SHOWN_ROWS else ""
        return f"Values(rows=[{rows}{more}], columns=[{name_list(self.fields)}])"


@dataclass(frozen=True)
class Normalize(PlanNode):
    """Keeps the last row of each key of a topic, so that each change can emit UPDATE_BEFORE.

    `duplicates`: the topic is a full changelog in which a change may stand twice. Otherwise it holds upserts. `net`: the operator above
    needs the net of a batch, not every change.
    """

    input: Scan
    duplicates: bool = False
    span: Span | None = field(default=None, compare=False)
    net: bool = field(default=False, compare=False)
    #: As in `Aggregate`.
    ttl: int | None = None

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.input.table.primary_key

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields

    @cached_property
    def changelog(self) -> Changelog:
        return ALL

    @cached_property
    def unique_key(self) -> UniqueKey:
        return frozenset(self.keys)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def with_inputs(self, *inputs: Node) -> Self:
        (scan,) = inputs
        assert isinstance(scan, Scan)
        return replace(self, input=scan)

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (outputs | frozenset(self.keys),)

    @property
    def event_times(self) -> frozenset[str]:
        return frozenset()

    @property
    def window_columns(self) -> WindowColumns | None:
        return None

    @property
    def closes(self) -> bool:
        return False

    @property
    def label(self) -> str:
        return f"Normalize(key=[{', '.join(self.keys)}])"
