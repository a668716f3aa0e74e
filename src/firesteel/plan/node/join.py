"""A join that keeps every row of both sides in its state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from firesteel.changelog.kind import ALL, INSERT_ONLY, Changelog
from firesteel.errors import Span
from firesteel.plan.expression import ColumnRef, Expression, column_names
from firesteel.plan.node.join_kind import JoinKind, paired_fields
from firesteel.plan.node.plan_node import PlanNode, UniqueKey
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node
    from firesteel.plan.node.window_columns import WindowColumns


@dataclass(frozen=True)
class Join(PlanNode):
    """Pairs of rows whose keys are equal, and that meet a condition. The columns of the two sides have different names."""

    left: Node
    right: Node
    kind: JoinKind
    #: Pairs of an expression over the left side and one over the right, both of one type.
    keys: tuple[tuple[Expression, Expression], ...]
    span: Span | None = field(default=None, compare=False)
    #: A further condition on each pair.
    condition: Expression | None = None
    #: As `ttl` in `Aggregate`, for the rows of each side.
    left_ttl: int | None = None
    right_ttl: int | None = None

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return paired_fields(self.kind, self.left.fields, self.right.fields)

    @cached_property
    def changelog(self) -> Changelog:
        # A row that is padded, or kept by ANTI, is retracted when it gets a partner.
        outer = self.kind in (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL, JoinKind.ANTI)
        appends = all(side.changelog == INSERT_ONLY for side in self.inputs)
        return INSERT_ONLY if appends and not outer else ALL

    @cached_property
    def unique_key(self) -> UniqueKey:
        if self.kind.keeps_left:
            return self.left.unique_key
        if self.left.unique_key is None or self.right.unique_key is None:
            return None
        # If a row has at most one partner, its own key is unique among the pairs.
        if self._covers(1, self.right.unique_key) and self.kind in (JoinKind.INNER, JoinKind.LEFT):
            return self.left.unique_key
        if self._covers(0, self.left.unique_key) and self.kind in (JoinKind.INNER, JoinKind.RIGHT):
            return self.right.unique_key
        return self.left.unique_key | self.right.unique_key if self.kind is JoinKind.INNER else None

    def _covers(self, side: int, key: frozenset[str]) -> bool:
        return key.issubset(one.name for one in (pair[side] for pair in self.keys) if isinstance(one, ColumnRef))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        more = () if self.condition is None else (self.condition,)
        return (*(one for pair in self.keys for one in pair), *more)

    def with_inputs(self, *inputs: Node) -> Self:
        left, right = inputs
        return replace(self, left=left, right=right)

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        left = column_names(*(one for one, _ in self.keys))
        right = column_names(*(other for _, other in self.keys))
        both = outputs | (frozenset() if self.condition is None else column_names(self.condition))
        return both | left, both | right

    @property
    def event_times(self) -> frozenset[str]:
        # A pair is emitted when its second row arrives, however old the first is.
        return frozenset()

    @property
    def window_columns(self) -> WindowColumns | None:
        return None

    @property
    def closes(self) -> bool:
        return False

    @property
    def label(self) -> str:
        on = ", ".join(f"{left} = {right}" for left, right in self.keys)
        more = f", where=[{self.condition}]" if self.condition is not None else ""
        return f"Join(kind=[{self.kind.value}], on=[{on}]{more})"
