"""Encodes Arrow as Avro's JSON encoding, row by row.

Avro puts a line break between two records of one stream, and Flink's writer is one stream: every message but its first
begins with a line break. The encoder here does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import pyarrow as pa

from firesteel import types
from firesteel.formats.arrow_type import as_type, map_entries
from firesteel.formats.avro.json_exact import branch_name
from firesteel.formats.avro.schema import is_micros
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import EncodeError
from firesteel.formats.java import jackson
from firesteel.formats.java import number as java_number
from firesteel.formats.java.number import to_unscaled
from firesteel.types import DataType, Field

#: Converts a value that is not NULL to its JSON text.
Writer = Callable[..., str]


class AvroJsonEncoder:
    def __init__(self, bound: BoundFormat, legacy: bool) -> None:
        self._fields = bound.fields
        self._columns = bound.columns
        self._names = [jackson.quote_bytes(field.name) for field in bound.fields]
        self._writers = [_nullable(field.type, f"record_{field.name}", legacy) for field in bound.fields]
        self._separator = ""

    def encode(self, batch: pa.RecordBatch, kinds: pa.Array | None = None) -> list[bytes | None]:
        columns = [_plain(column, field.type) for column, field in zip(batch.columns, self._fields, strict=True)]
        messages: list[bytes | None] = []
        for row in range(batch.num_rows):
            members: list[str] = []
            for name, write, values, column in zip(self._names, self._writers, columns, self._columns, strict=True):
                try:
                    members.append(f"{name}:{write(values[row])}")
                except ValueError as error:
                    raise EncodeError(row, f"column '{column}': {error}") from None
            messages.append(f"{self._separator}{{{','.join(members)}}}".encode("utf-8", "replace"))
            self._separator = "\n"
        return messages


def _plain(column: pa.Array, data_type: DataType) -> list[object]:
    """Converts a column to Python values, with dates and times as the numbers that Arrow stores."""
    column = as_type(column, data_type)
    match data_type:
        case types.Date():
            column = column.view(pa.int32())
        case types.Time() | types.Timestamp() | types.TimestampLtz():
            column = column.view(pa.int64())
        case types.Array(element):
            items = iter(_plain(column.flatten(), element))
            return [_take(items, length) for length in _lengths(column)]
        case types.Map(_, value):
            return _entries(column, value)
        case types.Multiset():
            return _entries(column, types.Int())
        case types.Row(fields):
            children = [_plain(child, field.type) for child, field in zip(column.flatten(), fields, strict=True)]
            rows = zip(*children, strict=True) if children else ((),) * len(column)
            return [row if valid else None for row, valid in zip(rows, column.is_valid().to_pylist(), strict=True)]
    values: list[object] = column.to_pylist()
    return values


def _entries(column: pa.Array, value: DataType) -> list[object]:
    entries = map_entries(column)
    keys, items = entries.flatten().flatten()
    pairs = iter(list(zip(keys.to_pylist(), _plain(items, value), strict=True)))
    return [_take(pairs, length) for length in _lengths(entries)]


def _lengths(lists: pa.ListArray) -> list[int | None]:
    lengths: list[int | None] = lists.value_lengths().to_pylist()
    return lengths


def _take(items: object, length: int | None) -> list[object] | None:
    return None if length is None else [next(items) for _ in range(length)]  # type: ignore[call-overload]


def _nullable(data_type: DataType, record: str, legacy: bool) -> Writer:
    write = _writer(data_type, record, legacy)
    if not data_type.nullable:

        def needed(value: object) -> str:
            if value is None:
                raise ValueError(f"a value of type '{data_type}' is NULL")
            return write(value)

        return needed
    start = f'{{"{branch_name(data_type, record)}":'
    return lambda value: "null" if value is None else f"{start}{write(value)}}}"


def _writer(data_type: DataType, record: str, legacy: bool) -> Writer:
    match data_type:
        case types.Boolean():
            return lambda value: "true" if value else "false"
        case types.TinyInt() | types.SmallInt() | types.Int() | types.BigInt() | types.Date():
            return str
        case types.Time():
            return lambda nanos: str(nanos // 1_000_000)
        case types.Timestamp() | types.TimestampLtz():
            # Round down, before 1970 too.
            return str if is_micros(data_type, legacy) else lambda micros: str(micros // 1000)
        case types.Float():
            return lambda value: _floating(java_number.float_text(value))
        case types.Double():
            return lambda value: _floating(java_number.double_text(value))
        case types.Char() | types.Varchar():
            return jackson.quote_bytes
        case types.Binary() | types.Varbinary():
            return _bytes
        case types.Decimal(_, scale):
            return lambda value: _bytes(unscaled_bytes(value, scale))
        case types.Array(element):
            write = _nullable(element, record, legacy)
            return lambda values: f"[{','.join(map(write, values))}]"
        case types.Map(_, value):
            return _map(_nullable(value, record, legacy))
        case types.Multiset():
            return _map(str)
        case types.Row(fields):
            return _row(fields, record, legacy)
    raise ValueError(f"'{data_type}' has no place in Avro.")


def _row(fields: Sequence[Field], record: str, legacy: bool) -> Writer:
    writers = [
        (jackson.quote_bytes(item.name), _nullable(item.type, f"{record}_{item.name}", legacy)) for item in fields
    ]

    def write(row: Sequence[object]) -> str:
        members = (f"{name}:{write(value)}" for (name, write), value in zip(writers, row, strict=True))
        return f"{{{','.join(members)}}}"

    return write


def _map(write: Writer) -> Writer:
    def entries(pairs: Sequence[tuple[str | None, object]]) -> str:
        if any(key is None for key, _ in pairs):
            raise ValueError("a map has a NULL key, which Avro cannot write")
        return f"{{{','.join(f'{jackson.quote_bytes(str(key))}:{write(value)}' for key, value in pairs)}}}"

    return entries


def _floating(text: str) -> str:
    # NaN and the infinities are not JSON numbers. Avro writes them as strings, and cannot read them back.
    return f'"{text}"' if text.endswith(("N", "y")) else text


def _bytes(value: bytes) -> str:
    """Encodes each byte as one character."""
    return jackson.quote_bytes(value.decode("latin-1"))


def unscaled_bytes(value: Decimal, scale: int) -> bytes:
    unscaled = to_unscaled(value, scale)
    size = (unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8 + 1
    return unscaled.to_bytes(size, "big", signed=True)
