"""Reads a block of Avro records at once, column by column for all messages.

Each message has a position of its own in the bytes, and each column moves all positions forward. A value cannot extend
into the next message, and a message is valid when its position ends exactly at its end. `read` returns None if any
message is not valid; the exact reader then finds out which one, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel import types
from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.avro.schema import is_micros
from firesteel.formats.column.slices import take_slices
from firesteel.formats.two_paths import Chunk
from firesteel.types import DataType, Field

Positions = NDArray[np.int64]
_PADDING = bytes(16)
_DAY_MILLIS = 86_400_000
_MAX_BLOCK = 1 << 30


_HIGHEST, _LOW = np.uint64(0x8080808080808080), np.uint64(0x7F7F7F7F7F7F7F7F)


def _packed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Packs the low seven bits of each byte together: first pairs of bytes, then groups of four, then of eight."""
    words = (words & np.uint64(0x007F007F007F007F)) | (words & np.uint64(0x7F007F007F007F00)) >> np.uint64(1)
    words = (words & np.uint64(0x00003FFF00003FFF)) | (words & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2)
    return (words & np.uint64(0x000000000FFFFFFF)) | (words & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4)


class _Refused(Exception):
    """The exact reader has to read this block."""


class _Input:
    """The bytes of all messages, one after the other. `at` is the position up to which each has been read, `end` the
    end of each.
    """

    def __init__(self, messages: Sequence[bytes]) -> None:
        self.data = np.frombuffer(b"".join(messages) + _PADDING, dtype=np.uint8)
        lengths = np.fromiter(map(len, messages), dtype=np.int64, count=len(messages))
        self.end = np.cumsum(lengths)
        self.at = self.end - lengths
        #: The eight bytes that start at each position, as one number.
        self._words = np.ndarray((len(self.data) - 7,), np.dtype("<u8"), self.data.data, strides=(1,))

    def longs(self, rows: Positions) -> NDArray[np.int64]:
        """Reads the next number of each of the rows."""
        at = self.at[rows]
        byte = self.data[at]
        if not (byte & 0x80).any():
            number = byte.astype(np.uint64)
            at += 1
        else:
            words = self._words[at]
            # The first byte whose highest bit is not set ends the number.
            ends = ~words & _HIGHEST
            if not ends.all():
                number = self._long_numbers(at)
            else:
                below = (ends & (~ends + np.uint64(1))) - np.uint64(1)
                number = _packed(words & below & _LOW)
                at += (np.bitwise_count(below) >> 3).astype(np.int64) + 1
        self._move(rows, at)
        zigzag: NDArray[np.int64] = (number >> np.uint64(1)).astype(np.int64) ^ -(number & np.uint64(1)).astype(
            np.int64
        )
        return zigzag

    def _long_numbers(self, at: Positions) -> NDArray[np.uint64]:
        """Reads numbers byte by byte, of which some have more than eight bytes, and advances `at`."""
        byte = self.data[at]
        number = (byte & 0x7F).astype(np.uint64)
        at += 1
        more = np.flatnonzero(byte & 0x80)
        shift = 7
        while len(more):
            if shift > 63:
                raise _Refused
            # Zero bytes follow the last message, so a number that is cut off there ends at once.
            byte = self.data[np.minimum(at[more], len(self.data) - 1)]
            number[more] |= (byte & 0x7F).astype(np.uint64) << np.uint64(shift)
            at[more] += 1
            more = more[(byte & 0x80) != 0]
            shift += 7
        return number

    def ints(self, rows: Positions) -> NDArray[np.int64]:
        before = self.at[rows]
        numbers = self.longs(rows)
        if len(numbers) and (
            numbers.min() < -(2**31) or numbers.max() > 2**31 - 1 or (self.at[rows] - before).max() > 5
        ):
            raise _Refused
        return numbers

    def step(self, rows: Positions, sizes: NDArray[np.int64] | int) -> Positions:
        """Moves `sizes` bytes forward. Returns the positions before the move."""
        start = self.at[rows]
        if not np.isscalar(sizes) and len(start) and np.min(sizes) < 0:
            raise _Refused
        self._move(rows, start + sizes)
        return start

    def _move(self, rows: Positions, at: Positions) -> None:
        if (at > self.end[rows]).any():
            raise _Refused
        self.at[rows] = at


#: Reads the next value of the given rows. Returns None for a column that is not wanted.
Reader = Callable[[_Input, Positions], pa.Array | None]


class BlockReader:
    def __init__(self, columns: Sequence[tuple[int | None, DataType, Reader]], width: int) -> None:
        self._columns = columns
        self._width = width

    def read(self, messages: Sequence[bytes]) -> Chunk | None:
        """Reads one array for each wanted column. Returns None if the block is refused."""
        if not messages or sum(map(len, messages)) > _MAX_BLOCK:
            return None
        source = _Input(messages)
        rows = np.arange(len(messages), dtype=np.int64)
        arrays: list[pa.Array] = [None] * self._width
        try:
            for index, data_type, read in self._columns:
                array = _nullable(source, rows, data_type, read)
                if index is not None:
                    arrays[index] = array
            if (source.at != source.end).any():
                return None
        except (_Refused, pa.ArrowException, OverflowError):
            return None
        return Chunk(arrays)


def block_reader(fields: Sequence[Field], wanted: Sequence[int], legacy: bool) -> BlockReader | None:
    """Makes the reader of a table's columns. Returns None if the type of a column needs the exact reader."""
    order = {field_index: index for index, field_index in enumerate(wanted)}
    columns: list[tuple[int | None, DataType, Reader]] = []
    for field_index, field in enumerate(fields):
        reader = _reader(field.type, legacy, field_index in order)
        if reader is None:
            return None
        columns.append((order.get(field_index), field.type, reader))
    return BlockReader(columns, len(wanted))


