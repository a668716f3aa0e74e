"""Converts JSON trees by Flink's rules for them: those of the changelog formats, and of `json` without its own parser.

They differ from the rules of `exact.py` in details: a number in a STRING column is printed again, a value that is not
an object is an empty MAP, a value that is not text is NULL in BYTES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from firesteel import types
from firesteel.formats.codec import Reason
from firesteel.formats.java import jackson
from firesteel.formats.java import number as java_number
from firesteel.formats.java import time as java_time
from firesteel.formats.java.text import to_utf8_text
from firesteel.formats.json import epoch
from firesteel.formats.json.epoch import EpochRules
from firesteel.formats.json.exact import RANGES, BadField, BadMessage, has_decimal
from firesteel.formats.json.limit import TooLarge
from firesteel.formats.json.settings import JsonSettings
from firesteel.formats.json.token import Floating, Integer, MalformedJson, read_tree
from firesteel.types import DataType, Field

#: Converts a value of a tree, never None, to the column's value.
Converter = Callable[[object], object]

_MAX_EXPONENT = 2**31 - 1


def parse_tree(message: bytes) -> object:
    """Parses a message. Raises BadMessage."""
    try:
        return read_tree(message)
    except MalformedJson as error:
        raise BadMessage(Reason.MALFORMED, str(error)) from None
    except TooLarge as error:
        raise BadMessage(Reason.TOO_LARGE, str(error)) from None


class TreeReader:
    """Converts trees to values. With `decimals` every fraction in a tree is exact, because the table has a DECIMAL column."""

    def __init__(self, settings: JsonSettings, fields: Sequence[Field], epochs: EpochRules | None = None) -> None:
        self._settings = settings
        self._epochs = epochs or EpochRules()
        self._decimals = any(has_decimal(field.type) for field in fields)
        self._ignored: list[str] = []

    @property
    def decimals(self) -> bool:
        return self._decimals

    def row(self, fields: Sequence[Field]) -> RowConverter:
        return RowConverter([(field.name, self.converter(field.type)) for field in fields], self.take_ignored)

    def take_ignored(self) -> list[str]:
        """Returns and forgets the fields that were ignored or changed since the last call."""
        if not self._ignored:
            return []
        ignored, self._ignored = self._ignored, []
        return ignored

    def converter(self, data_type: DataType) -> Converter:
        """Returns the converter of a type, for null too. It raises ValueError unless parse errors are ignored."""
        convert = self._converter(data_type)
        ignore = self._settings.ignore_parse_errors

        def read(node: object) -> object:
            if node is None:
                return None
            try:
                return convert(node)
            except (ValueError, ArithmeticError) as error:
                if not ignore:
                    raise
                self._ignored.append(str(error))
                return None

        return read

    def _converter(self, data_type: DataType) -> Converter:
        if self._epochs.reads(data_type):
            return self._epoch(data_type)
        match data_type:
            case types.Null():
                return lambda node: None
            case types.Boolean():
                return lambda node: node if isinstance(node, bool) else self._trimmed(node).lower() == "true"
            case types.TinyInt() | types.SmallInt():
                low, high = RANGES[type(data_type)]
                return lambda node: java_number.parse_integer(self._trimmed(node), low, high)
            case types.Int() | types.BigInt():
                return self._whole(*RANGES[type(data_type)])
            case types.Float():
                return self._float
            case types.Double():
                return lambda node: (
                    float(node)
                    if type(node) is Floating and not self._decimals
                    else java_number.parse_double(self._trimmed(node))
                )
            case types.Decimal(precision, scale):
                return self._decimal(precision, scale)
            case types.Char() | types.Varchar():
                return lambda node: to_utf8_text(self.text(node))
            case types.Binary() | types.Varbinary():
                return lambda node: jackson.decode_base64(node) if type(node) is str else None
            case types.Date():
                return lambda node: java_time.parse_date(self._text(node))
            case types.Time():
                return lambda node: self._settings.parse_time(self._text(node)) * 1_000_000
            case types.Timestamp():
                style = self._settings.timestamp
                return lambda node: java_time.parse_timestamp(self._text(node), style)
            case types.TimestampLtz():
                style_ltz = self._settings.timestamp_ltz
                return lambda node: java_time.parse_timestamp(self._text(node), style_ltz)
            case types.Array(element):
                return self._array(element)
            case types.Map(key, value):
                return self._map(key, value)
            case types.Multiset(element):
                return self._map(element, types.Int())
            case types.Row(fields):
                return self._struct(fields)
        raise ValueError(f"'{data_type}' cannot be read from JSON.")

    def text(self, node: object) -> str:
        """Converts to the text of a STRING; objects and arrays are printed as JSON."""
        if isinstance(node, (dict, list)):
            parts: list[str] = []
            self._print(node, parts)
            return "".join(parts)
        return self._text(node)

    def _text(self, node: object) -> str:
        """Converts as Jackson's `asText` does: objects and arrays give an empty text."""
        match node:
            case Integer():
                return "0" if node == "-0" else str(node)
            case Floating():
                return self._floating_text(node)
            case str():
                return node
            case bool():
                return "true" if node else "false"
        return "null" if node is None else ""

    def _trimmed(self, node: object) -> str:
        return self._text(node).strip(java_number.JAVA_SPACE)

    def _floating_text(self, node: Floating) -> str:
        if not self._decimals:
            return java_number.double_text(float(node))
        return java_number.stripped_decimal_text(_exact(node))

    def _print(self, node: object, parts: list[str]) -> None:
        if isinstance(node, dict):
            parts.append("{")
            for index, (name, member) in enumerate(node.items()):
                parts.append(f"{',' if index else ''}{jackson.quote(name)}:")
                self._print(member, parts)
            parts.append("}")
        elif isinstance(node, list):
            parts.append("[")
            for index, element in enumerate(node):
                if index:
                    parts.append(",")
                self._print(element, parts)
            parts.append("]")
        elif type(node) is str:
            parts.append(jackson.quote(node))
        else:
            text = self._text(node)
            parts.append(f'"{text}"' if text.endswith(("y", "N")) else text)

    def _whole(self, low: int, high: int) -> Converter:
        def read(node: object) -> int:
            if type(node) is not Floating:
                return java_number.parse_integer(self._trimmed(node), low, high)
            value = _exact(node) if self._decimals else float(node)
            # Without exact fractions the bounds of BIGINT are rounded to floats before they are compared.
            if not (low <= value <= high if self._decimals else float(low) <= value <= float(high)):
                raise ValueError(f"'{java_number.shorten(node)}' is out of range")
            whole = min(max(int(value), low), high)
            if whole != value:
                self._ignored.append(java_number.cut_detail(node, whole))
            return whole

        return read

    def _decimal(self, precision: int, scale: int) -> Converter:
        def read(node: object) -> Decimal | None:
            text = node if type(node) is Floating and self._decimals else self._text(node)
            return self._fitted(java_number.parse_decimal(text, precision, scale), text, precision, scale)

        return read

    def _fitted(self, value: Decimal | None, text: str, precision: int, scale: int) -> Decimal | None:
        if value is None:
            self._ignored.append(java_number.unfit_detail(text, precision, scale))
        return value

    def _float(self, node: object) -> float:
        if type(node) is Floating and not self._decimals:
            # Flink reads a 64-bit number first, so the value is rounded twice.
            value = float(node)
            return java_number.to_float(value, "")
        return java_number.parse_float(self._trimmed(node))

    def _array(self, element: DataType) -> Converter:
        convert = self.converter(element)

        def read(node: object) -> object:
            if not isinstance(node, list):
                raise ValueError(f"'{java_number.shorten(self.text(node))}' is not a JSON array")
            return [convert(item) for item in node]

        return read

    def _map(self, key: DataType, value: DataType) -> Converter:
        if not isinstance(key, types.CHARACTER):
            raise ValueError(f"'MAP<{key}, {value}>' has a key that is no string. JSON names are strings: use STRING.")
        convert = self.converter(value)

        def read(node: object) -> object:
            if not isinstance(node, dict):
                return []
            entries = {to_utf8_text(name): convert(member) for name, member in node.items()}
            return list(entries.items())

        return read

    def _struct(self, fields: tuple[Field, ...]) -> Converter:
        converters = [(field.name, self.converter(field.type)) for field in fields]
        complete = self._settings.fail_on_missing_field

        def read(node: object) -> object:
            if not isinstance(node, dict):
                raise ValueError(f"'{java_number.shorten(self.text(node))}' is not a JSON object")
            if complete and any(name not in node for name, _ in converters):
                raise ValueError(f"'{java_number.shorten(self.text(node))}' lacks a field of the row")
            return {name: convert(node.get(name)) for name, convert in converters}

        return read

    def _epoch(self, data_type: DataType) -> Converter:
        """Returns the converter of a value in Debezium's own form or in the usual one."""
        usual = TreeReader(self._settings, ())._converter(data_type)
        rules = self._epochs
        match data_type:
            case types.Decimal(precision, scale):

                def read_decimal(node: object) -> object:
                    if type(node) is str:
                        value = epoch.read_unscaled(node, precision, scale)
                    elif isinstance(node, dict):
                        value = epoch.read_variable(node, precision, scale)
                    else:
                        value = java_number.parse_decimal(str(node), precision, scale)
                    return self._fitted(value, self.text(node), precision, scale)

                return read_decimal

        def read(node: object) -> object:
            if type(node) is not Integer:
                return usual(node)
            return epoch.read_number(data_type, java_number.parse_integer(node, -(2**63), 2**63 - 1), rules)

        return read


class RowConverter:
    """Converts a JSON object to a row, field by field."""

    def __init__(self, fields: Sequence[tuple[str, Converter]], take_ignored: Callable[[], list[str]]) -> None:
        self._fields = fields
        self._take_ignored = take_ignored

    def read(self, members: dict[str, object]) -> tuple[list[object], list[BadField]]:
        """Converts an object. Returns its row, and the fields that had to be ignored. Raises BadMessage."""
        row: list[object] = []
        bad: list[BadField] = []
        for name, convert in self._fields:
            try:
                row.append(convert(members.get(name)))
            except (ValueError, ArithmeticError) as error:
                raise BadMessage(Reason.BAD_VALUE, str(error), name) from None
            bad += [BadField(name, detail) for detail in self._take_ignored()]
        return row, bad


def _exact(text: str) -> Decimal:
    value = Decimal(text)
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _MAX_EXPONENT:
        raise ValueError(f"'{java_number.shorten(text)}' has too great an exponent")
    return value
