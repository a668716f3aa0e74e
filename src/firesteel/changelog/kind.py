"""Defines the kinds of rows of a changelog, and changelog modes as sets of them.

>>> render_changelog(UPSERT)
'[I,UA,D]'
>>> RowKind.DELETE in INSERT_ONLY
False
"""

from __future__ import annotations

from enum import Enum


class RowKind(Enum):
    """Flink's four kinds of rows; `explain` writes their values."""

    INSERT = "I"
    UPDATE_BEFORE = "UB"
    UPDATE_AFTER = "UA"
    DELETE = "D"


Changelog = frozenset[RowKind]

INSERT_ONLY: Changelog = frozenset({RowKind.INSERT})
UPSERT: Changelog = frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE})
ALL: Changelog = frozenset(RowKind)


def render_changelog(changelog: Changelog) -> str:
    """Renders a changelog mode in Flink's order, as at the end of each line of a plan."""
    return f"[{','.join(kind.value for kind in RowKind if kind in changelog)}]"
