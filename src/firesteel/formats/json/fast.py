"""Reads a block of JSON messages at once, through Arrow's JSON reader.

A block is refused unless it is proven that the exact reader would give the same rows. The proof:

- Each message starts with `{`, ends with `}` and has no line break, and the messages are joined by line breaks. No
  object can extend over a join: inside an object `}` is never followed by `{`, and Arrow refuses a line break inside a
  string. So every message has at least one complete object, and if there are as many rows as messages, each has exactly
  one.
- Arrow refuses what Flink converts (a string to a number, 1.0 to INT, a number to STRING) and repeated names. What
  Arrow accepts and Flink does not (NaN, Infinity, text that is not UTF-8, unlimited nesting or numbers) is searched for
  in the bytes.
- Arrow's own validation finds decimals that do not fit their column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.json
from numpy.typing import NDArray

from firesteel.formats.json.arrow_wire import WireColumn, WireRules, wire_columns, wire_struct
from firesteel.formats.json.exact import has_decimal
from firesteel.formats.json.limit import MAX_DEPTH, MAX_NUMBER, MAX_STRING, TooLarge, check_depth, has_long_number
from firesteel.formats.json.same_shape import AlikeReader
from firesteel.formats.json.settings import JsonSettings
from firesteel.formats.two_paths import Chunk
from firesteel.types import Field

_CONSTANT = re.compile(rb"(?:NaN|Inf)(?<=[:,\[\s-]...)")
#: Arrow reads outside its buffers, and crashes the worker, for a decimal such as 1e-999999999. Escapes could hide one.
_WILD_DECIMAL = re.compile(rb"[eE][-+]?[0-9]{3}|\\u")
_MAX_BLOCK = 1 << 30
#: After so many blocks in a row whose messages had different shapes, the shape is not tried any more.
_MOST_MISSES = 4


class TableReader:
    """Reads messages, each one JSON object, into an Arrow table of the given schema."""

    def __init__(self, schema: pa.Schema) -> None:
        self._parse = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        self._has_decimals = "decimal128" in str(schema)
        self._alike = AlikeReader(schema) if AlikeReader.knows(schema) else None
        self._misses = 0

    def read(self, messages: Sequence[bytes]) -> pa.Table | None:
        lengths = np.fromiter(map(len, messages), dtype=np.int64, count=len(messages))
        return self.read_lines(b"\n".join(messages), lengths)

    def read_lines(self, joined: bytes | bytearray, lengths: NDArray[np.int64]) -> pa.Table | None:
        """Reads messages that are joined by line breaks. `lengths` are the lengths of the messages."""
        if not _is_safe(joined, lengths) or (self._has_decimals and _WILD_DECIMAL.search(joined)):
            return None
        alike = self._read_alike(joined, lengths)
        if alike is not None:
            return alike
        read_options = pyarrow.json.ReadOptions(use_threads=False, block_size=len(joined) + 64)
        try:
            table = pyarrow.json.read_json(pa.py_buffer(joined), read_options=read_options, parse_options=self._parse)
        except pa.ArrowException:
            return None
        return table if table.num_rows == len(lengths) else None

    def _read_alike(self, joined: bytes | bytearray, lengths: NDArray[np.int64]) -> pa.Table | None:
        if self._alike is None or self._misses > _MOST_MISSES:
            return None
        table = self._alike.read(joined, lengths)
        self._misses = 0 if table is not None else self._misses + 1
        return table


class BlockReader:
    def __init__(self, schema: pa.Schema, columns: Sequence[WireColumn], complete: bool) -> None:
        self._table = TableReader(schema)
        self._columns = columns
        self._complete = complete

    def read(self, messages: Sequence[bytes]) -> Chunk | None:
        """Reads one array for each column. Returns None if the block is refused."""
        table = self._table.read(messages)
        if table is None:
            return None
        arrays: list[pa.Array] = []
        for index, column in enumerate(self._columns):
            array = one_chunk(table.column(index))
            # A column that is missing in a message looks to Arrow like one that is NULL.
            if self._complete and array.null_count:
                return None
            finished = finish(column, array)
            if finished is None:
                return None
            arrays.append(finished)
        return Chunk(arrays)


def block_reader(fields: Sequence[Field], settings: JsonSettings, table: Sequence[Field]) -> BlockReader | None:
    """Makes the reader of a table's columns. Returns None if the type of a column needs the exact reader."""
    rules = WireRules(
        iso_timestamps=settings.iso_timestamps,
        legacy_times=settings.legacy_times,
        nested_rows=not settings.fail_on_missing_field,
        tree=settings.tree,
        decimals=any(has_decimal(field.type) for field in table),
    )
    columns = wire_columns(fields, rules)
    if columns is None:
        return None
    return BlockReader(pa.schema(wire_struct(fields, columns)), columns, complete=settings.fail_on_missing_field)


def finish(column: WireColumn, array: pa.Array) -> pa.Array | None:
    """Converts an array that Arrow has read to the column's own type. Returns None if the exact reader has to read it."""
    try:
        array.validate(full=True)
        return column.finish(array)
    except pa.ArrowException:
        return None


def _is_safe(joined: bytes | bytearray, lengths: NDArray[np.int64]) -> bool:
    if not 0 < len(joined) <= _MAX_BLOCK:
        return False
    data = np.frombuffer(joined, dtype=np.uint8)
    ends = np.cumsum(lengths + 1) - 1
    if (data[ends - lengths] != ord("{")).any() or (data[ends - 1] != ord("}")).any():
        return False
    # Most blocks have no control characters except the line breaks between messages.
    joints = len(lengths) - 1
    if np.count_nonzero(data < 0x20) != joints and (
        joined.count(b"\n") != joints or b"\r" in joined or b"\0" in joined
    ):
        return False
    if (_holds(joined, data, b"NaN") or _holds(joined, data, b"Inf")) and _CONSTANT.search(joined):
        return False
    if not joined.isascii():
        try:
            joined.decode("utf-8")
        except UnicodeDecodeError:
            return False
    longest = int(lengths.max())
    # A message that is nested too deep has at least as many bytes as levels.
    return longest <= MAX_DEPTH or (longest <= MAX_STRING and all(map(_is_modest, bytes(joined).split(b"\n"))))


def _holds(joined: bytes | bytearray, data: NDArray[np.uint8], word: bytes) -> bool:
    """Checks whether the block contains a word of three letters. Looks for one letter first: `in` is many times faster
    for it.
    """
    if word[:1] not in joined:
        return False
    first = np.flatnonzero(data[:-2] == word[0])
    return bool(((data[first + 1] == word[1]) & (data[first + 2] == word[2])).any())


def _is_modest(message: bytes) -> bool:
    if len(message) <= MAX_DEPTH:
        return True
    if len(message) > MAX_NUMBER and has_long_number(message):
        return False
    if message.count(b"{") + message.count(b"[") <= MAX_DEPTH:
        return True
    try:
        check_depth(message.decode("utf-8", "replace"))
    except TooLarge:
        return False
    return True


def one_chunk(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
