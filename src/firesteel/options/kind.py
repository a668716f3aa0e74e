"""Parses the texts of options to values: one class per kind of text.

A `parse` raises `ValueError` whose text completes the sentence "'key' is 'text', but …".

>>> DURATION.parse("5 min")
datetime.timedelta(seconds=300)
>>> LIST.parse("orders; 'a;b' ;[c]")
('orders', 'a;b', '[c]')
>>> dict(SPECIFIC_OFFSETS.parse("partition:0,offset:42;partition:1,offset:300"))
{0: 42, 1: 300}
>>> BOOLEAN.parse("yes")
Traceback (most recent call last):
ValueError: expects 'true' or 'false'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Generic, TypeVar

E = TypeVar("E", bound=Enum)

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1

_DIGITS = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class StringKind:
    empty: bool = True
    name: str = "String"

    def parse(self, text: str) -> str:
        if not self.empty and not text.strip():
            raise ValueError("expects a text that is not empty")
        return text


@dataclass(frozen=True)
class FormatKind:
    """The name of a format, which is looked up in the list of formats later."""

    name: str = "Format"

    def parse(self, text: str) -> str:
        return text


@dataclass(frozen=True)
class BooleanKind:
    name: str = "Boolean"

    def parse(self, text: str) -> bool:
        lowered = text.lower()
        if lowered not in ("true", "false"):
            raise ValueError("expects 'true' or 'false'")
        return lowered == "true"


@dataclass(frozen=True)
class NumberKind:
    """A whole number as Java reads it: no blanks, no underscores, within its range."""

    name: str
    minimum: int
    maximum: int

    def parse(self, text: str) -> int:
        # Check the length first: Python's int() of a megabyte of digits takes seconds.
        if not _DIGITS.fullmatch(text):
            raise ValueError("expects a whole number")
        if len(text) > 20 or not self.minimum <= int(text) <= self.maximum:
            raise ValueError(f"expects a whole number from {self.minimum} to {self.maximum}")
        return int(text)


_UNITS: tuple[tuple[tuple[str, ...], timedelta], ...] = (
    (("d", "day", "days"), timedelta(days=1)),
    (("h", "hour", "hours"), timedelta(hours=1)),
    (("m", "min", "mins", "minute", "minutes"), timedelta(minutes=1)),
    (("s", "sec", "secs", "second", "seconds"), timedelta(seconds=1)),
    (("ms", "milli", "millis", "millisecond", "milliseconds"), timedelta(milliseconds=1)),
    (("µs", "micro", "micros", "microsecond", "microseconds"), timedelta(microseconds=1)),
)
_UNIT = {label: size for labels, size in _UNITS for label in labels}
_NANOSECONDS = ("ns", "nano", "nanos", "nanosecond", "nanoseconds")
_DURATION = re.compile(r"\s*([0-9]{1,19})\s*([A-Za-zµ]*)\s*")
_ISO_DURATION = re.compile(
    r"\+?P(?:([0-9]{1,9})D)?(?:T(?=[0-9])(?:([0-9]{1,12})H)?(?:([0-9]{1,12})M)?(?:([0-9]{1,12})(?:[.,]([0-9]{0,9}))?S)?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class DurationKind:
    """A length of time in Flink's form, or in Java's (`PT1M`). A number without a unit counts milliseconds.

    >>> DurationKind().parse("P1DT2H"), DurationKind().parse("pt1.5s")
    (datetime.timedelta(days=1, seconds=7200), datetime.timedelta(seconds=1, microseconds=500000))
    """

    name: str = "Duration"

    def parse(self, text: str) -> timedelta:
        iso = _ISO_DURATION.fullmatch(text.strip())
        if iso is not None and any(iso.groups()):
            days, hours, minutes, seconds = (int(part or 0) for part in iso.groups()[:4])
            fraction = (iso[5] or "")[:6].ljust(6, "0")
            return timedelta(days, seconds, int(fraction), minutes=minutes, hours=hours)
        matched = _DURATION.fullmatch(text)
        if matched is not None:
            amount, label = int(matched[1]), matched[2].lower()
            try:
                if label in _NANOSECONDS:
                    return timedelta(microseconds=amount // 1000)
                if label in _UNIT or not label:
                    return amount * _UNIT[label or "ms"]
            except OverflowError:
                pass
        raise ValueError("expects a length of time such as '5 min', '10 s' or '500 ms'")


_SIZES = {
    label: 1 << bits
    for bits, labels in (
        (0, ("", "b", "bytes")),
        (10, ("k", "kb", "kibibytes")),
        (20, ("m", "mb", "mebibytes")),
        (30, ("g", "gb", "gibibytes")),
        (40, ("t", "tb", "tebibytes")),
    )
    for label in labels
}
_SIZE = re.compile(r"\s*([0-9]{1,19})\s*([A-Za-z]*)\s*")


@dataclass(frozen=True)
class MemorySizeKind:
    """A number of bytes in Flink's form. Its units are powers of 1,024.

    >>> MemorySizeKind().parse("512 mb"), MemorySizeKind().parse("1g")
    (536870912, 1073741824)
    """

    minimum: int = 0
    name: str = "MemorySize"

    def parse(self, text: str) -> int:
        matched = _SIZE.fullmatch(text)
        if matched is None or matched[2].lower() not in _SIZES:
            raise ValueError("expects a size such as '512 mb' or '1 gb'")
        size = int(matched[1]) * _SIZES[matched[2].lower()]
        if not self.minimum <= size <= LONG_MAX:
            raise ValueError(f"expects a size of at least '{self.minimum >> 20} mb'")
        return size


@dataclass(frozen=True)
class EnumKind(Generic[E]):
    """A value of an Enum, compared without case unless Flink compares it with case."""

    type: type[E]
    case_sensitive: bool = False
    #: Other texts that are accepted but not documented, and the texts they mean.
    also: tuple[tuple[str, str], ...] = ()
    name: str = "Enum"

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(str(member.value) for member in self.type)

    def parse(self, text: str) -> E:
        meant = dict(self.also).get(text.lower(), text)
        for member in self.type:
            value = str(member.value)
            if meant == value or (not self.case_sensitive and meant.lower() == value.lower()):
                return member
        raise ValueError(f"expects one of {quoted(self.texts)}")


@dataclass(frozen=True)
class ListKind:
    """Elements separated by `;`, with quotes around one if needed; or the YAML form `[a, b]`. A comma is no separator."""

    name: str = "List"

    def parse(self, text: str) -> tuple[str, ...]:
        yaml = _yaml_list(text)
        elements = yaml if yaml is not None else tuple(_split(text, ";"))
        if not elements or not all(elements):
            raise ValueError("expects one or more names separated by ';', none of them empty")
        return elements


def _yaml_list(text: str) -> tuple[str, ...] | None:
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        return None
    inside = stripped[1:-1]
    # A bracket inside is a list of lists, or not YAML: then the text is split at ';' like any other.
    if "[" in inside or "]" in inside:
        return None
    return tuple(_split(inside, ","))


def _split(text: str, separator: str) -> list[str]:
    """Splits a text into trimmed pieces. A quote, single or double, protects separators and is doubled to mean itself."""
    pieces: list[str] = []
    piece: list[str] = []
    quote, was_quoted, blank, index = "", False, True, 0

    def close() -> None:
        joined = "".join(piece)
        pieces.append(joined if was_quoted else joined.strip())
        piece.clear()

    while index < len(text):
        char = text[index]
        if quote:
            if char != quote:
                piece.append(char)
            elif text[index + 1 : index + 2] == quote:
                piece.append(char)
                index += 1
            else:
                quote = ""
        elif char == separator:
            close()
            was_quoted, blank = False, True
        elif char in "'\"" and blank:
            piece.clear()
            quote, was_quoted, blank = char, True, False
        elif not (was_quoted and char.isspace()):
            piece.append(char)
            blank = blank and char.isspace()
        index += 1
    if quote:
        raise ValueError(f"expects a closing quote ({quote})")
    close()
    # A separator at the end adds no element.
    return pieces[:-1] if len(pieces) > 1 and not pieces[-1] and not was_quoted else pieces


@dataclass(frozen=True)
class SpecificOffsetsKind:
    """Offsets such as `partition:0,offset:42;partition:1,offset:300`, as strict as Flink: no blanks; the last of equal
    partitions wins.
    """

    name: str = "Offsets"

    def parse(self, text: str) -> Mapping[int, int]:
        # Java's split drops empty pieces only at the end.
        pieces = text.split(";")
        while len(pieces) > 1 and not pieces[-1]:
            pieces.pop()
        offsets: dict[int, int] = {}
        for piece in pieces:
            halves = piece.split(",")
            if len(halves) != 2 or not halves[0].startswith("partition:") or not halves[1].startswith("offset:"):
                raise ValueError("expects the form 'partition:0,offset:42;partition:1,offset:300'")
            try:
                partition = INTEGER.parse(halves[0].removeprefix("partition:"))
                offset = LONG.parse(halves[1].removeprefix("offset:"))
            except ValueError:
                raise ValueError(
                    "expects whole numbers in the form 'partition:0,offset:42;partition:1,offset:300'"
                ) from None
            if partition < 0 or offset < 0:
                raise ValueError("expects partitions and offsets that are not negative")
            offsets[partition] = offset
        return offsets


_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPE = re.compile(r"\\(?:u+([0-9A-Fa-f]{4})|([0-7]{1,3})|(.))", re.DOTALL)


def java_unescape(text: str) -> str:
    r"""Replaces Java's escapes by their characters.

    >>> java_unescape(r"\t"), java_unescape(r"\u0001")
    ('\t', '\x01')
    """

    def character(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        if found[2]:
            return chr(int(found[2], 8))
        return _ESCAPES.get(found[3], found[3])

    return _ESCAPE.sub(character, text)


@dataclass(frozen=True)
class CharacterKind:
    """Exactly one character. Flink reads Java's escapes in `field-delimiter` only."""

    unescape: bool = False
    name: str = "Character"

    def parse(self, text: str) -> str:
        character = java_unescape(text) if self.unescape else text
        if len(character) != 1:
            raise ValueError("expects exactly one character")
        return character


