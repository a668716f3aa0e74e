"""Rows of a `print` table, as they are shown."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from firesteel.errors import one_line


@dataclass(frozen=True)
class ShownRows:
    """The rows of one batch as lines. `left_out` counts those beyond the limit."""

    table: str
    lines: tuple[str, ...]
    left_out: int = 0
    standard_error: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """Returns the lines to print. A row is one line, even if its values contain line breaks."""
        rest = (f"… and {self.left_out:,} more rows of {self.table}",) if self.left_out else ()
        return tuple(map(one_line, (*self.lines, *rest)))


OnShown = Callable[[ShownRows], None]


def print_rows(shown: ShownRows, out: IO[str] | None = None) -> None:
    """Prints to `out`, or to the stream that the table chooses."""
    chosen = out or (sys.stderr if shown.standard_error else sys.stdout)
    print("\n".join(shown.texts), file=chosen, flush=True)
