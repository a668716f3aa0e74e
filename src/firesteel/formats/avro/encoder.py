"""Encodes Arrow as Avro messages, column by column.

Each column becomes a list of parts: bytes that are the same in all rows, or a column of bytes. The parts of all columns
are joined into records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel import types
from firesteel.formats.arrow_type import as_type, map_entries
from firesteel.formats.avro import options as rows
from firesteel.formats.avro.json_encoder import AvroJsonEncoder, unscaled_bytes
from firesteel.formats.avro.schema import derive_schema, is_micros
from firesteel.formats.avro.varint import encode_longs
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import EncodeError, Encoder
from firesteel.formats.column.null_key import NULL_KEY
from firesteel.types import DataType, Field

#: A part of the bytes of each value: the same in all rows, or one for each row.
Part: TypeAlias = "pa.BinaryArray | pa.BinaryScalar"

_NOTHING, _ZERO, _ONE, _TWO = (pa.scalar(value, pa.binary()) for value in (b"", b"\0", b"\1", b"\2"))


def make_encoder(bound: BoundFormat) -> Encoder:
    legacy = bound.options.get(rows.TIMESTAMP_MAPPING_LEGACY) is not False
    derive_schema(bound.fields, legacy)
    if bound.options.get(rows.ENCODING) is rows.Encoding.JSON:
        return AvroJsonEncoder(bound, legacy)
    return AvroEncoder(bound, legacy)


class AvroEncoder:
    """Avro's binary encoding."""

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
            records = self._record(batch.columns, self._fields, batch.num_rows)
        except ValueError as error:
            raise self._locate(batch, error) from None
        messages: list[bytes | None] = records.to_pylist()
        return messages

    def _locate(self, batch: pa.RecordBatch, error: ValueError) -> EncodeError:
        for row in range(batch.num_rows):
            try:
                self._record(batch.slice(row, 1).columns, self._fields, 1)
            except ValueError as found:
                return EncodeError(row, str(found))
        return EncodeError(0, str(error))

    def _record(self, columns: Sequence[pa.Array], fields: Sequence[Field], rows: int) -> pa.BinaryArray:
        if not fields:
            return pa.array([b""] * rows, pa.binary())
        pairs = zip(columns, fields, strict=True)
        return _joined([part for column, field in pairs for part in self._column(column, field.type)])

    def _column(self, column: pa.Array, data_type: DataType) -> list[Part]:
        """Encodes a column without NULLs."""
        column = as_type(column, data_type)
        parts = self._values(column, data_type)
        if not column.null_count:
            return [_TWO, *parts] if data_type.nullable else parts
        if not data_type.nullable:
            raise ValueError(f"a value of type '{data_type}' is NULL")
        return [pc.if_else(column.is_valid(), _joined([_TWO, *parts]), _ZERO)]

    def _values(self, column: pa.Array, data_type: DataType) -> list[Part]:
        """Encodes each value. The bytes of a NULL may be anything, or NULL."""
        match data_type:
            case types.Boolean():
                return [pc.if_else(column, _ONE, _ZERO)]
            case types.TinyInt() | types.SmallInt() | types.Int() | types.BigInt():
                return [_varints(column)]
            case types.Date():
                return [_varints(column.view(pa.int32()))]
            case types.Time():
                return [_varints(pc.divide(column.view(pa.int64()), 1_000_000))]
            case types.Timestamp() | types.TimestampLtz():
                micros = _numbers(column.view(pa.int64()))
                # Round down, before 1970 too.
                return [encode_longs(micros if is_micros(data_type, self._legacy) else micros // 1000)]
            case types.Float():
                return [_fixed(column, "<f4")]
            case types.Double():
                return [_fixed(column, "<f8")]
            case types.Char() | types.Varchar():
                return _sized(column.cast(pa.binary()))
            case types.Binary() | types.Varbinary():
                return _sized(column)
            case types.Decimal(_, scale):
                found = [None if value is None else unscaled_bytes(value, scale) for value in column.to_pylist()]
                return _sized(pa.array(found, pa.binary()))
            case types.Array(element):
                return [_blocks(column, self._column(column.flatten(), element))]
            case types.Map(_, value):
                return [self._maps(column, value)]
            case types.Multiset():
                return [self._maps(column, types.Int(nullable=False))]
            case types.Row(fields):
                return [self._rows(column, fields)]
        raise ValueError(f"'{data_type}' has no place in Avro.")

    def _rows(self, column: pa.StructArray, fields: tuple[Field, ...]) -> pa.BinaryArray:
        if not column.null_count:
            return self._record(column.flatten(), fields, len(column))
        # A NULL row has NULL children, which cannot be encoded where a field is NOT NULL: encode the other rows only.
        valid = np.asarray(column.is_valid())
        return self._rows(column.drop_null(), fields).take(pa.array(np.cumsum(valid) - 1, mask=~valid))

    def _maps(self, column: pa.Array, value: DataType) -> pa.BinaryArray:
        entries = map_entries(column)
        keys, items = entries.flatten().flatten()
        if keys.null_count or pc.any(pc.equal(keys, NULL_KEY)).as_py():
            raise ValueError("a map has a NULL key, which Avro cannot write")
        return _blocks(entries, [*_sized(keys.cast(pa.binary())), *self._column(items, value)])


def _joined(parts: Sequence[Part]) -> pa.BinaryArray:
    if len(parts) == 1 and isinstance(parts[0], pa.Array):
        return parts[0]
    return pc.binary_join_element_wise(*parts, _NOTHING)


def _blocks(lists: pa.ListArray, items: Sequence[Part]) -> pa.BinaryArray:
    """Encodes arrays or maps, each as one counted block and a zero, or only the zero if it is empty. `items` are the
    encoded items of all lists in order.
    """
    lengths = _numbers(pc.list_value_length(lists).cast(pa.int64()))
    joined = _joined(items)
    if not len(joined):
        return pa.array([b"\0"] * len(lists), pa.binary())
    # The items of a list are adjacent, so all of them together are one slice of the same bytes.
    _, offsets, data = joined.buffers()
    positions = np.frombuffer(offsets, np.int32, len(joined) + 1, joined.offset * 4)
    begins = positions[np.concatenate(([0], np.cumsum(lengths)))]
    bodies = pa.Array.from_buffers(pa.binary(), len(lists), [None, pa.py_buffer(np.ascontiguousarray(begins)), data])
    filled = pc.binary_join_element_wise(encode_longs(lengths), bodies, _ZERO, _NOTHING)
    return pc.if_else(pa.array(lengths > 0), filled, _ZERO)


def _numbers(column: pa.Array) -> NDArray[np.int64]:
    """Returns the column as a numpy array, with zero for NULL."""
    numbers: NDArray[np.int64] = column.fill_null(0).to_numpy().astype(np.int64, copy=False)
    return numbers


def _varints(column: pa.Array) -> pa.BinaryArray:
    return encode_longs(_numbers(column))


def _sized(column: pa.BinaryArray) -> list[Part]:
    return [_varints(pc.binary_length(column)), column]


def _fixed(column: pa.Array, kind: str) -> pa.BinaryArray:
    values = np.ascontiguousarray(column.fill_null(0.0).to_numpy().astype(kind, copy=False))
    offsets = np.arange(len(values) + 1, dtype=np.int32) * values.itemsize
    return pa.Array.from_buffers(pa.binary(), len(values), [None, pa.py_buffer(offsets), pa.py_buffer(values)])
