"""Rows that a `print` table shows to whoever runs the job."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from firesteel.errors import one_line


@dataclass(frozen=True)
class ShownRows:
    """The lines of one batch. `left_out` counts those that were too many to be shown."""

    table: str
    lines: tuple[str, ...]
    left_out: int = 0
    standard_error: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """What to print: a row is one line, whatever its values hold."""
        rest = (f"… and {self.left_out:,} more rows of {self.table}",) if self.left_out else ()
        return tuple(map(one_line, (*self.lines, *rest)))


OnShown = Callable[[ShownRows], None]


def print_rows(shown: ShownRows, out: IO[str] | None = None) -> None:
    """On `out`, else where the table says."""
    chosen = out or (sys.stderr if shown.standard_error else sys.stdout)
    print("\n".join(shown.texts), file=chosen, flush=True)
