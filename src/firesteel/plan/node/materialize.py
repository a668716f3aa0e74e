"""One row for each key of a table, where several rows of a query may have it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from firesteel.changelog.kind import INSERT_ONLY, UPSERT, Changelog, RowKind
from firesteel.errors import Span
from firesteel.plan.expression import Expression
from firesteel.plan.node.plan_node import PassedTime, UniqueKey
from firesteel.types import Field

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node


class OnConflict(Enum):
    """Which of several rows of a key is written: the last one or the first one; or the job fails."""

    DEDUPLICATE = "DEDUPLICATE"
    NOTHING = "NOTHING"
    ERROR = "ERROR"


@dataclass(frozen=True)
class Materialize(PassedTime):
    """Keeps all rows of each key. When the one that is written goes, the one before it comes back.

    `query_key`: columns that tell the query's rows apart; without them a row is known by all its columns.
    """

    input: Node
    keys: tuple[str, ...]
    query_key: tuple[str, ...] | None = None
    conflict: OnConflict = OnConflict.DEDUPLICATE
    span: Span | None = field(default=None, compare=False)
    #: As in `Aggregate`.
    ttl: int | None = None

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields

    @cached_property
    def changelog(self) -> Changelog:
        if self.input.changelog != INSERT_ONLY:
            return UPSERT
        return INSERT_ONLY if self.conflict is OnConflict.NOTHING else UPSERT - {RowKind.DELETE}

    @cached_property
    def unique_key(self) -> UniqueKey:
        return frozenset(self.keys)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (frozenset(column.name for column in self.fields),)

    @property
    def label(self) -> str:
        told = "" if self.query_key is None else f", queryKey=[{', '.join(self.query_key)}]"
        conflict = "" if self.conflict is OnConflict.DEDUPLICATE else f", onConflict=[{self.conflict.value}]"
        return f"Materialize(key=[{', '.join(self.keys)}]{told}{conflict})"
