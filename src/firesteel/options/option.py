"""One row per option: its key, how its text is read, its default, where it applies, its older names, one sentence.

Validation, `firesteel options`, the reference pages and the error texts all read these rows and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, Flag, auto
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Dialect(Enum):
    """Whose spelling a key is."""

    FLINK = "Flink"
    LEGACY = "Flink 1.10"
    DLI = "Huawei DLI"
    ALIBABA = "Alibaba"
    FIRESTEEL = "Firesteel"

    @property
    def is_old(self) -> bool:
        """The names with `connector.type`, as Flink 1.10 had them and DLI has them still."""
        return self in (Dialect.LEGACY, Dialect.DLI)


class Side(Flag):
    """Where an option applies: to a table that is read, written, or either."""

    SOURCE = auto()
    SINK = auto()
    BOTH = SOURCE | SINK


class Kind(Protocol[T_co]):
    """How an option's text becomes a value. `parse` raises `ValueError` whose text says what is expected."""

    @property
    def name(self) -> str:
        """What the reference tables call it: String, Boolean, Integer, Duration, Enum, List …"""
        ...

    def parse(self, text: str) -> T_co: ...


@dataclass(frozen=True)
class Alias:
    """An older or a vendor's name of an option. `values` translates its value texts where they differ."""

    key: str
    dialect: Dialect
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Option(Generic[T]):
    key: str
    kind: Kind[T]
    summary: str
    summary_zh: str
    default: T | None = None
    side: Side = Side.BOTH
    required: bool = False
    aliases: tuple[Alias, ...] = field(default=())
    secret: bool = False
    deprecated: bool = False
    #: Why it does nothing here although nothing is lost by that: said, as a warning, to whoever sets it.
    without_effect: str | None = None
    #: Who has this option at all: FIRESTEEL marks what Flink does not have, DLI and LEGACY what only they have.
    dialect: Dialect = Dialect.FLINK

    def named(self, key: str) -> Option[T] | None:
        """The option of that key, where this row's key has a `#` for any name.

        >>> from firesteel.options.kind import STRING
        >>> row = Option("fields.#.kind", STRING, "", "")
        >>> row.named("fields.id.kind").key, row.named("fields.kind")
        ('fields.id.kind', None)
        """
        head, mark, tail = self.key.partition("#")
        fits = mark and key.startswith(head) and key.endswith(tail) and len(key) > len(head) + len(tail)
        return replace(self, key=key) if fits else None
