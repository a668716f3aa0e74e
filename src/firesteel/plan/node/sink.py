"""The root of an INSERT's plan: the table that it writes."""

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
    """Writes its input to a table; the input has the table's columns in their order."""

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
