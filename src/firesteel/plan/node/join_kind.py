"""The kinds of joins, and the columns that the pairs of each kind have."""

from __future__ import annotations

from enum import Enum

from firesteel.types import Field


class JoinKind(Enum):
    """SEMI: the left rows that have a partner, each once, and nothing of the partner. ANTI: those that have none."""

    INNER = "Inner"
    LEFT = "Left"
    RIGHT = "Right"
    FULL = "Full"
    SEMI = "Semi"
    ANTI = "Anti"

    @property
    def keeps_left(self) -> bool:
        """Whether the pairs are rows of the left side, each once at most."""
        return self in (JoinKind.SEMI, JoinKind.ANTI)


def paired_fields(kind: JoinKind, left: tuple[Field, ...], right: tuple[Field, ...]) -> tuple[Field, ...]:
    """The columns of both sides; those of a side that can be missing may be NULL."""
    if kind.keeps_left:
        return left
    if kind in (JoinKind.RIGHT, JoinKind.FULL):
        left = _nullable(left)
    if kind in (JoinKind.LEFT, JoinKind.FULL):
        right = _nullable(right)
    return (*left, *right)


def _nullable(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    return tuple(Field(field.name, field.type.with_nullable(True)) for field in fields)
