"""Encodes Arrow as JSON messages: each column becomes a column of JSON texts, and these are joined into rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from firesteel import types
from firesteel.formats.arrow_type import as_type, map_entries
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import EncodeError
from firesteel.formats.column import timestamp as text_column
from firesteel.formats.column.null_key import NULL_KEY
from firesteel.formats.java import jackson
from firesteel.formats.java import number as java_number
from firesteel.formats.java import time as java_time
from firesteel.formats.json.options import MapNullKeyMode
from firesteel.formats.json.settings import JsonSettings, from_options
from firesteel.types import DataType, Field

_NULL = "null"


class JsonEncoder:
    def __init__(self, bound: BoundFormat) -> None:
        self._fields = bound.fields
        self._texts = JsonTexts(from_options(bound.options))

    def encode(self, batch: pa.RecordBatch, kinds: pa.Array | None = None) -> list[bytes | None]:
        return located(self._encode, batch, kinds)

    def _encode(self, batch: pa.RecordBatch, kinds: pa.Array | None) -> list[bytes | None]:
        rows = self._texts.rows(batch.columns, self._fields, batch.num_rows)
        messages: list[bytes | None] = rows.cast(pa.binary()).to_pylist()
        return messages


def located(
    encode: Callable[[pa.RecordBatch, pa.Array | None], list[bytes | None]],
    batch: pa.RecordBatch,
    kinds: pa.Array | None,
) -> list[bytes | None]:
    """Encodes a batch. If a row cannot be written, raises EncodeError with that row's index."""
    try:
        return encode(batch, kinds)
    except ValueError as error:
        for row in range(batch.num_rows):
            try:
                encode(batch.slice(row, 1), None)
            except ValueError as found:
                raise EncodeError(row, str(found)) from None
        raise EncodeError(0, str(error)) from None


