"""What several kinds of nodes have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firesteel.changelog.kind import INSERT_ONLY

if TYPE_CHECKING:
    from firesteel.changelog.kind import Changelog
    from firesteel.plan.node.relation import Node, UniqueKey
    from firesteel.types import Field


class SingleInput:
    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)


class PassedOn(SingleInput):
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


class KeylessInserts:
    """A node whose rows come and stay, and of which two may be the same."""

    @property
    def changelog(self) -> Changelog:
        return INSERT_ONLY

    @property
    def unique_key(self) -> UniqueKey:
        return None
