"""Defines what every node of a plan answers about itself, so that passes and checks need no list of nodes.

A new node is a frozen dataclass below `PlanNode`, and a member of the union `Node` of `plan/node/relation.py`. mypy reports an
answer that it lacks, and every `match` that ends in `assert_never` and does not name it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.expression import calls_in

if TYPE_CHECKING:
    from firesteel.changelog.kind import Changelog
    from firesteel.plan.expression import Expression
    from firesteel.plan.node.relation import Node
    from firesteel.plan.node.window_columns import WindowColumns
    from firesteel.types import Field

#: Columns whose values no two rows share; None if the node has no such key. The empty key means that there is one row.
UniqueKey = frozenset[str] | None

CURRENT_WATERMARK = frozenset({"CURRENT_WATERMARK"})


class PlanNode(ABC):
    """A node of a plan. Column names are those of its own columns, unless a method says that they are an input's."""

    if TYPE_CHECKING:
        # Some nodes have these as fields. At run time a dataclass would take a property of its base for a field's default.

        @property
        @abstractmethod
        def inputs(self) -> tuple[Node, ...]:
            """Returns the nodes whose rows this one reads."""

        @property
        @abstractmethod
        def fields(self) -> tuple[Field, ...]:
            """Returns the columns of the output."""

        @property
        @abstractmethod
        def changelog(self) -> Changelog:
            """Returns the kinds of rows in the output."""

        @property
        @abstractmethod
        def unique_key(self) -> UniqueKey:
            """Returns the key that no two rows of the output share."""

        @property
        @abstractmethod
        def expressions(self) -> tuple[Expression, ...]:
            """Returns all expressions that the node evaluates, over the columns of its inputs."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Renders the node as a line of a plan. It is part of the text that a job's state depends on."""

    @abstractmethod
    def with_inputs(self, *inputs: Node) -> Self:
        """Returns the same node over other inputs."""

    def narrowed(self, outputs: frozenset[str]) -> Self:
        """Returns the node without columns that it computes itself and that are not in `outputs`."""
        return self

    @abstractmethod
    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        """Returns the columns needed of each input to produce the columns `outputs`."""

    @property
    @abstractmethod
    def event_times(self) -> frozenset[str]:
        """Returns the columns of event time: unchanged since a WATERMARK declared them, or the time of a window."""

    @property
    @abstractmethod
    def window_columns(self) -> WindowColumns | None:
        """Returns the columns of the window that each row belongs to; None if rows belong to none."""

    @property
    @abstractmethod
    def closes(self) -> bool:
        """Says whether rows are emitted only when the watermark has passed their time."""

    @property
    def waits_for_time(self) -> bool:
        """Says whether the node's state or its expressions depend on event time."""
        return self.closes or any(
            True for expression in self.expressions for _ in calls_in(expression, CURRENT_WATERMARK)
        )


def name_list(fields: tuple[Field, ...]) -> str:
    """Renders the names of columns for a label."""
    return ", ".join(column.name for column in fields)


class NoInput(PlanNode):
    """A node without inputs."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        return ()

    def with_inputs(self, *inputs: Node) -> Self:
        assert not inputs
        return self

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return ()

    @property
    def event_times(self) -> frozenset[str]:
        # The Watermark above a table declares its event time.
        return frozenset()

    @property
    def window_columns(self) -> WindowColumns | None:
        return None

    @property
    def closes(self) -> bool:
        return False


@dataclass(frozen=True)
class SingleInput(PlanNode):
    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    def with_inputs(self, *inputs: Node) -> Self:
        (only,) = inputs
        return replace(self, input=only)


class PassedTime(SingleInput):
    """A node whose rows keep event time and window of the input's rows, under the same names."""

    @property
    def event_times(self) -> frozenset[str]:
        return self.input.event_times

    @property
    def window_columns(self) -> WindowColumns | None:
        return self.input.window_columns

    @property
    def closes(self) -> bool:
        return False


class PassedOn(PassedTime):
    """A node whose columns, changelog and unique key are those of its input."""

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields

    @property
    def changelog(self) -> Changelog:
        return self.input.changelog

    @property
    def unique_key(self) -> UniqueKey:
        return self.input.unique_key


class KeylessInserts(PlanNode):
    """A node that only inserts, and may insert equal rows."""

    @property
    def changelog(self) -> Changelog:
        return INSERT_ONLY

    @property
    def unique_key(self) -> UniqueKey:
        return None
