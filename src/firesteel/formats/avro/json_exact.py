"""Reads Avro's JSON encoding, one record at a time, in the order in which Avro's own reader takes the tokens.

Fields may come in any order, with others between them. A union is `null` or an object with the branch's name, as in
`{"long": 7}`. What follows the last field that is needed is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel import types
from firesteel.formats.avro.exact import BadRecord, Corrupt, read_millis, read_time, to_decimal
from firesteel.formats.avro.schema import NAMESPACE, is_micros
from firesteel.formats.codec import Reason
from firesteel.formats.java import number as java_number
from firesteel.formats.java.text import to_utf8_text
from firesteel.formats.json.exact import RANGES
from firesteel.formats.json.limit import TooLarge
from firesteel.formats.json.token import Kind, MalformedJson, Token, read_strict_tokens
from firesteel.types import DataType, Field

_NUMBERS = (Kind.INTEGER, Kind.FLOATING)
_BRANCHES: tuple[tuple[tuple[type[DataType], ...], str], ...] = (
    ((types.Boolean,), "boolean"),
    ((types.TinyInt, types.SmallInt, types.Int, types.Date, types.Time), "int"),
    ((types.BigInt, types.Timestamp, types.TimestampLtz), "long"),
    ((types.Float,), "float"),
    ((types.Double,), "double"),
    (types.CHARACTER, "string"),
    ((*types.BINARY, types.Decimal), "bytes"),
    ((types.Array,), "array"),
    ((types.Map, types.Multiset), "map"),
)


def branch_name(data_type: DataType, record: str) -> str:
    """Returns the name of a type's branch in a union. `record` is the full name of the type's record."""
    for kinds, name in _BRANCHES:
        if isinstance(data_type, kinds):
            return name
    return f"{NAMESPACE}.{record}"


class _Source:
    """A list of tokens, and the position up to which they have been read."""

    __slots__ = ("_tokens", "at")

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self.at = 0

    @property
    def token(self) -> Token:
        if self.at >= len(self._tokens):
            raise Corrupt("the message ends within a value")
        return self._tokens[self.at]

    def expect(self, kind: Kind, what: str) -> str:
        token = self.token
        if token.kind is not kind:
            raise Corrupt(f"'{java_number.shorten(token.text)}' stands where {what} is expected")
        self.at += 1
        return token.text

    def number(self, what: str) -> Token:
        token = self.token
        if token.kind not in _NUMBERS:
            raise Corrupt(f"'{java_number.shorten(token.text)}' stands where {what} is expected")
        self.at += 1
        return token

    def value(self) -> Sequence[Token]:
        """Returns the tokens of the next value."""
        start, depth = self.at, 0
        while True:
            kind = self.token.kind
            self.at += 1
            depth += (kind in (Kind.START_OBJECT, Kind.START_ARRAY)) - (kind in (Kind.END_OBJECT, Kind.END_ARRAY))
            if depth <= 0:
                return self._tokens[start : self.at]

    def close(self) -> None:
        """Moves behind the next token that ends an object, as Avro does."""
        while self.token.kind is not Kind.END_OBJECT:
            self.at += 1
        self.at += 1


Reader = Callable[[_Source], object]


class JsonRecordReader:
    """Reads the wanted fields, given by their indexes, and skips the others."""

    def __init__(self, fields: Sequence[Field], wanted: Sequence[int], legacy: bool) -> None:
        order = {field_index: index for index, field_index in enumerate(wanted)}
        self._width = len(wanted)
        self._fields = [
            (
                order.get(field_index),
                field.name,
                _nullable(field.type, f"record_{field.name}", legacy) if field_index in order else _Source.value,
            )
            for field_index, field in enumerate(fields)
        ]

    def read(self, message: bytes) -> list[object]:
        """Decodes a message. Raises BadRecord."""
        row: list[object] = [None] * self._width
        field_index = 0
        try:
            members = _Members(_Source(read_strict_tokens(message)))
            for index, name, read in self._fields:
                value = read(members.find(name))
                if index is not None:
                    row[index] = value
                field_index += 1
        except (MalformedJson, Corrupt) as error:
            raise BadRecord(Reason.MALFORMED, str(error)) from None
        except TooLarge as error:
            raise BadRecord(Reason.TOO_LARGE, str(error)) from None
        except (ValueError, ArithmeticError) as error:
            raise BadRecord(Reason.BAD_VALUE, str(error), field_index) from None
        return row


class _Members:
    """Finds a record's members by name. Members that come before the wanted one are kept for later."""

    def __init__(self, source: _Source) -> None:
        source.expect(Kind.START_OBJECT, "a record")
        self._source = source
        self._kept: dict[str, Sequence[Token]] = {}

    def find(self, name: str) -> _Source:
        kept = self._kept.pop(name, None)
        if kept is not None:
            return _Source(kept)
        source = self._source
        while source.token.kind is Kind.NAME:
            found = source.token.text
            source.at += 1
            if found == name:
                return source
            self._kept[found] = source.value()
        raise Corrupt(f"the record has no field '{name}'")


