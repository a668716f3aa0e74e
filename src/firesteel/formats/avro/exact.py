"""Reads Avro's binary encoding, one record at a time."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import repeat

from firesteel import types
from firesteel.formats.avro.schema import is_micros
from firesteel.formats.codec import Reason
from firesteel.formats.java.number import fit_decimal, from_unscaled
from firesteel.types import DataType, Field

_FLOAT, _DOUBLE = struct.Struct("<f"), struct.Struct("<d")
_DAY_MILLIS = 86_400_000
_MIN_LONG, _MAX_LONG = -(2**63), 2**63 - 1


class BadRecord(ValueError):
    """A message that cannot be decoded into a row."""

    def __init__(self, reason: Reason, detail: str, index: int | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.index = index


class Corrupt(ValueError):
    """Bytes that are not Avro data of this schema."""


class TooLarge(ValueError):
    pass


class Input:
    """A message, and the position up to which it has been read."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        start, end = self.at, self.at + size
        if size < 0 or end > len(self.data):
            raise Corrupt("the message ends within a value")
        self.at = end
        return self.data[start:end]

    def varint(self, longest: int, bits: int) -> int:
        data, at = self.data, self.at
        number = shift = 0
        for offset in range(longest):
            if at + offset >= len(data):
                raise Corrupt("the message ends within a value")
            byte = data[at + offset]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.at = at + offset + 1
                # Java's arithmetic drops the higher bits.
                number &= (1 << bits) - 1
                return (number >> 1) ^ -(number & 1)
            shift += 7
        raise Corrupt("a number has too many bytes")

    def read_int(self) -> int:
        return self.varint(5, 32)

    def read_long(self) -> int:
        return self.varint(10, 64)


Reader = Callable[[Input], object]


class RecordReader:
    """Reads the wanted fields, given by their indexes, and skips the others."""

    def __init__(self, fields: Sequence[Field], wanted: Sequence[int], legacy: bool) -> None:
        order = {field_index: index for index, field_index in enumerate(wanted)}
        self._width = len(wanted)
        self._fields = [
            (
                order.get(field_index),
                _nullable(field.type, _value(field.type, legacy) if field_index in order else _raw(field.type)),
            )
            for field_index, field in enumerate(fields)
        ]

    def read(self, message: bytes) -> list[object]:
        """Decodes a message. Raises BadRecord."""
        source = Input(message)
        row: list[object] = [None] * self._width
        field_index = 0
        try:
            for index, read in self._fields:
                value = read(source)
                if index is not None:
                    row[index] = value
                field_index += 1
        except Corrupt as error:
            raise BadRecord(Reason.MALFORMED, str(error)) from None
        except TooLarge as error:
            raise BadRecord(Reason.TOO_LARGE, str(error)) from None
        except (ValueError, ArithmeticError) as error:
            raise BadRecord(Reason.BAD_VALUE, str(error), field_index) from None
        if source.at != len(message):
            # Flink would read them as the start of the next record.
            raise BadRecord(Reason.MALFORMED, f"{len(message) - source.at} bytes are left behind the record")
        return row


def _nullable(data_type: DataType, read: Reader) -> Reader:
    if not data_type.nullable:
        return read

    def branch(source: Input) -> object:
        match source.read_int():
            case 0:
                return None
            case 1:
                return read(source)
        raise Corrupt("a union has a branch that is neither NULL nor the column's type")

    return branch


def _raw(data_type: DataType) -> Reader:
    """Returns a reader of Avro's primitive type, without the logical type."""
    match data_type:
        case types.Boolean():
            return lambda source: source.take(1) == b"\1"
        case types.TinyInt() | types.SmallInt() | types.Int() | types.Date() | types.Time():
            return Input.read_int
        case types.BigInt() | types.Timestamp() | types.TimestampLtz():
            return Input.read_long
        case types.Float():
            return read_float
        case types.Double():
            return read_double
        case types.Char() | types.Varchar() | types.Binary() | types.Varbinary() | types.Decimal():
            return lambda source: source.take(source.read_long())
        case types.Array(element):
            return _array(_nullable(element, _raw(element)))
        case types.Map(_, value):
            return map_reader(_nullable(value, _raw(value)))
        case types.Multiset():
            return map_reader(Input.read_int)
        case types.Row(fields):
            return _row([(field.name, _nullable(field.type, _raw(field.type))) for field in fields])
    raise ValueError(f"'{data_type}' has no place in Avro.")


