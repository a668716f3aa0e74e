"""Which partition a sink's message goes to.

>>> PARTITIONER.parse("round-robin")
RoundRobin()
>>> PARTITIONER.parse("shop.partition.ByRegion")
Custom(path='shop.partition.ByRegion')
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Default:
    """The key's murmur2 hash, or any partition for a message without a key, as the Java client does."""

    def __str__(self) -> str:
        return "default"


@dataclass(frozen=True)
class Fixed:
    """Each writing task keeps to one partition."""


@dataclass(frozen=True)
class RoundRobin:
    """In turn."""


@dataclass(frozen=True)
class Custom:
    """A Python class, `package.module.Class`; `loaded` is the class itself, once it is known, for workers that could not find it."""

    path: str
    loaded: type | None = field(default=None, compare=False, repr=False)

    @property
    def module(self) -> str:
        return self.path.rpartition(".")[0]

    @property
    def class_name(self) -> str:
        return self.path.rpartition(".")[2]


Partitioner = Default | Fixed | RoundRobin | Custom

_BUILT_IN: dict[str, Partitioner] = {"default": Default(), "fixed": Fixed(), "round-robin": RoundRobin()}
_CLASS_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


@dataclass(frozen=True)
class PartitionerKind:
    name: str = "Partitioner"

    def parse(self, text: str) -> Partitioner:
        if text in _BUILT_IN:
            return _BUILT_IN[text]
        if _CLASS_PATH.fullmatch(text):
            return Custom(text)
        raise ValueError("expects 'default', 'fixed', 'round-robin' or a Python class as 'package.module.Class'")


PARTITIONER = PartitionerKind()