_JAVA_ONLY = re.compile(r"\\p\{|\\P\{|&&|\\[hHRX]|\(\?<[A-Za-z]")


@dataclass(frozen=True)
class PatternKind:
    """A regular expression that must match a whole name. Java's and Python's dialects agree in what names need."""

    name: str = "Pattern"

    def parse(self, text: str) -> re.Pattern[str]:
        if not 0 < len(text) <= 10_000:
            raise ValueError("expects a regular expression of 1 to 10000 characters")
        try:
            return re.compile(text)
        except (re.error, OverflowError, RecursionError) as error:
            if _JAVA_ONLY.search(text):
                raise ValueError("expects a regular expression without the parts that only Java knows") from None
            raise ValueError(f"expects a regular expression ({error})") from None


def quoted(texts: tuple[str, ...] | list[str]) -> str:
    """Puts texts in single quotes and joins them with commas.

    >>> quoted(("a", "b"))
    "'a', 'b'"
    """
    return ", ".join(f"'{text}'" for text in texts)


STRING = StringKind()
NON_EMPTY = StringKind(empty=False)
FORMAT = FormatKind()
BOOLEAN = BooleanKind()
INTEGER = NumberKind("Integer", -INT_MAX - 1, INT_MAX)
POSITIVE = NumberKind("Integer", 1, INT_MAX)
LONG = NumberKind("Long", -LONG_MAX - 1, LONG_MAX)
DURATION = DurationKind()
LIST = ListKind()
SPECIFIC_OFFSETS = SpecificOffsetsKind()
CHARACTER = CharacterKind()
PATTERN = PatternKind()
