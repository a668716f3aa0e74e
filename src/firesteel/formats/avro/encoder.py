"""Arrow to Avro messages, a column at a time: each column becomes the bytes of its values, and these are joined into records."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from firesteel import types
from firesteel.catalog.table import BoundFormat
from firesteel.formats.arrow import as_type, map_entries
from firesteel.formats.avro.json_encoder import AvroJsonEncoder, unscaled_bytes
from firesteel.formats.avro.schema import derive_schema, is_micros
from firesteel.formats.codec import EncodeError, Encoder
from firesteel.formats.null_key import NULL_KEY
from firesteel.options import avro as rows
from firesteel.types import DataType, Field

_FLOAT, _DOUBLE = struct.Struct("<f"), struct.Struct("<d")


def make_encoder(bound: BoundFormat) -> Encoder:
    legacy = bound.options.get(rows.TIMESTAMP_MAPPING_LEGACY) is not False
    derive_schema(bound.fields, legacy)
    if bound.options.get(rows.ENCODING) is rows.Encoding.JSON:
        return AvroJsonEncoder(bound, legacy)
    return AvroEncoder(bound, legacy)


class AvroEncoder:
    """The binary encoding."""

    def __init__(self, bound: BoundFormat, legacy: bool = True) -> None:
        self._legacy = legacy
        self._fields = bound.fields
        self._columns = bound.columns

    def encode(self, batch: pa.RecordBatch, kinds: pa.Array | None = None) -> list[bytes | None]:
        for column, field, name in zip(batch.columns, self._fields, self._columns, strict=True):
            if not field.type.nullable and column.null_count:
                row = column.is_null().to_pylist().index(True)
                raise EncodeError(row, f"column '{name}' is NOT NULL and has no value")
        try:
            parts = [
                self._column(column, field.type) for column, field in zip(batch.columns, self._fields, strict=True)
            ]
        except ValueError as error:
            raise self._locate(batch, error) from None
        if not parts:
            return [b""] * batch.num_rows
        return [b"".join(row) for row in zip(*parts, strict=True)]

    def _locate(self, batch: pa.RecordBatch, error: ValueError) -> EncodeError:
        for row in range(batch.num_rows):
            try:
                for column, field in zip(batch.slice(row, 1).columns, self._fields, strict=True):
                    self._column(column, field.type)
            except ValueError as found:
                return EncodeError(row, str(found))
        return EncodeError(0, str(error))

    def _column(self, column: pa.Array, data_type: DataType) -> list[bytes]:
        column = as_type(column, data_type)
        values = self._values(column, data_type)
        if data_type.nullable:
            if not column.null_count:
                return [b"\2" + value for value in values]
            valid = column.is_valid().to_pylist()
            return [b"\2" + value if present else b"\0" for value, present in zip(values, valid, strict=True)]
        if column.null_count:
            raise ValueError(f"a value of type '{data_type}' is NULL")
        return values

    def _values(self, column: pa.Array, data_type: DataType) -> list[bytes]:
        """The bytes of each value; whatever for NULL."""
        match data_type:
            case types.Boolean():
                return [b"\1" if value else b"\0" for value in column.to_pylist()]
            case types.TinyInt() | types.SmallInt() | types.Int() | types.BigInt():
                return _varints(column)
            case types.Date():
                return _varints(column.view(pa.int32()))
            case types.Time():
                return _varints(pc.divide(column.view(pa.int64()), 1_000_000))
            case types.Timestamp() | types.TimestampLtz():
                micros = column.view(pa.int64())
                if is_micros(data_type, self._legacy):
                    return _varints(micros)
                # Downwards, also before 1970.
                return [encode_long(0 if value is None else value // 1000) for value in micros.to_pylist()]
            case types.Float():
                return [_FLOAT.pack(0.0 if value is None else value) for value in column.to_pylist()]
            case types.Double():
                return [_DOUBLE.pack(0.0 if value is None else value) for value in column.to_pylist()]
            case types.Char() | types.Varchar():
                return _sized(column.cast(pa.binary()))
            case types.Binary() | types.Varbinary():
                return _sized(column)
            case types.Decimal(_, scale):
                return [b"" if value is None else _decimal(value, scale) for value in column.to_pylist()]
            case types.Array(element):
                return _blocks(column, self._column(column.flatten(), element))
            case types.Map(_, value):
                return self._maps(column, value)
            case types.Multiset():
                return self._maps(column, types.Int(nullable=False))
            case types.Row(fields):
                return self._rows(column, fields)
        raise ValueError(f"'{data_type}' has no place in Avro.")

    def _rows(self, column: pa.StructArray, fields: tuple[Field, ...]) -> list[bytes]:
        if column.null_count:
            # A NULL row has NULL children, which a NOT NULL field could not write: write only what is there.
            dense = iter(self._rows(column.drop_null(), fields))
            return [next(dense) if valid else b"" for valid in column.is_valid().to_pylist()]
        if not fields:
            return [b""] * len(column)
        parts = [self._column(child, field.type) for child, field in zip(column.flatten(), fields, strict=True)]
        return [b"".join(row) for row in zip(*parts, strict=True)]

    def _maps(self, column: pa.Array, value: DataType) -> list[bytes]:
        entries = map_entries(column)
        keys, items = entries.flatten().flatten()
        if keys.null_count or pc.any(pc.equal(keys, NULL_KEY)).as_py():
            raise ValueError("a map has a NULL key, which Avro cannot write")
        parts = zip(_sized(keys.cast(pa.binary())), self._column(items, value), strict=True)
        return _blocks(entries, [key + item for key, item in parts])


def _blocks(lists: pa.ListArray, items: Sequence[bytes]) -> list[bytes]:
    """An array or map is one counted block and a zero, or only the zero."""
    following = iter(items)
    result: list[bytes] = []
    for length in pc.list_value_length(lists).to_pylist():
        if not length:
            result.append(b"\0")
        else:
            result.append(encode_long(length) + b"".join(next(following) for _ in range(length)) + b"\0")
    return result


def _slow_long(zigzag: int) -> bytes:
    parts = bytearray()
    while zigzag > 0x7F:
        parts.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    parts.append(zigzag)
    return bytes(parts)


_SHORT = tuple(_slow_long(zigzag) for zigzag in range(1 << 14))


def encode_long(value: int) -> bytes:
    """Zigzag, then seven bits a byte, lowest first."""
    zigzag = (value << 1) ^ (value >> 63)
    return _SHORT[zigzag] if zigzag < 1 << 14 else _slow_long(zigzag)


def _varints(column: pa.Array) -> list[bytes]:
    encode: Callable[[int], bytes] = encode_long
    return [encode(value or 0) for value in column.to_pylist()]


def _sized(column: pa.BinaryArray) -> list[bytes]:
    return [b"" if value is None else encode_long(len(value)) + value for value in column.to_pylist()]


def _decimal(value: Decimal, scale: int) -> bytes:
    unscaled = unscaled_bytes(value, scale)
    return encode_long(len(unscaled)) + unscaled
