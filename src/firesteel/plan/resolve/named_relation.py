"""A part of a query while it is resolved: a plan node, and the names of its columns in the query."""

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
        """Returns the visible names in order, as SELECT * gives them."""
        return tuple(column.name for column in self.scope.columns)

    def renamed(self, alias: str, columns: tuple[str, ...] = ()) -> Relation:
        """Renames the relation, and its columns if names for them are given."""
        names = columns or self.columns
        held = [(name, old.ref.name, old.ref.type) for name, old in zip(names, self.scope.columns, strict=True)]
        return Relation(self.node, scope_of(alias, held))


class Names:
    """Makes column names that are unique within one query."""

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
