"""Reads the entries of a WITH clause: replaces variables, before keys and values get a meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from firesteel.errors import Problem, Severity, Span
from firesteel.options.environment import substitute
from firesteel.options.secret import MASKED, is_secret_key, secrets_within


class Literal(Protocol):
    @property
    def value(self) -> str: ...

    @property
    def span(self) -> Span: ...


class Entry(Protocol):
    """One `'key' = 'value'` of a script, as `sql`'s `OptionEntry` is."""

    @property
    def key(self) -> Literal: ...

    @property
    def value(self) -> Literal: ...


#: Longer values and keys are cut when a message quotes them.
_LONGEST = 60
_LONGEST_KEY = 200


@dataclass(frozen=True)
class Given:
    """An entry. `key` is today's name of the option; `written` is the name in the script."""

    key: str
    written: str
    text: str
    key_span: Span
    value_span: Span
    hidden: bool = False
    #: A variable in it has no value. That has been reported, and the text is not used.
    failed: bool = False
    #: The value came from a variable.
    substituted: bool = False

    @property
    def span(self) -> Span:
        return self.key_span.to(self.value_span)

    @property
    def shown(self) -> str:
        """Returns the value as a message may quote it."""
        if self.hidden:
            return MASKED
        return self.text if len(self.text) <= _LONGEST else f"{self.text[:_LONGEST]}…"

    @property
    def secrets(self) -> tuple[str, ...]:
        return (*((self.text,) if self.hidden and self.text else ()), *secrets_within(self.key, self.text))


def read_entries(
    entries: Iterable[Entry], environment: Mapping[str, str]
) -> tuple[tuple[Given, ...], tuple[Problem, ...]]:
    """Returns the entries with their variables replaced. If a key is written twice the last one counts, as in Flink."""
    given: dict[str, Given] = {}
    problems: list[Problem] = []
    for entry in entries:
        key, text = entry.key.value, entry.value.value
        if key in given:
            problems.append(
                Problem(
                    f"'{key[:_LONGEST_KEY]}' is set twice; the last one counts.",
                    entry.key.span,
                    "Keep one of them.",
                    Severity.WARNING,
                )
            )
        substituted = substitute(text, environment)
        problems += [Problem(message, entry.value.span, hint) for message, hint in substituted.mistakes]
        given[key] = Given(
            key,
            key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…",
            substituted.text,
            entry.key.span,
            entry.value.span,
            hidden=substituted.used or is_secret_key(key),
            failed=bool(substituted.mistakes),
            substituted=substituted.used,
        )
    return tuple(given.values()), tuple(problems)
