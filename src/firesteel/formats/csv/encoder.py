"""Encodes Arrow as CSV messages, column by column. A message has no line end."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from firesteel import types
from firesteel.formats.arrow_type import as_type
from firesteel.formats.bound import BoundFormat
from firesteel.formats.column import timestamp as text_column
from firesteel.formats.csv.settings import CsvSettings, from_options
from firesteel.formats.java import jackson
from firesteel.formats.java import number as java_number
from firesteel.formats.java import time as java_time
from firesteel.types import DataType

#: Longer texts are always quoted.
_MAX_UNQUOTED = 24


class CsvEncoder:
    def __init__(self, bound: BoundFormat) -> None:
        self._settings = from_options(bound.options)
        self._types = [field.type for field in bound.fields]
        self._quote = _quoter(self._settings)
        for data_type in self._types:
            _check(data_type)

    def encode(self, batch: pa.RecordBatch, kinds: pa.Array | None = None) -> list[bytes | None]:
        columns = [self._column(column, kind) for column, kind in zip(batch.columns, self._types, strict=True)]
        if len(columns) == 1:
            return [text.encode() for text in columns[0]]
        delimiter = self._settings.delimiter
        return [delimiter.join(texts).encode() for texts in zip(*columns, strict=True)]

    def _column(self, column: pa.Array, data_type: DataType) -> list[str]:
        null = self._settings.null or ""
        # Numbers, booleans and the text for NULL are never quoted.
        quote = _keep if isinstance(data_type, (types.Boolean, *types.NUMERIC)) else self._quote
        return [null if text is None else quote(text) for text in self._texts(column, data_type)]

    def _texts(self, column: pa.Array, data_type: DataType) -> Sequence[str | None]:
        column = as_type(column, data_type)
        match data_type:
            case types.Null():
                return [None] * len(column)
            case types.Boolean() | types.TinyInt() | types.SmallInt() | types.Int() | types.BigInt():
                return _listed(column.cast(pa.string()))
            case types.Char() | types.Varchar():
                return _listed(column)
            case types.Float():
                return _each(column, java_number.float_text)
            case types.Double():
                return _each(column, java_number.double_text)
            case types.Decimal():
                scientific = self._settings.scientific_decimals
                return _each(column, java_number.stripped_decimal_text if scientific else _plain)
            case types.Binary() | types.Varbinary():
                return _each(column, jackson.encode_base64)
            case types.Date():
                return _each(column.view(pa.int32()), java_time.date_text)
            case types.Time():
                return _each(column.view(pa.int64()), lambda nanos: java_time.time_text(nanos // 1_000_000 * 1000))
            case types.Timestamp():
                return _listed(text_column.timestamp_texts(column, " ", ""))
            case types.TimestampLtz():
                return _listed(text_column.timestamp_texts(column, " ", "Z"))
            case types.Array(element):
                texts = iter(self._texts(column.flatten(), element))
                return [
                    None if length is None else self._join([next(texts) for _ in range(length)])
                    for length in pc.list_value_length(column).to_pylist()
                ]
            case types.Row(fields):
                parts = [self._texts(child, field.type) for child, field in zip(column.flatten(), fields, strict=True)]
                valid = column.is_valid().to_pylist()
                return [
                    self._join(row) if present else None
                    for row, present in zip(zip(*parts, strict=True), valid, strict=True)
                ]
        raise ValueError(f"'{data_type}' cannot be written as CSV.")

    def _join(self, parts: Sequence[str | None]) -> str:
        null = self._settings.null or ""
        return self._settings.element_delimiter.join(null if part is None else part for part in parts)


def _check(data_type: DataType, nested: bool = False) -> None:
    match data_type:
        case types.Map() | types.Multiset():
            raise ValueError(f"'{data_type}' cannot be written as CSV.")
        case types.Array() | types.Row() if nested:
            raise ValueError(f"'{data_type}' is nested too deep for CSV. Only simple types can be inside ARRAY or ROW.")
        case types.Array(element):
            _check(element, nested=True)
        case types.Row(fields):
            for field in fields:
                _check(field.type, nested=True)


def _keep(text: str) -> str:
    return text


def _plain(value: object) -> str:
    return f"{value:f}"


def _listed(column: pa.StringArray) -> list[str | None]:
    texts: list[str | None] = column.to_pylist()
    return texts


def _each(column: pa.Array, text: Callable[..., str]) -> list[str | None]:
    return [None if value is None else text(value) for value in column.to_pylist()]


def _quoter(settings: CsvSettings) -> Callable[[str], str]:
    """Makes the function that quotes a text by Jackson's loose rule: a text is quoted if it is long, or has a character
    up to the delimiter or the quote, or the escape.
    """
    quote, escape = settings.quote, settings.escape
    if not quote:
        return _keep
    unsafe = re.compile(f"[\\0-{re.escape(max(settings.delimiter, quote))}{re.escape(escape)}]")

    def quoted(text: str) -> str:
        # Java counts a character beyond U+FFFF as two.
        length = len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
        if length <= _MAX_UNQUOTED and not unsafe.search(text):
            return text
        if escape:
            text = text.replace(escape, escape * 2)
        if quote != escape:
            text = text.replace(quote, quote * 2)
        return f"{quote}{text}{quote}"

    return quoted
