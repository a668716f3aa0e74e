"""Names the columns in which rows carry the bounds of their window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firesteel.plan.node.window import Assigner


@dataclass(frozen=True)
class WindowColumns:
    """The columns that hold each bound of a window: several if a query selects it twice, none if it does not select it.

    `by_clock`: rows belong to windows by the time at which they are processed.
    """

    assigner: Assigner
    starts: frozenset[str]
    ends: frozenset[str]
    rowtimes: frozenset[str]
    is_local: bool
    by_clock: bool = False

    def renamed(self, copies: Iterable[tuple[str, str]]) -> WindowColumns:
        """Returns the same window after its columns were copied as (new name, old name)."""
        pairs = list(copies)
        starts, ends, times = (
            frozenset(new for new, old in pairs if old in names) for names in (self.starts, self.ends, self.rowtimes)
        )
        return WindowColumns(self.assigner, starts, ends, times, self.is_local, self.by_clock)
