"""What a row of a changelog means, and which kinds of rows a stream carries.

>>> render_changelog(UPSERT)
'[I,UA,D]'
>>> RowKind.DELETE in INSERT_ONLY
False
"""

from __future__ import annotations

from enum import Enum


class RowKind(Enum):
    """Flink's four kinds; the value is how `explain` writes it."""

    INSERT = "I"
    UPDATE_BEFORE = "UB"
    UPDATE_AFTER = "UA"
    DELETE = "D"


Changelog = frozenset[RowKind]

INSERT_ONLY: Changelog = frozenset({RowKind.INSERT})
UPSERT: Changelog = frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE})
ALL: Changelog = frozenset(RowKind)


def render_changelog(changelog: Changelog) -> str:
    """The kinds in Flink's order, as every line of a plan ends in them."""
    return f"[{','.join(kind.value for kind in RowKind if kind in changelog)}]"