class JsonTexts:
    """Makes columns of JSON texts, one per row, with `null` for NULL."""

    def __init__(self, settings: JsonSettings) -> None:
        self._settings = settings

    def rows(self, columns: Sequence[pa.Array], fields: Sequence[Field], count: int) -> pa.StringArray:
        """Makes one JSON object per row."""
        names = [f"{jackson.quote_bytes(field.name)}:" for field in fields]
        if self._settings.ignore_null_fields or not fields:
            return pa.array(self._sparse_rows(columns, fields, names, count), pa.string())
        parts: list[pa.Array | pa.Scalar] = []
        for index, (column, field, name) in enumerate(zip(columns, fields, names, strict=True)):
            parts.append(pa.scalar(f"{',' if index else '{'}{name}"))
            parts.append(self.column(column, field.type))
        return pc.binary_join_element_wise(*parts, pa.scalar("}"), pa.scalar(""))

    def _sparse_rows(
        self, columns: Sequence[pa.Array], fields: Sequence[Field], names: Sequence[str], count: int
    ) -> list[str]:
        members: list[list[str]] = [[] for _ in range(count)]
        for column, field, name in zip(columns, fields, names, strict=True):
            present = column.is_valid().to_pylist()
            for member, text, valid in zip(members, self.column(column, field.type).to_pylist(), present, strict=True):
                if valid:
                    member.append(name + text)
        return ["{" + ",".join(member) + "}" for member in members]

    def column(self, column: pa.Array, data_type: DataType) -> pa.StringArray:
        column = as_type(column, data_type)
        zone = self._settings.zone
        match data_type:
            case types.Null():
                return pa.array([_NULL] * len(column), pa.string())
            case types.Boolean() | types.TinyInt() | types.SmallInt() | types.Int() | types.BigInt():
                return column.cast(pa.string()).fill_null(_NULL)
            case types.Char() | types.Varchar():
                return _strings(column)
            case types.Float():
                return _each(column, lambda value: _floating(java_number.float_text(value)))
            case types.Double():
                return _each(column, lambda value: _floating(java_number.double_text(value)))
            case types.Decimal():
                text = (lambda value: f"{value:f}") if self._settings.plain_decimals else _stripped
                return _each(column, text)
            case types.Binary() | types.Varbinary():
                return _each(column, lambda value: f'"{jackson.encode_base64(value)}"')
            case types.Date():
                return _each(column.view(pa.int32()), lambda days: f'"{java_time.date_text(days)}"')
            case types.Time():
                # Flink writes times in milliseconds.
                return _each(
                    column.view(pa.int64()), lambda nanos: f'"{java_time.time_text(nanos // 1_000_000 * 1000)}{zone}"'
                )
            case types.Timestamp():
                return _quoted(text_column.timestamp_texts(column, self._settings.timestamp.separator, zone))
            case types.TimestampLtz():
                return _quoted(text_column.timestamp_texts(column, self._settings.timestamp_ltz.separator, "Z"))
            case types.Array(element):
                return self._lists(column, element)
            case types.Map(key, value):
                return self._maps(column, key, value)
            case types.Multiset(element):
                return self._maps(column, element, types.Int())
            case types.Row(fields):
                texts = self.rows(column.flatten(), fields, len(column))
                return pc.if_else(column.is_valid(), texts, pa.scalar(_NULL))
        raise ValueError(f"'{data_type}' cannot be written as JSON.")

    def _lists(self, column: pa.ListArray, element: DataType) -> pa.StringArray:
        texts = iter(self.column(column.flatten(), element).to_pylist())
        return pa.array(
            [
                _NULL if length is None else f"[{','.join(next(texts) for _ in range(length))}]"
                for length in pc.list_value_length(column).to_pylist()
            ],
            pa.string(),
        )

    def _maps(self, column: pa.Array, key: DataType, value: DataType) -> pa.StringArray:
        if not isinstance(key, types.CHARACTER):
            raise ValueError(f"'MAP<{key}, {value}>' has a key that is no string. JSON names are strings: use STRING.")
        entries = map_entries(column)
        keys, items = entries.flatten().flatten()
        pairs = zip(keys.to_pylist(), self.column(items, value).to_pylist(), strict=True)
        texts: list[str] = []
        for length in pc.list_value_length(entries).to_pylist():
            if length is None:
                texts.append(_NULL)
                continue
            members: dict[str, str] = {}
            for _ in range(length):
                name, text = next(pairs)
                if name is None or name == NULL_KEY:
                    match self._settings.null_key:
                        case MapNullKeyMode.DROP:
                            continue
                        case MapNullKeyMode.LITERAL:
                            name = self._settings.null_key_literal
                        case MapNullKeyMode.FAIL:
                            raise ValueError(
                                "a map has a NULL key. Set 'map-null-key.mode' to 'DROP' or 'LITERAL' to write it."
                            )
                members[name] = text
            texts.append("{" + ",".join(f"{jackson.quote_bytes(name)}:{text}" for name, text in members.items()) + "}")
        return pa.array(texts, pa.string())


def _each(column: pa.Array, text: Callable[[object], str] | Callable[..., str]) -> pa.StringArray:
    return pa.array([_NULL if value is None else text(value) for value in column.to_pylist()], pa.string())


def _stripped(value: object) -> str:
    return java_number.stripped_decimal_text(value)  # type: ignore[arg-type]


def _floating(text: str) -> str:
    # NaN and the infinities are not JSON numbers, and are written as strings.
    return f'"{text}"' if text.endswith(("N", "y")) else text


def _strings(column: pa.StringArray) -> pa.StringArray:
    if pc.any(pc.match_substring_regex(column, jackson.SPECIAL_PATTERN)).as_py():
        return _each(column, jackson.quote_bytes)
    return _quoted(column)


def _quoted(column: pa.StringArray) -> pa.StringArray:
    """Quotes texts that have nothing to escape."""
    return pc.binary_join_element_wise(pa.scalar('"'), column, pa.scalar('"'), pa.scalar("")).fill_null(_NULL)
