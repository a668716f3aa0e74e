"""What every node of a plan answers for itself, so that passes and checks need no list of the nodes there are.

A new node is a frozen dataclass below `PlanNode`, and stands in the union `Node` of `plan/node/relation.py`. An answer that it
lacks is an error of mypy where the node is made; a `match` that ends in `assert_never` and does not know it is one too.
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

#: A set of columns that no two rows share; None: the node has none. The empty key says that there is one row.
UniqueKey = frozenset[str] | None

CURRENT_WATERMARK = frozenset({"CURRENT_WATERMARK"})


class PlanNode(ABC):
    """Column names are those of the node's own columns, but where a method says that they are an input's."""

    if TYPE_CHECKING:
        # Some nodes have these as fields. At run time a dataclass would take a property of its base for a field's default.

        @property
        @abstractmethod
        def inputs(self) -> tuple[Node, ...]: ...

        @property
        @abstractmethod
        def fields(self) -> tuple[Field, ...]:
            """The columns."""

        @property
        @abstractmethod
        def changelog(self) -> Changelog:
            """The kinds of rows that come out."""

        @property
        @abstractmethod
        def unique_key(self) -> UniqueKey: ...

        @property
        @abstractmethod
        def expressions(self) -> tuple[Expression, ...]:
            """All that is computed or compared here, over the columns of the inputs."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The node's line in a plan. State is matched against it."""

    @abstractmethod
    def with_inputs(self, *inputs: Node) -> Self:
        """The same node over other inputs."""

    def narrowed(self, outputs: frozenset[str]) -> Self:
        """The node without the columns that it makes itself and nobody reads; columns of its inputs stay."""
        return self

    @abstractmethod
    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        """The columns of each input that are read if `outputs` of this node are."""

    @property
    @abstractmethod
    def event_times(self) -> frozenset[str]:
        """The columns that are event time: unchanged since a WATERMARK declared them, or the time of a window."""

    @property
    @abstractmethod
    def window_columns(self) -> WindowColumns | None:
        """The window that the node's rows belong to, if they do."""

    @property
    @abstractmethod
    def closes(self) -> bool:
        """Whether rows come when their time has passed, and only then."""

    @property
    def waits_for_time(self) -> bool:
        """Whether the node's state or its expressions follow event time."""
        return self.closes or any(
            True for expression in self.expressions for _ in calls_in(expression, CURRENT_WATERMARK)
        )


def name_list(fields: tuple[Field, ...]) -> str:
    """The names of columns, as labels show them."""
    return ", ".join(column.name for column in fields)


class NoInput(PlanNode):
    """A node that rows begin at."""

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
        # A table's is declared by the Watermark above it.
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
    """A node whose rows have the event time and the window of the input's rows, under the same names."""

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
    """A node whose rows are those of its input, as far as columns, changes and keys go."""

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
    """A node whose rows come and stay, and of which two may be the same."""

    @property
    def changelog(self) -> Changelog:
        return INSERT_ONLY

    @property
    def unique_key(self) -> UniqueKey:
        return None
