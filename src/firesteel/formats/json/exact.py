"""Reads JSON by Flink's rules, one message at a time.

Values are Python values that Arrow takes: days for DATE, microseconds for timestamps, nanoseconds for TIME.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from firesteel import types
from firesteel.formats.codec import Reason
from firesteel.formats.java import jackson
from firesteel.formats.java import number as java_number
from firesteel.formats.java import time as java_time
from firesteel.formats.java.text import to_utf8_text
from firesteel.formats.json.cursor import Cursor, tree_text
from firesteel.formats.json.limit import TooLarge
from firesteel.formats.json.settings import JsonSettings
from firesteel.formats.json.token import Kind, MalformedJson, Token, read_tokens, read_whole_elements
from firesteel.types import DataType, Field

_NUMBERS = (Kind.INTEGER, Kind.FLOATING)
RANGES: dict[type[DataType], tuple[int, int]] = {
    types.TinyInt: (-(2**7), 2**7 - 1),
    types.SmallInt: (-(2**15), 2**15 - 1),
    types.Int: (-(2**31), 2**31 - 1),
    types.BigInt: (-(2**63), 2**63 - 1),
}


class BadMessage(ValueError):
    """A message that cannot be decoded into rows."""

    def __init__(self, reason: Reason, detail: str, column: str | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.column = column


@dataclass(frozen=True)
class BadField:
    """An ignored parse error. The field in `column` became NULL; without a column, a row was left out."""

    column: str | None
    detail: str
    reason: Reason = Reason.BAD_VALUE


Converter = Callable[[Cursor], object]


class RowReader:
    """Reads a message into rows of the wanted fields. If the `table` has a DECIMAL anywhere, fractions that are printed
    as text are exact.
    """

    def __init__(self, fields: Sequence[Field], settings: JsonSettings, table: Sequence[Field]) -> None:
        self._settings = settings
        self._exact_trees = any(has_decimal(item.type) for item in table)
        self._fields = {item.name: (index, self._nullable(item.type)) for index, item in enumerate(fields)}
        self._width = len(fields)

    def read(self, message: bytes) -> tuple[list[list[object]], list[BadField]]:
        """Reads a message. Returns its rows, and the fields that had to be ignored. Raises BadMessage."""
        rows: list[list[object]] = []
        bad: list[BadField] = []
        for tokens in self._elements(message, bad):
            cursor = Cursor(tokens)
            if cursor.is_on(Kind.NULL):
                continue
            try:
                if not cursor.is_on(Kind.START_OBJECT):
                    raise BadMessage(Reason.MALFORMED, "an element of the message's array is not an object")
                rows.append(self._read_row(cursor, bad))
            except BadMessage as error:
                if not self._settings.ignore_parse_errors:
                    raise
                bad.append(BadField(error.column, error.detail, error.reason))
        return rows, bad

    def _elements(self, message: bytes, bad: list[BadField]) -> list[list[Token]]:
        """Splits the message into the tokens of each row. Where errors are ignored, an array that breaks off gives the
        elements before the break.
        """
        try:
            return read_tokens(message)
        except MalformedJson as error:
            whole = read_whole_elements(message) if self._settings.ignore_parse_errors else []
            if not whole:
                raise BadMessage(Reason.MALFORMED, str(error)) from None
            bad.append(BadField(None, str(error), Reason.MALFORMED))
            return whole
        except TooLarge as error:
            raise BadMessage(Reason.TOO_LARGE, str(error)) from None

    def _read_row(self, cursor: Cursor, bad: list[BadField]) -> list[object]:
        row: list[object] = [None] * self._width
        try:
            seen = 0
            cursor.at += 1
            while not cursor.is_on(Kind.END_OBJECT):
                # A repeated name counts twice, and once as many names as columns were read, the rest is skipped.
                known = self._fields.get(cursor.token.text) if seen < self._width else None
                if seen < self._width:
                    name = cursor.token.text
                    cursor.at += 1
                if known is None:
                    cursor.skip()
                    continue
                index, converter = known
                try:
                    row[index] = converter(cursor)
                except (ValueError, ArithmeticError) as error:
                    raise BadMessage(Reason.BAD_VALUE, str(error), name) from None
                if cursor.bad:
                    bad.extend(BadField(name, detail) for detail in cursor.bad)
                    cursor.bad.clear()
                cursor.at += 1
                seen += 1
        except BadMessage:
            raise
        except ValueError as error:
            raise BadMessage(Reason.MALFORMED, str(error)) from None
        if seen < self._width and self._settings.fail_on_missing_field:
            missing = [name for name, (index, _) in self._fields.items() if row[index] is None]
            detail = f"the message has no field '{missing[0]}'" if missing else "a field is missing"
            raise BadMessage(Reason.MISSING_FIELD, detail, missing[0] if missing else None)
        return row

    def _nullable(self, data_type: DataType) -> Converter:
        convert = self._converter(data_type)
        ignore = self._settings.ignore_parse_errors

        def read(cursor: Cursor) -> object:
            if cursor.at >= len(cursor.tokens) or cursor.is_on(Kind.NULL):
                return None
            try:
                return convert(cursor)
            except (ValueError, ArithmeticError) as error:
                if not ignore:
                    raise
                cursor.bad.append(str(error))
                return None

        return read

    def _converter(self, data_type: DataType) -> Converter:
        match data_type:
            case types.Null():
                return lambda cursor: None
            case types.Boolean():
                return _boolean
            case types.TinyInt() | types.SmallInt():
                return _narrow_integer(*RANGES[type(data_type)])
            case types.Int() | types.BigInt():
                return _wide_integer(*RANGES[type(data_type)])
            case types.Float():
                return _float
            case types.Double():
                return _double
            case types.Decimal(precision, scale):
                return _decimal(precision, scale)
            case types.Char() | types.Varchar():
                return self._string
            case types.Binary() | types.Varbinary():
                return _binary
            case types.Date():
                return lambda cursor: java_time.parse_date(cursor.token.text)
            case types.Time():
                return lambda cursor: self._settings.parse_time(cursor.token.text) * 1_000_000
            case types.Timestamp():
                style = self._settings.timestamp
                return lambda cursor: java_time.parse_timestamp(cursor.token.text, style)
            case types.TimestampLtz():
                style_ltz = self._settings.timestamp_ltz
                return lambda cursor: java_time.parse_timestamp(cursor.token.text, style_ltz)
            case types.Array(element):
                return self._array(element)
            case types.Map(key, value):
                return self._map(key, value)
            case types.Multiset(element):
                return self._map(element, types.Int())
            case types.Row(fields):
                return self._row(fields)
        raise ValueError(f"'{data_type}' cannot be read from JSON.")

    def _string(self, cursor: Cursor) -> str:
        if cursor.token.kind in (Kind.START_OBJECT, Kind.START_ARRAY):
            return to_utf8_text(tree_text(cursor, self._exact_trees))
        return to_utf8_text(cursor.token.text)

    def _array(self, element: DataType) -> Converter:
        convert = self._nullable(element)

        def read(cursor: Cursor) -> object:
            if not cursor.is_on(Kind.START_ARRAY):
                raise ValueError(f"{_describe(cursor.token)} is not a JSON array")
            result: list[object] = []
            cursor.at += 1
            while not cursor.is_on(Kind.END_ARRAY):
                result.append(convert(cursor))
                cursor.at += 1
            return result

        return read

    def _map(self, key: DataType, value: DataType) -> Converter:
        if not isinstance(key, types.CHARACTER):
            raise ValueError(f"'MAP<{key}, {value}>' has a key that is no string. JSON names are strings: use STRING.")
        convert = self._nullable(value)

        def read(cursor: Cursor) -> object:
            if not cursor.is_on(Kind.START_OBJECT):
                raise ValueError(f"{_describe(cursor.token)} is not a JSON object")
            result: dict[str, object] = {}
            cursor.at += 1
            while not cursor.is_on(Kind.END_OBJECT):
                name = to_utf8_text(cursor.token.text)
                cursor.at += 1
                result[name] = convert(cursor)
                cursor.at += 1
            return list(result.items())

        return read

    def _row(self, fields: tuple[Field, ...]) -> Converter:
        converters = {item.name: self._nullable(item.type) for item in fields}
        fail_on_missing = self._settings.fail_on_missing_field

        def read(cursor: Cursor) -> object:
            if not cursor.is_on(Kind.START_OBJECT):
                raise ValueError(f"{_describe(cursor.token)} is not a JSON object")
            result: dict[str, object] = dict.fromkeys(converters)
            seen = 0
            cursor.at += 1
            while not cursor.is_on(Kind.END_OBJECT):
                if seen >= len(converters):
                    cursor.skip()
                    continue
                name = cursor.token.text
                cursor.at += 1
                convert = converters.get(name)
                if convert is None:
                    cursor.skip()
                    continue
                result[name] = convert(cursor)
                cursor.at += 1
                seen += 1
            if seen < len(converters) and fail_on_missing:
                raise ValueError("a nested field is missing")
            return result

        return read


def has_decimal(data_type: DataType) -> bool:
    match data_type:
        case types.Decimal():
            return True
        case types.Array(element) | types.Multiset(element):
            return has_decimal(element)
        case types.Map(key, value):
            return has_decimal(key) or has_decimal(value)
        case types.Row(fields):
            return any(has_decimal(item.type) for item in fields)
    return False


def _describe(token: Token) -> str:
    return f"'{java_number.shorten(token.text)}'"


def _boolean(cursor: Cursor) -> bool:
    kind = cursor.token.kind
    if kind is Kind.TRUE or kind is Kind.FALSE:
        return kind is Kind.TRUE
    # Java's parseBoolean: any text other than "true" is false, and none is an error.
    return cursor.token.text.strip(java_number.JAVA_SPACE).lower() == "true"


def _narrow_integer(low: int, high: int) -> Converter:
    def read(cursor: Cursor) -> int:
        return java_number.parse_integer(cursor.token.text.strip(java_number.JAVA_SPACE), low, high)

    return read


def _wide_integer(low: int, high: int) -> Converter:
    def read(cursor: Cursor) -> int:
        text = cursor.token.text
        if cursor.is_on(Kind.FLOATING):
            value = float(text)
            if not float(low) <= value <= float(high):
                raise ValueError(f"'{java_number.shorten(text)}' is out of range")
            whole = min(max(int(value), low), high)
            if whole != value:
                cursor.bad.append(java_number.cut_detail(text, whole))
            return whole
        return java_number.parse_integer(text.strip(java_number.JAVA_SPACE), low, high)

    return read


def _double(cursor: Cursor) -> float:
    if cursor.token.kind in _NUMBERS:
        return float(cursor.token.text)
    return java_number.parse_double(cursor.token.text.strip(java_number.JAVA_SPACE))


def _float(cursor: Cursor) -> float:
    if cursor.token.kind in _NUMBERS:
        text = cursor.token.text
        return java_number.to_float(float(text), text)
    return java_number.parse_float(cursor.token.text.strip(java_number.JAVA_SPACE))


def _decimal(precision: int, scale: int) -> Converter:
    def read(cursor: Cursor) -> Decimal | None:
        text = cursor.token.text
        if cursor.is_on(Kind.STRING):
            text = text.strip(java_number.JAVA_SPACE)
        elif cursor.token.kind not in _NUMBERS:
            raise ValueError(f"{_describe(cursor.token)} is not a number")
        value = java_number.parse_decimal(text, precision, scale)
        if value is None:
            cursor.bad.append(java_number.unfit_detail(text, precision, scale))
        return value

    return read


def _binary(cursor: Cursor) -> bytes:
    if not cursor.is_on(Kind.STRING):
        raise ValueError(f"{_describe(cursor.token)} is not Base64 text")
    return jackson.decode_base64(cursor.token.text)
