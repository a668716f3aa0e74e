"""Looks up the names of columns that a query can use in one clause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from firesteel.errors import Span
from firesteel.plan.expression import ColumnRef
from firesteel.types import DataType


@dataclass(frozen=True)
class Visible:
    """A column that the query can name as `relation.name`; `ref` is the column of the plan node."""

    relation: str
    name: str
    ref: ColumnRef
    #: Its position in the select list, if it comes from one.
    span: Span | None = None


class UnknownColumn(LookupError):
    """No column has the name; `known` are the names of the columns."""

    def __init__(self, known: list[str]) -> None:
        super().__init__("unknown column")
        self.known = known


class AmbiguousColumn(LookupError):
    """More than one relation has the column."""

    def __init__(self, relations: list[str]) -> None:
        super().__init__("ambiguous column")
        self.relations = relations


@dataclass(frozen=True)
class Scope:
    columns: tuple[Visible, ...]
    #: Columns that can only be named with their table: those that USING has merged.
    hidden: tuple[Visible, ...] = ()

    # Indexed, because a query can have thousands of columns and look up each of them.
    @cached_property
    def _by_name(self) -> dict[str, list[Visible]]:
        found: dict[str, list[Visible]] = {}
        for column in self.columns:
            found.setdefault(column.name, []).append(column)
        return found

    @cached_property
    def _by_relation(self) -> dict[tuple[str, str], list[Visible]]:
        found: dict[tuple[str, str], list[Visible]] = {}
        for column in (*self.columns, *self.hidden):
            found.setdefault((column.relation, column.name), []).append(column)
        return found

    @cached_property
    def _relations(self) -> frozenset[str]:
        return frozenset(column.relation for column in (*self.columns, *self.hidden))

    def find(self, name: str, relation: str | None = None) -> ColumnRef:
        found = self._by_name.get(name, []) if relation is None else self._by_relation.get((relation, name), [])
        if not found:
            raise UnknownColumn([column.name for column in self.columns])
        if len(found) > 1:
            raise AmbiguousColumn([column.relation for column in found])
        return found[0].ref

    def has_relation(self, relation: str) -> bool:
        return relation in self._relations

    def of_relation(self, relation: str | None = None) -> tuple[Visible, ...]:
        return tuple(column for column in self.columns if relation is None or column.relation == relation)


def scope_of(relation: str, columns: Iterable[tuple[str, str, DataType]]) -> Scope:
    """Makes the scope of one relation from (visible name, name in the plan node, type)."""
    return Scope(tuple(Visible(relation, name, ColumnRef(held, data_type)) for name, held, data_type in columns))
