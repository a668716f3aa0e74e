"""A part of a query while it is being resolved: a plan node, and the names by which the query can use its columns."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.node.relation import Node
from firesteel.plan.resolve.scope import Scope, scope_of


@dataclass(frozen=True)
class Relation:
    node: Node
    scope: Scope

    @property
    def columns(self) -> tuple[str, ...]:
        """The visible names, in order: what SELECT * gives."""
        return tuple(column.name for column in self.scope.columns)

    def renamed(self, alias: str, columns: tuple[str, ...] = ()) -> Relation:
        """The relation under another name, and its columns under others if they are given."""
        names = columns or self.columns
        held = [(name, old.ref.name, old.ref.type) for name, old in zip(names, self.scope.columns, strict=True)]
        return Relation(self.node, scope_of(alias, held))


class Names:
    """Hands out column names that are unique within one query."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        name, number = wanted, self._numbers.get(wanted, 1)
        while name in self._taken:
            number += 1
            name = f"{wanted}${number}"
        self._taken.add(name)
        self._numbers[wanted] = number
        return name
