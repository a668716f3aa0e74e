"""Reports mistakes in queries: raised where they are found, caught where the next part can still be checked."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.errors import Problem, Span
from firesteel.options.spelling import nearest


class Mistake(Exception):
    """One mistake in a query."""

    def __init__(self, message: str, span: Span | None, hint: str | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(message, span, hint)


def suggest(name: str, known: Iterable[str], otherwise: str | None = None) -> str | None:
    """Suggests the nearest known name; `otherwise` if none is near."""
    close = nearest(name, known, 0.6)
    return f"Write '{close}'." if close else otherwise


def count(number: int, what: str) -> str:
    """Renders a number of things.

    >>> count(1, "column"), count(2, "column"), count(0, "argument")
    ('1 column', '2 columns', 'no argument')
    """
    return f"{number or 'no'} {what}{'s' if number > 1 else ''}"
