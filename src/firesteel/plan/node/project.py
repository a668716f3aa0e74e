"""Work on one row at a time: Project computes columns, Filter keeps rows that satisfy a condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from firesteel.changelog.kind import INSERT_ONLY, Changelog, RowKind
from firesteel.errors import Span
from firesteel.plan.expression import ColumnRef, Expression, column_names, distinguishing_column
from firesteel.plan.node.plan_node import PassedTime, SingleInput, UniqueKey
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node
    from firesteel.plan.node.window_columns import WindowColumns


@dataclass(frozen=True)
class Project(SingleInput):
    """Computes each output column with one expression."""

    input: Node
    fields: tuple[Field, ...]
    expressions: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def changelog(self) -> Changelog:
        return self.input.changelog

    @cached_property
    def unique_key(self) -> UniqueKey:
        if self.input.unique_key is None:
            return None
        kept: dict[str, str] = {}
        for column, expression in zip(self.fields, self.expressions, strict=True):
            source = distinguishing_column(expression)
            if source is not None:
                kept.setdefault(source.name, column.name)
        if not self.input.unique_key.issubset(kept):
            return None
        return frozenset(kept[name] for name in self.input.unique_key)

    def narrowed(self, outputs: frozenset[str]) -> Self:
        kept = [pair for pair in zip(self.fields, self.expressions, strict=True) if pair[0].name in outputs]
        return replace(
            self, fields=tuple(field for field, _ in kept), expressions=tuple(expression for _, expression in kept)
        )

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        read = (value for field, value in zip(self.fields, self.expressions, strict=True) if field.name in outputs)
        return (column_names(*read),)

    def copies(self) -> Iterator[tuple[str, str]]:
        """Gives (new name, old name) of each column that is passed on unchanged."""
        for column, expression in zip(self.fields, self.expressions, strict=True):
            if isinstance(expression, ColumnRef):
                yield column.name, expression.name

    @property
    def event_times(self) -> frozenset[str]:
        inner = self.input.event_times
        return frozenset(new for new, old in self.copies() if old in inner)

    @property
    def window_columns(self) -> WindowColumns | None:
        inner = self.input.window_columns
        return None if inner is None else inner.renamed(self.copies())

    @property
    def closes(self) -> bool:
        return False

    @property
    def label(self) -> str:
        select = ", ".join(
            column.name
            if isinstance(expression, ColumnRef) and expression.name == column.name
            else f"{expression} AS {column.name}"
            for column, expression in zip(self.fields, self.expressions, strict=True)
        )
        return f"Project(select=[{select}])"


@dataclass(frozen=True)
class Filter(PassedTime):
    input: Node
    condition: Expression
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields

    @cached_property
    def changelog(self) -> Changelog:
        # A row that was emitted is retracted when its new version no longer passes.
        if self.input.changelog == INSERT_ONLY:
            return INSERT_ONLY
        return self.input.changelog | {RowKind.DELETE}

    @cached_property
    def unique_key(self) -> UniqueKey:
        return self.input.unique_key

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return (self.condition,)

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (outputs | column_names(self.condition),)

    @property
    def label(self) -> str:
        return f"Filter(where=[{self.condition}])"
