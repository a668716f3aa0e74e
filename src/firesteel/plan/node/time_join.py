"""Joins bounded by event time: a row is dropped from state when the watermark excludes further partners.

An interval join bounds the difference of the two times; a window join pairs rows of the same window. Both only insert,
outer joins too: a row without a partner is padded when its time has passed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from firesteel.errors import Span
from firesteel.plan.expression import Expression, column_names
from firesteel.plan.node.join_kind import JoinKind, paired_fields
from firesteel.plan.node.plan_node import KeylessInserts
from firesteel.plan.node.window import render_length
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node
    from firesteel.plan.node.window_columns import WindowColumns


@dataclass(frozen=True)
class TimeJoin(KeylessInserts):
    """Pairs rows whose keys are equal and whose `right_time - left_time` is from `lower` to `upper` milliseconds.

    `window`: the two times are the ends of windows, and are equal; `is_local` as in Window.
    """

    left: Node
    right: Node
    kind: JoinKind
    keys: tuple[tuple[Expression, Expression], ...]
    left_time: str
    right_time: str
    lower: int
    upper: int
    #: A further condition on each pair.
    condition: Expression | None = None
    window: bool = False
    is_local: bool = False
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    @property
    def fields(self) -> tuple[Field, ...]:
        return paired_fields(self.kind, self.left.fields, self.right.fields)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        more = () if self.condition is None else (self.condition,)
        return (*(one for pair in self.keys for one in pair), *more)

    def with_inputs(self, *inputs: Node) -> Self:
        left, right = inputs
        return replace(self, left=left, right=right)

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        wanted = outputs | column_names(*self.expressions) | {self.left_time, self.right_time}
        return wanted, wanted

    @property
    def event_times(self) -> frozenset[str]:
        """Returns the event times of both sides: the join delays the watermark by its bounds, so that no pair is late."""
        return frozenset() if self.window else self.left.event_times | self.right.event_times

    @property
    def window_columns(self) -> WindowColumns | None:
        return None

    @property
    def closes(self) -> bool:
        # A row without a partner is padded when its time has passed; pairs are emitted at once.
        return self.kind is not JoinKind.INNER

    @property
    def patience(self) -> int:
        """Returns for how many milliseconds longer than its bounds need a row is kept, for partners that are late."""
        return 0 if self.window else self.upper - self.lower + 1

    @property
    def waits_for_time(self) -> bool:
        # The watermark drops state, also where every pair is emitted at once.
        return True

    @property
    def label(self) -> str:
        on = ", ".join(f"{left} = {right}" for left, right in self.keys)
        more = f", where=[{self.condition}]" if self.condition is not None else ""
        if self.window:
            return f"WindowJoin(kind=[{self.kind.value}], on=[{on}]{more})"
        bounds = f"{render_length(self.lower)} to {render_length(self.upper)}"
        times = f"{self.right_time} - {self.left_time} from {bounds}"
        return f"IntervalJoin(kind=[{self.kind.value}], on=[{on}], time=[{times}]{more})"