def _nullable(source: _Input, rows: Positions, data_type: DataType, read: Reader) -> pa.Array | None:
    if not data_type.nullable:
        return read(source, rows)
    start = source.step(rows, 1)
    branch = source.data[start]
    present = branch == 2
    count = int(np.count_nonzero(present))
    if count == len(rows):
        return read(source, rows)
    if (branch[~present] != 0).any():
        raise _Refused
    values = read(source, rows[present])
    if values is None:
        return None
    places = np.cumsum(present) - 1
    return values.take(pa.array(places, mask=~present))


def _reader(data_type: DataType, legacy: bool, wanted: bool) -> Reader | None:
    result = arrow_type(data_type)
    match data_type:
        case types.Boolean():
            return _booleans
        case types.TinyInt() | types.SmallInt() | types.Int():
            return lambda source, rows: pa.array(source.ints(rows)).cast(result, safe=False)
        case types.BigInt():
            return lambda source, rows: pa.array(source.longs(rows))
        case types.Float():
            return lambda source, rows: _fixed(source, rows, 4, np.dtype("<f4"))
        case types.Double():
            return lambda source, rows: _fixed(source, rows, 8, np.dtype("<f8"))
        case types.Char() | types.Varchar():
            return _strings if wanted else _skip_bytes
        case types.Binary() | types.Varbinary():
            return _bytes if wanted else _skip_bytes
        case types.Decimal(precision, scale):
            return _decimals(precision, scale) if wanted else _skip_bytes
        case types.Date():
            return lambda source, rows: pa.array(source.ints(rows)).cast(pa.int32()).view(result)
        case types.Time():
            return _times if wanted else _skip_int
        case types.Timestamp() | types.TimestampLtz():
            factor = 1 if is_micros(data_type, legacy) else 1000
            return _timestamps(result, factor) if wanted else _skip_long
        case types.Row(fields):
            return _row(fields, legacy, wanted)
    return None


def _skip_bytes(source: _Input, rows: Positions) -> None:
    source.step(rows, source.longs(rows))


def _skip_int(source: _Input, rows: Positions) -> None:
    source.ints(rows)


def _skip_long(source: _Input, rows: Positions) -> None:
    source.longs(rows)


def _booleans(source: _Input, rows: Positions) -> pa.Array:
    return pa.array(source.data[source.step(rows, 1)] == 1)


def _fixed(source: _Input, rows: Positions, size: int, kind: np.dtype[np.floating]) -> pa.Array:
    start = source.step(rows, size)
    return pa.array(np.ascontiguousarray(source.data[start[:, None] + np.arange(size)]).view(kind).reshape(len(rows)))


def _bytes(source: _Input, rows: Positions) -> pa.Array:
    lengths = source.longs(rows)
    start = source.step(rows, lengths)
    return take_slices(source.data, start, start + lengths)


def _strings(source: _Input, rows: Positions) -> pa.Array:
    # The cast checks that the bytes are UTF-8.
    return _bytes(source, rows).cast(pa.string())


def _times(source: _Input, rows: Positions) -> pa.Array:
    millis = source.ints(rows)
    if len(millis) and (millis.min() < 0 or millis.max() >= _DAY_MILLIS):
        raise _Refused
    return pa.array(millis * 1_000_000).view(pa.time64("ns"))


def _timestamps(result: pa.DataType, factor: int) -> Reader:
    limit = (2**63 - 1) // factor

    def read(source: _Input, rows: Positions) -> pa.Array:
        numbers = source.longs(rows)
        if len(numbers) and (numbers.min() < -limit or numbers.max() > limit):
            raise _Refused
        return pa.array(numbers * factor).view(result)

    return read


def _decimals(precision: int, scale: int) -> Reader:
    kind = pa.decimal128(precision, scale)

    def read(source: _Input, rows: Positions) -> pa.Array:
        lengths = source.longs(rows)
        start = source.step(rows, lengths)
        # A decimal that does not fit becomes NULL, one without bytes is invalid. Both are rare and left to the exact
        # reader.
        if len(lengths) and (lengths.min() < 1 or lengths.max() > 16):
            raise _Refused
        # Avro writes the highest byte first, Arrow keeps the lowest first and always has 16 bytes.
        last = (start + lengths - 1)[:, None]
        places = np.maximum(last - np.arange(16), start[:, None])
        negative = (source.data[start] & 0x80 != 0)[:, None]
        given = np.arange(16) < lengths[:, None]
        data = np.where(given, source.data[places], np.where(negative, np.uint8(255), np.uint8(0))).astype(np.uint8)
        column = pa.Array.from_buffers(kind, len(rows), [None, pa.py_buffer(data)])
        column.validate(full=True)
        return column

    return read


def _row(fields: tuple[Field, ...], legacy: bool, wanted: bool) -> Reader | None:
    readers = [_reader(field.type, legacy, wanted) for field in fields]
    known = [reader for reader in readers if reader is not None]
    if len(known) < len(readers) or not known:
        return None

    def read(source: _Input, rows: Positions) -> pa.Array | None:
        children = [_nullable(source, rows, field.type, reader) for field, reader in zip(fields, known, strict=True)]
        if not wanted:
            return None
        named = [pa.field(field.name, arrow_type(field.type)) for field in fields]
        return pa.StructArray.from_arrays(children, fields=named)

    return read
