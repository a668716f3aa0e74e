"""Reads CSV by Flink's rules, one message at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel import types
from firesteel.formats.codec import Reason
from firesteel.formats.csv.line import MalformedLine, split_line
from firesteel.formats.csv.settings import CsvSettings
from firesteel.formats.java import jackson
from firesteel.formats.java import number as java_number
from firesteel.formats.java import time as java_time
from firesteel.types import DataType, Field

_RANGES: dict[type[DataType], tuple[int, int]] = {
    types.TinyInt: (-(2**7), 2**7 - 1),
    types.SmallInt: (-(2**15), 2**15 - 1),
    types.Int: (-(2**31), 2**31 - 1),
    types.BigInt: (-(2**63), 2**63 - 1),
}

Converter = Callable[[str], object]


#: Longer values are refused, as Flink's CSV library refuses them.
MAX_STRING = 20_000_000


class BadLine(ValueError):
    """A message that cannot be decoded into a row."""

    def __init__(self, reason: Reason, detail: str, index: int | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.index = index


class LineReader:
    """Reads the wanted columns, given by their indexes in the line."""

    def __init__(self, fields: Sequence[Field], wanted: Sequence[int], settings: CsvSettings) -> None:
        self._settings = settings
        self._width = len(fields)
        self._columns = [(index, self._converter(fields[index].type)) for index in wanted]
        self._ignored: list[str] = []

    def read(self, message: bytes) -> tuple[list[object] | None, list[tuple[int, str]]]:
        """Reads a message. Returns its row, or None if it has none, and the fields that became NULL or were changed.
        Raises BadLine.
        """
        try:
            texts = split_line(message.decode("utf-8-sig"), self._settings)
        except UnicodeDecodeError as error:
            raise BadLine(Reason.MALFORMED, f"byte {error.start} is not UTF-8") from None
        except MalformedLine as error:
            raise BadLine(Reason.MALFORMED, str(error)) from None
        if not texts:
            return None, []
        self._check_width(texts)
        if len(message) > MAX_STRING and max(map(len, texts)) > MAX_STRING:
            raise BadLine(Reason.TOO_LARGE, f"a value has more than {MAX_STRING} characters")
        row: list[object] = []
        bad: list[tuple[int, str]] = []
        for index, convert in self._columns:
            if index >= len(texts):
                row.append(None)
                continue
            try:
                row.append(convert(texts[index]))
                bad += [(index, detail) for detail in self._ignored]
            except ValueError as error:
                if not self._settings.ignore_parse_errors:
                    raise BadLine(Reason.BAD_VALUE, str(error), index) from None
                row.append(None)
                bad.append((index, str(error)))
            finally:
                self._ignored.clear()
        return row, bad

    def _check_width(self, texts: list[str]) -> None:
        settings, width = self._settings, self._width
        if len(texts) > width:
            surplus_is_blank = len(texts) == width + 1 and not texts[-1]
            if not settings.ignore_trailing and not (settings.allow_trailing_delimiter and surplus_is_blank):
                raise BadLine(Reason.MALFORMED, f"the line has {len(texts)} columns and the table {width}")
        elif len(texts) < width and (settings.fail_on_missing_columns or not settings.ignore_parse_errors):
            raise BadLine(Reason.MISSING_FIELD, f"the line has {len(texts)} columns and the table {width}")

    def _converter(self, data_type: DataType) -> Converter:
        match data_type:
            case types.Array(element):
                convert_element = self._element(element)
                return lambda text: [convert_element(part) for part in self._parts(text)]
            case types.Row(fields):
                return self._row(fields)
        return self._nullable(self._simple(data_type))

    def _nullable(self, convert: Converter) -> Converter:
        null, empty_is_null = self._settings.null, self._settings.empty_is_null

        def read(text: str) -> object:
            if text == null or (empty_is_null and not text):
                return None
            return convert(text)

        return read

    def _element(self, data_type: DataType) -> Converter:
        convert = self._nullable(self._simple(data_type))

        def read(text: str) -> object:
            try:
                return convert(text)
            except ValueError as error:
                if not self._settings.ignore_parse_errors:
                    raise
                self._ignored.append(str(error))
                return None

        return read

    def _row(self, fields: tuple[Field, ...]) -> Converter:
        converters = [(field.name, self._element(field.type)) for field in fields]

        def read(text: str) -> object:
            parts = self._parts(text)
            if not parts:
                return None
            if len(parts) != len(converters) and not self._settings.ignore_parse_errors:
                raise ValueError(f"the value has {len(parts)} parts and its ROW {len(converters)} fields")
            return {
                name: convert(parts[index]) if index < len(parts) else None
                for index, (name, convert) in enumerate(converters)
            }

        return read

    def _parts(self, text: str) -> list[str]:
        # Blank text has no elements, not one empty element.
        if not text.strip(java_number.JAVA_SPACE):
            return []
        parts = text.split(self._settings.element_delimiter)
        return [part.strip(java_number.JAVA_SPACE) for part in parts] if self._settings.trim_spaces else parts

    def _decimal(self, precision: int, scale: int) -> Converter:
        def read(text: str) -> object:
            value = java_number.parse_decimal(text, precision, scale)
            if value is None:
                self._ignored.append(java_number.unfit_detail(text, precision, scale))
            return value

        return read

    def _simple(self, data_type: DataType) -> Converter:
        trim = java_number.JAVA_SPACE
        match data_type:
            case types.Null():
                return lambda text: None
            case types.Boolean():
                return lambda text: text.strip(trim).lower() == "true"
            case types.TinyInt() | types.SmallInt() | types.Int() | types.BigInt():
                low, high = _RANGES[type(data_type)]
                return lambda text: java_number.parse_integer(text.strip(trim), low, high)
            case types.Float():
                return lambda text: java_number.parse_float(text.strip(trim))
            case types.Double():
                return lambda text: java_number.parse_double(text.strip(trim))
            case types.Decimal(precision, scale):
                return self._decimal(precision, scale)
            case types.Char() | types.Varchar():
                return lambda text: text
            case types.Binary() | types.Varbinary():
                return jackson.decode_base64
            case types.Date():
                return java_time.parse_jdbc_date
            case types.Time(precision):
                return _time(precision)
            case types.Timestamp():
                return lambda text: java_time.parse_timestamp(text.strip(trim), java_time.SQL)
            case types.TimestampLtz():
                return lambda text: java_time.parse_timestamp(text.strip(trim), java_time.SQL_UTC)
            case types.Array() | types.Row():
                raise ValueError(
                    f"'{data_type}' is nested too deep for CSV. Only simple types can be inside ARRAY or ROW."
                )
        raise ValueError(f"'{data_type}' cannot be read from CSV.")


def _time(precision: int) -> Converter:
    # Flink 2.3 accepts a TIME(6) column and keeps milliseconds of it.
    step = 10 ** (3 - min(precision, 3))
    return lambda text: java_time.parse_iso_time(text) // step * step * 1_000_000
