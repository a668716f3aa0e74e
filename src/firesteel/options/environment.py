"""Replaces `${env:NAME}` in an option's value by the value of an environment variable that the operator has allowed.

The operator lists the names, as patterns, in `FIRESTEEL_ALLOWED_ENV`. Without that list a script could read any
variable of the process, so there is no default.

>>> substitute("${env:KAFKA_PASSWORD}!", {"FIRESTEEL_ALLOWED_ENV": "KAFKA_*", "KAFKA_PASSWORD": "hunter22"})
Substituted(text='hunter22!', used=True, mistakes=())
>>> substitute("${env:HOME}", {"HOME": "/root"}).mistakes[0][0]
"'${env:HOME}' is not among the variables that the operator allowed."
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

ALLOWED_ENV = "FIRESTEEL_ALLOWED_ENV"

_REFERENCE = re.compile(r"\$\{env:([^}]*)\}")


@dataclass(frozen=True)
class Substituted:
    """A text after replacement. `used`: the text came from a variable, so it is treated as a secret. A mistake is
    (problem, hint).
    """

    text: str
    used: bool
    mistakes: tuple[tuple[str, str], ...] = ()


def allowed(name: str, patterns: str) -> bool:
    return any(fnmatchcase(name, pattern.strip()) for pattern in patterns.split(",") if pattern.strip())


def substitute(text: str, environment: Mapping[str, str]) -> Substituted:
    """Replaces the references in a text, once: references in a variable's value are not replaced."""
    if "${env:" not in text:
        return Substituted(text, False)
    mistakes: list[tuple[str, str]] = []

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if not allowed(name, environment.get(ALLOWED_ENV, "")):
            mistakes.append(
                (
                    f"'${{env:{name}}}' is not among the variables that the operator allowed.",
                    f"Start Firesteel with {ALLOWED_ENV}={name} (names or patterns, separated by commas).",
                )
            )
            return ""
        if name not in environment:
            mistakes.append(
                (f"'${{env:{name}}}' has no value.", f"Set the environment variable {name} before the job starts.")
            )
            return ""
        return environment[name]

    replaced = _REFERENCE.sub(value, text)
    return Substituted(replaced, True, tuple(mistakes))