def _nullable(data_type: DataType, record: str, legacy: bool) -> Reader:
    read = _value(data_type, record, legacy)
    if not data_type.nullable:
        return read
    branch = branch_name(data_type, record)

    def union(source: _Source) -> object:
        if source.token.kind is Kind.NULL:
            source.at += 1
            return None
        source.expect(Kind.START_OBJECT, "null or an object with a type's name")
        name = source.expect(Kind.NAME, "a type's name")
        if name == "null":
            source.expect(Kind.NULL, "null")
            value: object = None
        elif name == branch:
            value = read(source)
        else:
            raise Corrupt(f"'{java_number.shorten(name)}' is no branch of a union that can be null or '{branch}'")
        source.close()
        return value

    return union


def _value(data_type: DataType, record: str, legacy: bool) -> Reader:
    """Returns a reader of values as Arrow takes them."""
    match data_type:
        case types.Boolean():
            return _boolean
        case types.TinyInt():
            return lambda source: (_int(source) + 2**7) % 2**8 - 2**7
        case types.SmallInt():
            return lambda source: (_int(source) + 2**15) % 2**16 - 2**15
        case types.Int() | types.Date():
            return _int
        case types.Time():
            return lambda source: read_time(_int(source))
        case types.BigInt():
            return _long
        case types.Timestamp() | types.TimestampLtz():
            return _long if is_micros(data_type, legacy) else lambda source: read_millis(_long(source))
        case types.Float():
            return _float
        case types.Double():
            return lambda source: float(source.number("a number").text)
        case types.Char() | types.Varchar():
            return lambda source: to_utf8_text(source.expect(Kind.STRING, "a string"))
        case types.Binary() | types.Varbinary():
            return _bytes
        case types.Decimal(precision, scale):
            return lambda source: to_decimal(_bytes(source), precision, scale)
        case types.Array(element):
            return _array(_nullable(element, record, legacy))
        case types.Map(_, value):
            return _map(_nullable(value, record, legacy))
        case types.Multiset():
            return _map(_int)
        case types.Row(fields):
            return _row([(item.name, _nullable(item.type, f"{record}_{item.name}", legacy)) for item in fields])
    raise ValueError(f"'{data_type}' has no place in Avro.")


def _boolean(source: _Source) -> bool:
    kind = source.token.kind
    if kind is not Kind.TRUE and kind is not Kind.FALSE:
        source.expect(Kind.TRUE, "true or false")
    source.at += 1
    return kind is Kind.TRUE


def _whole(low: int, high: int) -> Callable[[_Source], int]:
    def read(source: _Source) -> int:
        kind, text = source.number("a number")
        if kind is Kind.INTEGER:
            return java_number.parse_integer(text, low, high)
        value = float(text)
        if not float(low) <= value <= float(high):
            raise ValueError(f"'{java_number.shorten(text)}' is out of range")
        return min(max(int(value), low), high)

    return read


_int, _long = _whole(*RANGES[types.Int]), _whole(*RANGES[types.BigInt])


def _float(source: _Source) -> float:
    # Avro reads a 64-bit number first, so the value is rounded twice.
    return java_number.to_float(float(source.number("a number").text), "")


def _bytes(source: _Source) -> bytes:
    """Decodes each character as one byte."""
    return source.expect(Kind.STRING, "a string of bytes").encode("latin-1", "replace")


def _array(read: Reader) -> Reader:
    def elements(source: _Source) -> object:
        source.expect(Kind.START_ARRAY, "an array")
        result: list[object] = []
        while source.token.kind is not Kind.END_ARRAY:
            result.append(read(source))
        source.at += 1
        return result

    return elements


def _map(read: Reader) -> Reader:
    def entries(source: _Source) -> object:
        source.expect(Kind.START_OBJECT, "a map")
        result: dict[str, object] = {}
        while source.token.kind is not Kind.END_OBJECT:
            name = to_utf8_text(source.expect(Kind.NAME, "a key"))
            result[name] = read(source)
        source.at += 1
        return list(result.items())

    return entries


def _row(readers: Sequence[tuple[str, Reader]]) -> Reader:
    def record(source: _Source) -> object:
        members = _Members(source)
        row = {name: read(members.find(name)) for name, read in readers}
        source.close()
        return row

    return record
