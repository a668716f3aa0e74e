"""Names the kinds of joins, and derives the columns of each kind's result."""

from __future__ import annotations

from enum import Enum

from firesteel.types import Field


class JoinKind(Enum):
    """SEMI gives each left row that has a partner once, without the partner's columns; ANTI those that have none."""

    INNER = "Inner"
    LEFT = "Left"
    RIGHT = "Right"
    FULL = "Full"
    SEMI = "Semi"
    ANTI = "Anti"

    @property
    def keeps_left(self) -> bool:
        """Says whether the result has rows of the left side only, each at most once."""
        return self in (JoinKind.SEMI, JoinKind.ANTI)


def paired_fields(kind: JoinKind, left: tuple[Field, ...], right: tuple[Field, ...]) -> tuple[Field, ...]:
    """Returns the columns of the result. Columns of a side that may be padded are nullable."""
    if kind.keeps_left:
        return left
    if kind in (JoinKind.RIGHT, JoinKind.FULL):
        left = _nullable(left)
    if kind in (JoinKind.LEFT, JoinKind.FULL):
        right = _nullable(right)
    return (*left, *right)


def _nullable(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    return tuple(Field(field.name, field.type.with_nullable(True)) for field in fields)