def _value(data_type: DataType, legacy: bool) -> Reader:
    """Returns a reader of values as Arrow takes them."""
    raw = _raw(data_type)
    match data_type:
        case types.TinyInt():
            return lambda source: (source.read_int() + 2**7) % 2**8 - 2**7
        case types.SmallInt():
            return lambda source: (source.read_int() + 2**15) % 2**16 - 2**15
        case types.Char() | types.Varchar():
            # Like Java, put U+FFFD for bytes that are not UTF-8.
            return lambda source: source.take(source.read_long()).decode("utf-8", errors="replace")
        case types.Decimal(precision, scale):
            return lambda source: to_decimal(source.take(source.read_long()), precision, scale)
        case types.Time():
            return lambda source: read_time(source.read_int())
        case types.Timestamp() | types.TimestampLtz():
            if is_micros(data_type, legacy):
                return raw
            return lambda source: read_millis(source.read_long())
        case types.Array(element):
            return _array(_nullable(element, _value(element, legacy)))
        case types.Map(_, value):
            return map_reader(_nullable(value, _value(value, legacy)))
        case types.Row(fields):
            return _row([(field.name, _nullable(field.type, _value(field.type, legacy))) for field in fields])
    return raw


def read_float(source: Input) -> float:
    value: float = _FLOAT.unpack(source.take(4))[0]
    return value


def read_double(source: Input) -> float:
    value: float = _DOUBLE.unpack(source.take(8))[0]
    return value


def to_decimal(unscaled: bytes, precision: int, scale: int, written: int | None = None) -> Decimal | None:
    """Reads an unscaled number as a DECIMAL. `written` is the scale that the writer used, if it is another one."""
    if not unscaled:
        raise ValueError("a decimal has no bytes")
    if len(unscaled) > 64:
        return None
    number = from_unscaled(int.from_bytes(unscaled, "big", signed=True), scale if written is None else written)
    return fit_decimal(number, precision, scale) if number else Decimal((0, (0,), -scale))


def read_time(millis: int) -> int:
    if not 0 <= millis < _DAY_MILLIS:
        raise ValueError(f"'{millis}' is no time of the day in milliseconds")
    return millis * 1_000_000


def read_millis(millis: int) -> int:
    micros = millis * 1000
    if not _MIN_LONG <= micros <= _MAX_LONG:
        raise ValueError(f"'{millis}' is out of range for a timestamp")
    return micros


def _array(read: Reader) -> Reader:
    return lambda source: [read(source) for _ in items(source)]


def map_reader(read: Reader) -> Reader:
    def entries(source: Input) -> object:
        result: dict[str, object] = {}
        for _ in items(source):
            name = source.take(source.read_long()).decode("utf-8", errors="replace")
            result[name] = read(source)
        return list(result.items())

    return entries


def _row(readers: Sequence[tuple[str, Reader]]) -> Reader:
    return lambda source: {name: read(source) for name, read in readers}


def items(source: Input) -> Iterator[None]:
    """Yields once for each item of an array or a map, which are written in counted blocks."""
    while True:
        count = source.read_long()
        if count == 0:
            return
        if count < 0:
            # A negative count is followed by the block's size in bytes, which readers may use to skip it.
            count = -count
            source.read_long()
        if count > len(source.data) - source.at:
            # Every item has at least one byte.
            raise TooLarge(f"an array or map says it has {count} items, more than the message has bytes")
        yield from repeat(None, count)
