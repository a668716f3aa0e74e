"""GROUP BY without a window: one row for each group, updated with every row of the group."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from firesteel.changelog.kind import INSERT_ONLY, Changelog, RowKind
from firesteel.errors import Span
from firesteel.plan.expression import AggregateCall, Expression, column_names
from firesteel.plan.node.plan_node import SingleInput, UniqueKey
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node
    from firesteel.plan.node.window_columns import WindowColumns


@dataclass(frozen=True)
class Grouped(SingleInput):
    """Groups by the input's columns `keys`; output columns are the keys, then one for each call."""

    input: Node
    keys: tuple[str, ...]
    fields: tuple[Field, ...]
    calls: tuple[AggregateCall, ...]

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(ref for call in self.calls for ref in (call.argument, call.filter) if ref is not None)

    def narrowed(self, outputs: frozenset[str]) -> Self:
        made = self.fields[len(self.keys) :]
        kept = [pair for pair in zip(made, self.calls, strict=True) if pair[0].name in outputs]
        fields = (*self.fields[: len(self.keys)], *(field for field, _ in kept))
        return replace(self, fields=fields, calls=tuple(call for _, call in kept))

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        made = self.fields[len(self.keys) :]
        read = [call for field, call in zip(made, self.calls, strict=True) if field.name in outputs]
        refs = [ref for call in read for ref in (call.argument, call.filter) if ref is not None]
        return (frozenset(self.keys) | column_names(*refs),)

    @property
    def selected(self) -> str:
        """Renders the output columns for the label."""
        outputs = self.fields[len(self.keys) :]
        return ", ".join(
            [*self.keys, *(f"{call} AS {column.name}" for call, column in zip(self.calls, outputs, strict=True))]
        )


@dataclass(frozen=True)
class Aggregate(Grouped):
    """An unbounded aggregation. `old_rows`: each update emits UPDATE_BEFORE too."""

    old_rows: bool = False
    span: Span | None = field(default=None, compare=False)
    #: How long state stays without being written again, in milliseconds: 0 for ever, None where nobody has said. No part of the label.
    ttl: int | None = None
    #: It has to run on the state engine, whatever it computes.
    on_engine: bool = field(default=False, compare=False)

    @property
    def retracts(self) -> bool:
        """Says whether rows are retracted from groups."""
        return self.input.changelog != INSERT_ONLY

    @cached_property
    def changelog(self) -> Changelog:
        kinds = {RowKind.INSERT, RowKind.UPDATE_AFTER}
        if self.old_rows:
            kinds.add(RowKind.UPDATE_BEFORE)
        if self.retracts:
            kinds.add(RowKind.DELETE)
        return frozenset(kinds)

    @cached_property
    def unique_key(self) -> UniqueKey:
        return frozenset(self.keys)

    @property
    def event_times(self) -> frozenset[str]:
        # The row of a group changes with rows of different times.
        return frozenset()

    @property
    def window_columns(self) -> WindowColumns | None:
        return None

    @property
    def closes(self) -> bool:
        return False

    @property
    def label(self) -> str:
        return f"Aggregate(groupBy=[{', '.join(self.keys)}], select=[{self.selected}])"
