"""UNION ALL."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from firesteel.changelog.kind import Changelog
from firesteel.errors import Span
from firesteel.plan.expression import Expression
from firesteel.plan.node.plan_node import PlanNode, UniqueKey, name_list
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node
    from firesteel.plan.node.window_columns import WindowColumns


@dataclass(frozen=True)
class Union(PlanNode):
    """UNION ALL: the columns have the names of the first input's, and are matched by index."""

    inputs: tuple[Node, ...]
    fields: tuple[Field, ...]
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def changelog(self) -> Changelog:
        return frozenset().union(*(node.changelog for node in self.inputs))

    @cached_property
    def unique_key(self) -> UniqueKey:
        return None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def with_inputs(self, *inputs: Node) -> Self:
        return replace(self, inputs=inputs)

    def narrowed(self, outputs: frozenset[str]) -> Self:
        return replace(self, fields=tuple(field for field in self.fields if field.name in outputs))

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        kept = frozenset(field.name for field in self.fields if field.name in outputs)
        return tuple(kept for _ in self.inputs)

    @property
    def event_times(self) -> frozenset[str]:
        """Returns the columns that are event time in every input."""
        sides = [(child.event_times, child.fields) for child in self.inputs]
        return frozenset(
            field.name
            for index, field in enumerate(self.fields)
            if all(fields[index].name in times for times, fields in sides)
        )

    @property
    def window_columns(self) -> WindowColumns | None:
        return None

    @property
    def closes(self) -> bool:
        return False

    @property
    def label(self) -> str:
        return f"Union(all=[true], columns=[{name_list(self.fields)}])"
