"""Joins that event time bounds: a row waits for its partners only as long as they can still come, so state stays small.

An interval join bounds how far the times of two partners are apart; a window join asks for the same window. Both only
insert, outer ones too: a row without a partner is padded when its time has passed.
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
    """`right_time` is from `lower` before to `upper` after `left_time`, in milliseconds (before: negative).

    `window`: the two are the ends of windows, and are equal; `is_local` as in Window.
    """

    left: Node
    right: Node
    kind: JoinKind
    keys: tuple[tuple[Expression, Expression], ...]
    left_time: str
    right_time: str
    lower: int
    upper: int
    #: What else a pair has to satisfy.
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
        return frozenset()

    @property
    def window_columns(self) -> WindowColumns | None:
        return None

    @property
    def closes(self) -> bool:
        # A row without a partner is padded when its time has passed; pairs come at once.
        return self.kind is not JoinKind.INNER

    @property
    def waits_for_time(self) -> bool:
        # State is forgotten by it, also where every pair comes at once.
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
