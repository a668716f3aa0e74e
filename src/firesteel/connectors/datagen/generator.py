"""How a made-up column is filled, as a value made of its type and its options.

>>> read = read_generators((Field("id", types.Int()),), OptionValues({"fields.id.kind": FieldKind.SEQUENCE,
...     "fields.id.start": "1", "fields.id.end": "9"}))
>>> read.generators, read.rows
((InSequence(type=Int(nullable=True), start=1, end=9),), 9)
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

from firesteel import types
from firesteel.connectors.datagen import options as datagen
from firesteel.connectors.datagen.options import FieldKind
from firesteel.errors import Problem
from firesteel.options.option import Option
from firesteel.options.spelling import nearest
from firesteel.options.value import OptionValues
from firesteel.types import DataType, Field

T = TypeVar("T")


@dataclass(frozen=True)
class InSequence:
    type: DataType
    start: int
    end: int


@dataclass(frozen=True)
class _Random:
    """A generator of random values, some of which are NULL."""

    type: DataType
    null_rate: float = field(default=0.0, kw_only=True)


@dataclass(frozen=True)
class RandomBoolean(_Random):
    pass


@dataclass(frozen=True)
class RandomWhole(_Random):
    least: int
    most: int


@dataclass(frozen=True)
class RandomReal(_Random):
    least: float
    most: float


@dataclass(frozen=True)
class RandomDecimal(_Random):
    """`least` and `most` are unscaled."""

    type: types.Decimal
    least: int
    most: int


@dataclass(frozen=True)
class RandomText(_Random):
    length: int
    varies: bool = False


@dataclass(frozen=True)
class RandomBytes(_Random):
    length: int
    varies: bool = False


@dataclass(frozen=True)
class Now(_Random):
    """The date or the time of day."""


@dataclass(frozen=True)
class RecentTime(_Random):
    max_past_millis: int


@dataclass(frozen=True)
class Elements(_Random):
    """The elements of an array."""

    type: types.Array
    element: Generator
    length: int


@dataclass(frozen=True)
class Entries(_Random):
    """The entries of a map, or of a multiset, whose values are the numbers of occurrences."""

    key: Generator
    value: Generator
    length: int


@dataclass(frozen=True)
class Parts(_Random):
    """The fields of a row."""

    type: types.Row
    parts: tuple[Generator, ...]


Generator = (
    InSequence
    | RandomBoolean
    | RandomWhole
    | RandomReal
    | RandomDecimal
    | RandomText
    | RandomBytes
    | Now
    | RecentTime
    | Elements
    | Entries
    | Parts
)

#: What a column without `length` has.
_TEXT_LENGTH = 100
_COLLECTION_LENGTH = 3
#: How often an element is in a multiset, at most.
_MOST_OFTEN = 10

_WHOLE: dict[type[DataType], int] = {types.TinyInt: 8, types.SmallInt: 16, types.Int: 32, types.BigInt: 64}
#: The type of what a sequence of these begins and ends with, in bits.
_SEQUENCE_BITS: dict[type[DataType], int] = _WHOLE | {
    types.Char: 64,
    types.Varchar: 64,
    types.Binary: 64,
    types.Varbinary: 64,
    types.Float: 16,
    types.Double: 32,
    types.Decimal: 32,
}
_LEAST_FLOAT, _MOST_FLOAT = 2.0**-149, (2 - 2.0**-23) * 2.0**127
_LEAST_DOUBLE, _MOST_DOUBLE = 5e-324, sys.float_info.max


@dataclass(frozen=True)
class Generators:
    """What fills the columns, in their order; how many rows there are, if they end; and what is wrong with the options."""

    generators: tuple[Generator, ...]
    rows: int | None
    problems: tuple[Problem, ...] = ()


def read_generators(fields: tuple[Field, ...], options: OptionValues) -> Generators:
    reader = _Reader(options)
    generators = tuple(reader.column(field) for field in fields)
    reader.check_rest([field.name for field in fields])
    ends = [one.end - one.start + 1 for one in generators if isinstance(one, InSequence)]
    given = options.get(datagen.NUMBER_OF_ROWS)
    rows = min([*ends, *([given] if given is not None else [])], default=None)
    return Generators(generators, rows, tuple(reader.problems))


def check_fields(fields: tuple[Field, ...], options: OptionValues) -> tuple[Problem, ...]:
    return read_generators(fields, options).problems


def is_bounded(options: OptionValues) -> bool:
    return options.given(datagen.NUMBER_OF_ROWS) or any(
        value is FieldKind.SEQUENCE for key, value in options.values.items() if key.endswith(".kind")
    )


class _Reader:
    """Reads the options of columns, and remembers which of them mean something."""

    def __init__(self, options: OptionValues) -> None:
        self._options = options
        self._used: set[str] = set()
        self._types: dict[str, DataType] = {}
        self.problems: list[Problem] = []

    def _get(self, path: str, row: Option[T]) -> T | None:
        named = replace(row, key=row.key.replace("#", path))
        self._used.add(named.key)
        return self._options.get(named)

    def _wrong(self, path: str, row: Option[Any], message: str, hint: str) -> None:
        key = row.key.replace("#", path)
        self.problems.append(Problem(f"'{key}' {message}", self._options.spans.get(key), hint))

    def column(self, field: Field) -> Generator:
        if self._get(field.name, datagen.FIELD_KIND) is FieldKind.SEQUENCE:
            return self._sequence(field.name, field.type)
        return self._random(field.name, field.type)

    def _sequence(self, path: str, type: DataType) -> Generator:
        bits = _SEQUENCE_BITS.get(type.__class__)
        self._types[path] = type
        if bits is None:
            self._wrong(
                path,
                datagen.FIELD_KIND,
                f"is 'sequence', and a column of type {type.sql} has none.",
                "Remove it: the column is filled at random.",
            )
            self._used |= {row.key.replace("#", path) for row in (datagen.FIELD_START, datagen.FIELD_END)}
            return InSequence(type, 0, 0)
        start = self._whole(path, datagen.FIELD_START, bits, None)
        end = self._whole(path, datagen.FIELD_END, bits, None)
        kind = datagen.FIELD_KIND.key.replace("#", path)
        for row, value in ((datagen.FIELD_START, start), (datagen.FIELD_END, end)):
            key = row.key.replace("#", path)
            if value is None and key not in self._options.spans:
                message = f"'{kind}' is 'sequence' and needs '{key}'."
                self.problems.append(Problem(message, self._options.spans.get(kind), "Add it, a whole number."))
        if start is not None and end is not None and start > end:
            self._wrong(
                path, datagen.FIELD_END, f"is '{end}', below the start, '{start}'.", "Write them the other way round."
            )
        return InSequence(type, start or 0, max(end or 0, start or 0))

    def _random(self, path: str, type: DataType) -> Generator:
        self._types[path] = type
        match type:
            case types.Boolean():
                return RandomBoolean(type, null_rate=self._null_rate(path))
            case types.TinyInt() | types.SmallInt() | types.Int() | types.BigInt():
                bits = _WHOLE[type.__class__]
                low = self._whole(path, datagen.FIELD_MIN, bits, -(2 ** (bits - 1)))
                high = self._whole(path, datagen.FIELD_MAX, bits, 2 ** (bits - 1) - 1)
                self._check_range(path, low, high)
                return RandomWhole(type, low or 0, max(high or 0, low or 0), null_rate=self._null_rate(path))
            case types.Float() | types.Double():
                single = isinstance(type, types.Float)
                least = self._real(path, datagen.FIELD_MIN, _LEAST_FLOAT if single else _LEAST_DOUBLE)
                most = self._real(path, datagen.FIELD_MAX, _MOST_FLOAT if single else _MOST_DOUBLE)
                self._check_range(path, least, most)
                return RandomReal(type, least, max(most, least), null_rate=self._null_rate(path))
            case types.Decimal(precision, scale):
                least = self._real(path, datagen.FIELD_MIN, _LEAST_DOUBLE)
                most = self._real(path, datagen.FIELD_MAX, _MOST_DOUBLE)
                self._check_range(path, least, most)
                lowest, highest = (_unscaled(value, precision, scale) for value in (least, most))
                return RandomDecimal(type, lowest, max(highest, lowest), null_rate=self._null_rate(path))
            case types.Char(length):
                return RandomText(type, length, null_rate=self._null_rate(path))
            case types.Varchar(length):
                chosen = self._length(path, length)
                return RandomText(
                    type, chosen, self._get(path, datagen.FIELD_VAR_LEN) is True, null_rate=self._null_rate(path)
                )
            case types.Binary(length):
                return RandomBytes(type, length)
            case types.Varbinary(length):
                chosen = self._length(path, length)
                return RandomBytes(type, chosen, self._get(path, datagen.FIELD_VAR_LEN) is True)
            case types.Date() | types.Time():
                return Now(type)
            case types.Timestamp() | types.TimestampLtz():
                past = self._get(path, datagen.FIELD_MAX_PAST)
                return RecentTime(
                    type, past // timedelta(milliseconds=1) if past else 0, null_rate=self._null_rate(path)
                )
            case types.Array(element):
                made = self._random(f"{path}.element", element)
                return Elements(type, made, self._items(path), null_rate=self._null_rate(path))
            case types.Multiset(element):
                made = self._random(f"{path}.element", element)
                often = RandomWhole(types.Int(), 0, _MOST_OFTEN)
                return Entries(type, made, often, self._items(path), null_rate=self._null_rate(path))
            case types.Map(key, value):
                made = self._random(f"{path}.key", key)
                return Entries(
                    type, made, self._random(f"{path}.value", value), self._items(path), null_rate=self._null_rate(path)
                )
            case types.Row(fields):
                parts = tuple(self._random(f"{path}.{field.name}", field.type) for field in fields)
                return Parts(type, parts, null_rate=self._null_rate(path))
        raise AssertionError(f"{type} is no type of a column")

    def _whole(self, path: str, row: Option[str], bits: int, default: int | None) -> int | None:
        text = self._get(path, row)
        if text is None:
            return default
        low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        try:
            value = int(text) if len(text) <= 20 and text.isascii() and "_" not in text else high + 1
        except ValueError:
            value = high + 1
        if low <= value <= high:
            return value
        self._wrong(path, row, f"is '{text}', but expects a whole number from {low} to {high}.", "Change it.")
        return default

    def _real(self, path: str, row: Option[str], default: float) -> float:
        text = self._get(path, row)
        if text is None:
            return default
        try:
            value = float(text) if len(text) <= 400 and text.isascii() and "_" not in text else math.nan
        except ValueError:
            value = math.nan
        if math.isfinite(value):
            return value
        self._wrong(path, row, f"is '{text[:60]}', but expects a number.", "Write it with digits, such as '1.5'.")
        return default

    def _null_rate(self, path: str) -> float:
        text = self._get(path, datagen.FIELD_NULL_RATE)
        rate = self._real(path, datagen.FIELD_NULL_RATE, 0.0)
        if text is not None and not 0 <= rate <= 1:
            self._wrong(path, datagen.FIELD_NULL_RATE, f"is '{text}', but expects a number from 0 to 1.", "Change it.")
            return 0.0
        return rate

    def _check_range(self, path: str, least: float | None, most: float | None) -> None:
        if least is not None and most is not None and least > most:
            key = datagen.FIELD_MIN.key.replace("#", path)
            row = datagen.FIELD_MIN if key in self._options.spans else datagen.FIELD_MAX
            self._wrong(
                path, row, f"makes the range empty: from {least} to {most}.", "Write a 'min' that is not above 'max'."
            )

    def _length(self, path: str, declared: int) -> int:
        given = self._get(path, datagen.FIELD_LENGTH)
        if given is None:
            return _TEXT_LENGTH if declared == types.MAX_LENGTH else declared
        if given > declared:
            self._wrong(
                path,
                datagen.FIELD_LENGTH,
                f"is '{given}', longer than the column's {declared}.",
                f"Write '{declared}' or less, or declare the column longer.",
            )
            return declared
        return given

    def _items(self, path: str) -> int:
        return self._get(path, datagen.FIELD_LENGTH) or _COLLECTION_LENGTH

    def check_rest(self, columns: list[str]) -> None:
        """Reports options that belong to no column, or not to a column of its type."""
        for key, span in self._options.spans.items():
            if not key.startswith("fields.") or key in self._used:
                continue
            path = key.removeprefix("fields.").rpartition(".")[0]
            type = self._types.get(path)
            if type is not None:
                message = f"'{key}' is no option of a column of type {type.sql} that is filled like this."
                hint = "Remove it."
            else:
                message = f"'{key}' names no physical column: there is no '{path}'."
                close = nearest(path, columns, 0.6)
                hint = f"Write 'fields.{close}.…'." if close else f"Physical columns are {', '.join(columns)}."
            self.problems.append(Problem(message, span, hint))


def _unscaled(value: float, precision: int, scale: int) -> int:
    """Counts the column's least steps in a value, within what its type holds.

    >>> _unscaled(1.5, 5, 2), _unscaled(1e300, 5, 2), _unscaled(5e-324, 5, 2)
    (150, 99999, 0)
    """
    numerator, denominator = value.as_integer_ratio()
    steps: int = numerator * 10**scale // denominator
    most: int = 10**precision - 1
    return max(-most, min(most, steps))
