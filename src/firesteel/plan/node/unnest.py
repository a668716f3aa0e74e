"""UNNEST: one row for each element of a collection."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from firesteel.changelog.kind import Changelog
from firesteel.errors import Span
from firesteel.plan.expression import Expression, column_names
from firesteel.plan.node.plan_node import PassedTime, UniqueKey, name_list
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node


@dataclass(frozen=True)
class Unnest(PassedTime):
    """Repeats each row for every element of a collection; `elements` are the columns of an element.

    `outer`: a row whose collection is empty or NULL is kept, with NULL for its element.
    """

    input: Node
    collection: Expression
    elements: tuple[Field, ...]
    ordinality: bool = False
    outer: bool = False
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return (*self.input.fields, *self.elements)

    @cached_property
    def changelog(self) -> Changelog:
        return self.input.changelog

    @cached_property
    def unique_key(self) -> UniqueKey:
        return None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.collection,)

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (outputs | column_names(self.collection),)

    @property
    def label(self) -> str:
        kind = "outer, " if self.outer else ""
        return f"Unnest({kind}collection=[{self.collection}], elements=[{name_list(self.elements)}])"
