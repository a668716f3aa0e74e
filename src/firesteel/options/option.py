"""Defines one row per option: its key, how its text is parsed, its default, where it applies, its older names, one
sentence.

Validation, `firesteel options`, the reference pages and the error texts all read these rows and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, Flag, auto
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Dialect(Enum):
    """The dialect that a key belongs to."""

    FLINK = "Flink"
    LEGACY = "Flink 1.10"
    DLI = "Huawei DLI"
    ALIBABA = "Alibaba"
    FIRESTEEL = "Firesteel"

    @property
    def is_old(self) -> bool:
        """Checks for the names with `connector.type`, of Flink 1.10 and Huawei DLI."""
        return self in (Dialect.LEGACY, Dialect.DLI)


class Side(Flag):
    """The tables that an option applies to: those that are read, written, or both."""

    SOURCE = auto()
    SINK = auto()
    BOTH = SOURCE | SINK


class Kind(Protocol[T_co]):
    """The kind of an option's value. `parse` raises `ValueError` whose text says what is expected."""

    @property
    def name(self) -> str:
        """Returns the name in the reference tables: String, Boolean, Integer, Duration, Enum, List …"""
        ...

    def parse(self, text: str) -> T_co: ...


@dataclass(frozen=True)
class Alias:
    """An older or a vendor's name of an option. `values` translates texts of values where they differ."""

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
    #: Why the option has no effect here and needs none. Whoever sets it gets this as a warning.
    without_effect: str | None = None
    #: The dialect that has the option: FIRESTEEL if Flink does not have it, DLI and LEGACY if only these do.
    dialect: Dialect = Dialect.FLINK

    def named(self, key: str) -> Option[T] | None:
        """Returns the option of that key, if this row's key has a `#` for any name.

        >>> from firesteel.options.kind import STRING
        >>> row = Option("fields.#.kind", STRING, "", "")
        >>> row.named("fields.id.kind").key, row.named("fields.kind")
        ('fields.id.kind', None)
        """
        head, placeholder, tail = self.key.partition("#")
        fits = placeholder and key.startswith(head) and key.endswith(tail) and len(key) > len(head) + len(tail)
        return replace(self, key=key) if fits else None
