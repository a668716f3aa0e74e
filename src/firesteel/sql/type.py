"""Reads Flink's types as they are written: `DECIMAL(10, 2)`, `ROW<a INT NOT NULL, b ARRAY<STRING>>`, `INT ARRAY`.

Where Flink's SQL differs from the table in its documentation, this follows its SQL: VARCHAR and VARBINARY without a
length have the greatest length, CHAR and BINARY have length 1.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import Span
from firesteel.sql.cursor import Cursor
from firesteel.sql.interval import MONTH_UNITS, UNITS
from firesteel.sql.token import Kind, Token
from firesteel.types import (
    BYTES,
    MAX_LENGTH,
    STRING,
    Array,
    BigInt,
    Binary,
    Boolean,
    Char,
    DataType,
    Date,
    Decimal,
    Double,
    Field,
    Float,
    Int,
    Interval,
    Map,
    Multiset,
    Row,
    SmallInt,
    Time,
    Timestamp,
    TimestampLtz,
    TinyInt,
    Varbinary,
    Varchar,
)

_PLAIN: dict[str, DataType] = {
    "BOOLEAN": Boolean(),
    "TINYINT": TinyInt(),
    "SMALLINT": SmallInt(),
    "INT": Int(),
    "INTEGER": Int(),
    "BIGINT": BigInt(),
    "FLOAT": Float(),
    "STRING": STRING,
    "BYTES": BYTES,
    "DATE": Date(),
}

#: Types of Flink or of other systems that are refused by name, and what to write instead.
_REFUSED: dict[str, str] = {
    "RAW": "Write BYTES.",
    "STRUCTURED": "Write ROW<…>.",
    "VARIANT": "Write STRING and read it with JSON_VALUE.",
    "DESCRIPTOR": "Name a column: DESCRIPTOR(column).",
    "ANY": "Write the type itself.",
    "REAL": "Write FLOAT.",
    "NULL": "Write the type itself.",
    "TEXT": "Write STRING.",
    "LONG": "Write BIGINT.",
    "BOOL": "Write BOOLEAN.",
    "SHORT": "Write SMALLINT.",
    "BYTE": "Write TINYINT.",
    "DATETIME": "Write TIMESTAMP(3).",
    "NUMBER": "Write DECIMAL(p, s).",
    "STRUCT": "Write ROW<…>.",
    "BLOB": "Write BYTES.",
    "CLOB": "Write STRING.",
    "JSON": "Write STRING and read it with JSON_VALUE.",
    "UUID": "Write STRING.",
}


class TypeParser(Cursor):
    def type(self) -> DataType:
        """Read a type with its nullability: `INT`, `INT NOT NULL`, `INT NOT NULL ARRAY`."""
        self.enter()
        type_ = self._nullability(self._base_type())
        depth = self.depth
        while token := self.accept("ARRAY", "MULTISET"):
            self.enter()
            type_ = self._nullability(Array(type_) if token.key == "ARRAY" else Multiset(type_))
        self.depth = depth
        self.leave()
        return type_

    def _nullability(self, type_: DataType) -> DataType:
        if self.accept_sequence("NOT", "NULL"):
            return type_.not_null()
        # In `RETURNING INTEGER NULL ON EMPTY` the word belongs to what follows.
        if not self.at_sequence("NULL", "ON"):
            self.accept("NULL")
        return type_

    def _base_type(self) -> DataType:
        token = self.token
        if token.kind is not Kind.WORD:
            self.fail("a type")
        build = _BUILDERS.get(token.key)
        if build is None and token.key not in _PLAIN:
            return self._unknown_type()
        self.advance()
        return build(self, token) if build is not None else _PLAIN[token.key]

    def _unknown_type(self) -> DataType:
        token = self.token
        known = [*_PLAIN, *_BUILDERS]
        if self.tried is not None:
            self.tried.setdefault(self.index, set()).update(known)
        if token.key in _REFUSED:
            hint: str | None = _REFUSED[token.key]
            message = f"'{token.value}' is a type that is not supported."
        else:
            import difflib  # only a script with a mistake needs it

            nearest = difflib.get_close_matches(token.key, known, n=1, cutoff=0.7)
            hint = f"Did you mean {nearest[0]}?" if nearest else None
            message = f"'{token.value}' is not a type."
        # A word that takes parameters here is taken for a misspelt type, and reading goes on behind it; anything else
        # is more likely a clause in the wrong place.
        if token.key in _REFUSED or self.peek().key in ("(", "<", ",", ")", "NOT", "METADATA", "COMMENT", ">"):
            self.advance()
            self._skip_parameters()
            self.note(message, token.span, hint)
            return STRING
        self.refuse(message, token.span, hint)

    def _skip_parameters(self) -> None:
        pairs = {"(": ")", "<": ">"}
        if self.token.key not in pairs:
            return
        expected: list[str] = []
        while self.token.kind is not Kind.END:
            key = self.advance().key
            if key in pairs:
                expected.append(pairs[key])
            elif expected and key == expected[-1]:
                expected.pop()
            if not expected:
                return
        self.fail("')'")

    # --- parameters -----------------------------------------------------------------------------------------------

    def _integer(self) -> tuple[int, Span]:
        token = self.token
        if token.kind is not Kind.NUMBER or not token.value.isdigit():
            self.fail("a whole number")
        self.advance()
        # Longer than any limit of a type; int() refuses thousands of digits.
        return (int(token.value) if len(token.value) < 20 else 10**20), token.span

    def _parameter(self, type_name: str, what: str, default: int, low: int, high: int) -> int:
        """Read `(n)` or nothing. A number out of range is a problem, and the nearest allowed one is used."""
        if not self.accept("("):
            return default
        number, span = self._integer()
        self.expect(")")
        return self._checked(number, span, type_name, what, low, high)

    def _checked(self, number: int, span: Span, type_name: str, what: str, low: int, high: int) -> int:
        if low <= number <= high:
            return number
        written = self.text[span.start : span.end][:40]
        self.note(f"'{written}' is no {what} of {type_name}.", span, f"Write a number from {low} to {high}.")
        return min(max(number, low), high)

    # --- types with parameters ---------------------------------------------------------------------------------

    def _character(self, token: Token) -> DataType:
        if token.key != "VARCHAR" and not self.accept("VARYING"):
            return Char(self._parameter(token.key, "length", 1, 1, MAX_LENGTH))
        return Varchar(self._parameter("VARCHAR", "length", MAX_LENGTH, 1, MAX_LENGTH))

    def _binary(self, token: Token) -> DataType:
        if token.key != "VARBINARY" and not self.accept("VARYING"):
            return Binary(self._parameter(token.key, "length", 1, 1, MAX_LENGTH))
        return Varbinary(self._parameter("VARBINARY", "length", MAX_LENGTH, 1, MAX_LENGTH))

    def _double(self, _: Token) -> DataType:
        self.accept("PRECISION")
        return Double()

    def _decimal(self, token: Token) -> DataType:
        if not self.accept("("):
            return Decimal(10, 0)
        number, span = self._integer()
        precision = self._checked(number, span, token.key, "precision", 1, 38)
        scale = 0
        if self.accept(","):
            number, span = self._integer()
            scale = self._checked(number, span, f"{token.key}({precision}, …)", "scale", 0, precision)
        self.expect(")")
        return Decimal(precision, scale)

    def _time(self, token: Token) -> DataType:
        precision = self._parameter("TIME", "precision", 0, 0, 9)
        self._zone(token, local_allowed=False)
        return Time(precision)

    def _timestamp(self, token: Token) -> DataType:
        precision = self._parameter("TIMESTAMP", "precision", 6, 0, 9)
        if self._zone(token, local_allowed=True):
            return TimestampLtz(precision)
        return Timestamp(precision)

    def _timestamp_ltz(self, _: Token) -> DataType:
        return TimestampLtz(self._parameter("TIMESTAMP_LTZ", "precision", 6, 0, 9))

    def _zone(self, token: Token, *, local_allowed: bool) -> bool:
        """Read `WITHOUT TIME ZONE` or `WITH LOCAL TIME ZONE`; return whether it was the latter."""
        if self.accept_sequence("WITHOUT", "TIME", "ZONE"):
            return False
        if not self.at_sequence("WITH", "LOCAL") and not self.at_sequence("WITH", "TIME"):
            return False
        self.advance()
        local = bool(self.accept("LOCAL"))
        self.expect_sequence("TIME", "ZONE")
        if not local or not local_allowed:
            zone = "WITH LOCAL TIME ZONE" if local else "WITH TIME ZONE"
            hint = "Write TIMESTAMP_LTZ(3)." if token.key == "TIMESTAMP" else "Write TIME."
            self.note(f"'{token.key} {zone}' is a type that is not supported.", self.span_from(token), hint)
        return local

    def _array(self, _: Token) -> DataType:
        return Array(self._element())

    def _multiset(self, _: Token) -> DataType:
        return Multiset(self._element())

    def _element(self) -> DataType:
        self.expect("<")
        element = self.type()
        self.expect(">")
        return element

    def _map(self, _: Token) -> DataType:
        self.expect("<")
        key = self.type()
        self.expect(",")
        value = self.type()
        self.expect(">")
        return Map(key, value)

    def _row(self, _: Token) -> DataType:
        closing = {"(": ")", "<": ">"}.get(self.token.key)
        if closing is None:
            self.fail("a list of fields", "Write ROW<name TYPE, …>.")
        self.advance()
        fields = self.list_of(self._field)
        self.close(closing)
        return Row(tuple(fields))

    def _field(self) -> Field:
        name = self.name("a field name")
        type_ = self.type()
        if self.token.kind is Kind.STRING:
            self.advance()  # a comment
        return Field(name.text, type_)

    def _interval(self, _: Token) -> DataType:
        start, _precision = self.interval_unit()
        if self.accept("TO"):
            self.interval_unit()
        return Interval(months=start in MONTH_UNITS)

    def interval_unit(self) -> tuple[str, int]:
        """Read a unit of an interval, in capitals, and how many digits it may have: two unless written otherwise."""
        token = self.accept(*UNITS, *(f"{unit}S" for unit in UNITS))
        if token is None:
            self.fail("a unit of time such as DAY")
        unit = token.key.removesuffix("S")
        precision = 2
        if self.accept("("):
            number, span = self._integer()
            precision = self._checked(number, span, unit, "precision", 0, 10)
            if self.accept(","):
                self._integer()
            self.expect(")")
        return unit, precision


_BUILDERS: dict[str, Callable[[TypeParser, Token], DataType]] = {
    "CHAR": TypeParser._character,
    "CHARACTER": TypeParser._character,
    "VARCHAR": TypeParser._character,
    "BINARY": TypeParser._binary,
    "VARBINARY": TypeParser._binary,
    "DOUBLE": TypeParser._double,
    "DECIMAL": TypeParser._decimal,
    "DEC": TypeParser._decimal,
    "NUMERIC": TypeParser._decimal,
    "TIME": TypeParser._time,
    "TIMESTAMP": TypeParser._timestamp,
    "TIMESTAMP_LTZ": TypeParser._timestamp_ltz,
    "ARRAY": TypeParser._array,
    "MULTISET": TypeParser._multiset,
    "MAP": TypeParser._map,
    "ROW": TypeParser._row,
    "INTERVAL": TypeParser._interval,
}
