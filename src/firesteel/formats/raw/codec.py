"""Decodes and encodes the `raw` format: one column is the whole message.

A null message is a row with NULL, and NULL is written as a null message. No other format gives a row for one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import pyarrow as pa

from firesteel import types
from firesteel.formats.arrow_type import arrow_type, record_batch
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import Decoded, Reason, Reject
from firesteel.formats.java.text import to_utf8_text
from firesteel.formats.raw import options as rows
from firesteel.formats.raw.options import Endianness
from firesteel.types import DataType

_CODES: dict[type[DataType], str] = {
    types.TinyInt: "b",
    types.SmallInt: "h",
    types.Int: "i",
    types.BigInt: "q",
    types.Float: "f",
    types.Double: "d",
}


class RawDecoder:
    def __init__(self, bound: BoundFormat, columns: Sequence[str]) -> None:
        data_type = _only_type(bound)
        self._schema = pa.schema([(name, arrow_type(data_type)) for name in columns])
        self._column = bound.columns[0]
        self._read = _reader(data_type, bound)

    def decode(self, values: Sequence[bytes | None]) -> Decoded:
        read = self._read
        found: list[object] = []
        origin: list[int] = []
        rejects: list[Reject] = []
        for index, value in enumerate(values):
            try:
                found.append(None if value is None else read(value))
                origin.append(index)
            except ValueError as error:
                rejects.append(Reject(index, Reason.BAD_VALUE, str(error), self._column))
        arrays = [pa.array(found, column.type) for column in self._schema]
        batch = record_batch(arrays, self._schema, len(found))
        return Decoded(batch, tuple(rejects), pa.array(origin, pa.int32()) if rejects else None)


class RawEncoder:
    def __init__(self, bound: BoundFormat) -> None:
        self._type = arrow_type(_only_type(bound))
        self._write = _writer(_only_type(bound), bound)

    def encode(self, batch: pa.RecordBatch, kinds: pa.Array | None = None) -> list[bytes | None]:
        column = batch.column(0)
        if column.type != self._type:
            column = column.cast(self._type)
        return [None if value is None else self._write(value) for value in column.to_pylist()]


def _only_type(bound: BoundFormat) -> DataType:
    if len(bound.fields) != 1:
        raise ValueError(f"'raw' has {len(bound.fields)} columns. It takes exactly one.")
    return bound.fields[0].type


def _charset(bound: BoundFormat) -> str:
    return bound.options.get(rows.CHARSET) or "utf-8"


def _code(data_type: DataType, bound: BoundFormat) -> struct.Struct:
    code = _CODES.get(type(data_type))
    if code is None:
        raise ValueError(
            f"'raw' cannot hold a column of type '{data_type}'. Use a string, bytes, a number or a boolean."
        )
    order = "<" if bound.options.get(rows.ENDIANNESS) is Endianness.LITTLE else ">"
    return struct.Struct(order + code)


def _reader(data_type: DataType, bound: BoundFormat) -> Callable[[bytes], object]:
    match data_type:
        case types.Char() | types.Varchar():
            charset = _charset(bound)
            # Like Java, put U+FFFD for bytes that are not text.
            return lambda value: to_utf8_text(value.decode(charset, errors="replace"))
        case types.Binary() | types.Varbinary():
            return lambda value: value
        case types.Boolean():
            return lambda value: _sized(value, 1, data_type)[0] != 0
    code = _code(data_type, bound)
    return lambda value: code.unpack(_sized(value, code.size, data_type))[0]


def _writer(data_type: DataType, bound: BoundFormat) -> Callable[..., bytes]:
    match data_type:
        case types.Char() | types.Varchar():
            charset = _charset(bound)
            # Like Java, put a question mark for a character that the charset does not have.
            return lambda value: str(value).encode(charset, errors="replace")
        case types.Binary() | types.Varbinary():
            return bytes
        case types.Boolean():
            return lambda value: b"\1" if value else b"\0"
    return _code(data_type, bound).pack


def _sized(value: bytes, size: int, data_type: DataType) -> bytes:
    if len(value) != size:
        raise ValueError(f"{data_type.sql} needs {size} bytes and the message has {len(value)}")
    return value
