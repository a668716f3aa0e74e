"""Where the rows of an INSERT go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firesteel.catalog.table import Table
from firesteel.errors import Span
from firesteel.plan.expression import Expression
from firesteel.plan.node.plan_node import PassedOn, name_list

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node


@dataclass(frozen=True)
class Sink(PassedOn):
    """Writes its input, whose columns are the table's, in the table's order."""

    input: Node
    table: Table
    span: Span | None = field(default=None, compare=False)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (outputs,)

    @property
    def label(self) -> str:
        return f"Sink(table=[{self.table.name}], columns=[{name_list(self.fields)}])"
