"""What a client setting did not become."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import Severity


@dataclass(frozen=True)
class Finding:
    """About the setting `name`; `message` and `hint` are those of a Problem, which also knows the place."""

    name: str
    message: str
    hint: str | None = None
    severity: Severity = Severity.ERROR
