"""Parses and evaluates the paths of JSON_VALUE, JSON_QUERY and JSON_EXISTS.

A path is `strict` unless it says `lax`: a value that is missing is an error in strict mode, and no value in lax mode.

>>> parse_path("lax $.a['b c'][0]")
JsonPath(lax=True, steps=(Member(names=('a',)), Member(names=('b c',)), Element(indexes=(0,))))
>>> parse_path("$.a[*].b").find({"a": [{"b": 1}, {"c": 2}]})
[1]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


class PathError(ValueError):
    """The text is no path, or one that is not supported."""


class NotFound(LookupError):
    """A path to a single value finds none."""


@dataclass(frozen=True)
class Member:
    names: tuple[str, ...]


@dataclass(frozen=True)
class Element:
    indexes: tuple[int, ...]


@dataclass(frozen=True)
class Slice:
    start: int | None
    stop: int | None


@dataclass(frozen=True)
class Every:
    """`[*]` and `.*`."""


@dataclass(frozen=True)
class Anywhere:
    """`..`: the value and all values inside it."""


Step = Member | Element | Slice | Every | Anywhere


@dataclass(frozen=True)
class JsonPath:
    lax: bool
    steps: tuple[Step, ...]

    @property
    def definite(self) -> bool:
        """Says whether the path finds at most one value; otherwise it finds a list."""
        for step in self.steps:
            match step:
                case Member(names=several) | Element(indexes=several):
                    if len(several) > 1:
                        return False
                case _:
                    return False
        return True

    def find(self, document: object) -> object:
        """Returns the value or the list of values. Raises NotFound if a definite path finds no value."""
        found: Iterator[object] = iter((document,))
        for step in self.steps:
            found = _follow(step, found)
        if not self.definite:
            return list(found)
        for value in found:
            return value
        raise NotFound


def _follow(step: Step, values: Iterator[object]) -> Iterator[object]:
    for value in values:
        match step, value:
            case Member(names=names), dict():
                yield from (value[name] for name in names if name in value)
            case Element(indexes=indexes), list():
                yield from (value[index] for index in indexes if -len(value) <= index < len(value))
            case Slice(start=start, stop=stop), list():
                yield from value[start:stop]
            case Every(), dict():
                yield from value.values()
            case Every(), list():
                yield from value
            case Anywhere(), _:
                yield from _inside(value)


def _inside(value: object) -> Iterator[object]:
    yield value
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        yield from _inside(child)


_MODE = re.compile(r"\s*(strict|lax)\s+(.+)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[^\s.\[\]()'\",*?@]+")
_QUOTED = r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\""
_NAMES = re.compile(rf"\[\s*(?:{_QUOTED})(?:\s*,\s*(?:{_QUOTED}))*\s*\]")
_INDEXES = re.compile(r"\[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]")
_SLICE = re.compile(r"\[\s*(-?\d+)?\s*:\s*(-?\d+)?\s*\]")
_EVERY = re.compile(r"\[\s*\*\s*\]")


def parse_path(text: str) -> JsonPath:
    mode = _MODE.fullmatch(text)
    lax = mode is not None and mode[1].lower() == "lax"
    path = (mode[2] if mode else text).strip()
    if not path.startswith("$"):
        raise PathError(text)
    return JsonPath(lax, tuple(_steps(path, text)))


def _steps(path: str, text: str) -> Iterator[Step]:
    position = 1
    while position < len(path):
        dots = 2 if path.startswith("..", position) else 1 if path[position] == "." else 0
        if dots == 2:
            yield Anywhere()
        position += dots
        if path[position : position + 1] == "[":
            step, position = _bracket(path, position, text)
        elif dots and path[position : position + 1] == "*":
            step, position = Every(), position + 1
        else:
            name = _NAME.match(path, position) if dots else None
            if name is None:
                raise PathError(text)
            step, position = Member((name[0],)), name.end()
        yield step


def _bracket(path: str, position: int, text: str) -> tuple[Step, int]:
    step: Step
    if found := _NAMES.match(path, position):
        names = (one or two for one, two in re.findall(_QUOTED, found[0]))
        step = Member(tuple(re.sub(r"\\(.)", r"\1", name) for name in names))
    elif found := _INDEXES.match(path, position):
        step = Element(tuple(int(index) for index in found[0].strip("[] \t").split(",")))
    elif found := _SLICE.match(path, position):
        step = Slice(*(int(bound) if bound else None for bound in found.groups()))
    elif found := _EVERY.match(path, position):
        step = Every()
    else:
        raise PathError(text)
    return step, found.end()
