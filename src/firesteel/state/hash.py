"""Hashes values of any type to whole numbers, and compares them, column by column.

The numbers are part of what is stored: a change here is a change of the state's format.

>>> first, second, third = hash_columns([pa.array([1, None, 1]), pa.array(["a", "b", "a"])], 0)
>>> bool(first == third), bool(first == second)
(True, False)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.state.order import Bools, Ints

_Words = NDArray[np.uint64]
_GOLDEN, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_NULL = np.uint64(0x5851F42D4C957F2D)
#: The bytes of a word that belong to a text of which so many bytes are left.
_TAIL = np.array([(1 << (8 * size)) - 1 for size in range(8)] + [2**64 - 1], np.uint64)


def hash_columns(columns: Sequence[pa.Array], seed: int) -> Ints:
    """Hashes rows: equal rows have equal numbers. NULL equals NULL, NaN equals NaN."""
    hashed = _mixed(np.full(len(columns[0]), (seed + 1) * 0x9E3779B97F4A7C15 % 2**64, np.uint64))
    for column in columns:
        hashed = _mixed(hashed * _GOLDEN + _hash_column(column))
    return hashed.view(np.int64)


def _mixed(words: _Words) -> _Words:
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def _hash_column(column: pa.Array) -> _Words:
    hashed = _hash_values(column)
    if column.null_count:
        hashed[column.is_null().to_numpy(zero_copy_only=False)] = _NULL
    return hashed


def _hash_values(column: pa.Array) -> _Words:
    kind = column.type
    if not len(column):
        return np.empty(0, np.uint64)
    if pa.types.is_null(kind):
        return np.full(len(column), _NULL)
    if pa.types.is_dictionary(kind):
        return _hash_column(column.dictionary_decode())
    if pa.types.is_boolean(kind):
        flags: Bools = pc.fill_null(column, False).to_numpy(zero_copy_only=False)
        return flags.astype(np.uint64)
    if pa.types.is_decimal(kind) or pa.types.is_fixed_size_binary(kind):
        return _hash_bytes(column.cast(pa.binary(kind.byte_width)) if pa.types.is_fixed_size_binary(kind) else column)
    if pa.types.is_primitive(kind):
        return fixed_width(column).astype(np.int64, copy=True).view(np.uint64)
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return _hash_texts(column)
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return _hash_texts(column.cast(pa.binary()))
    if pa.types.is_struct(kind):
        return (
            hash_columns(column.flatten(), 7).view(np.uint64).copy()
            if kind.num_fields
            else np.zeros(len(column), np.uint64)
        )
    if pa.types.is_map(kind):
        return _hash_lists(
            len(column), column.offsets, pa.StructArray.from_arrays([column.keys, column.items], ["k", "v"])
        )
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _hash_lists(len(column), column.offsets, column.values)
    raise TypeError(f"{kind} has no hash")


def fixed_width(column: pa.Array) -> Ints:
    """Gives the values of up to 64 bits as whole numbers that are equal where the values are; NULL is any number."""
    kind = column.type
    if not len(column):
        return np.empty(0, np.int64)
    if pa.types.is_floating(kind):
        floats = pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False).astype(np.float64)
        floats[np.isnan(floats)] = np.nan
        bits: Ints = floats.view(np.int64)
        return bits
    width = kind.bit_width
    if column.null_count and pa.types.is_integer(kind):
        column = pc.fill_null(column, 0)
    buffer = column.buffers()[1]
    integers = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}[width]
    values = np.frombuffer(buffer, integers, len(column), column.offset * (width // 8))
    return values.astype(np.int64, copy=False)


def _hash_bytes(column: pa.Array) -> _Words:
    """Hashes values of one width, word by word."""
    width = column.type.byte_width
    if pa.types.is_decimal(column.type):
        data = np.frombuffer(column.buffers()[1], np.uint64, len(column) * (width // 8), column.offset * width)
        hashed = np.zeros(len(column), np.uint64)
        for word in data.reshape(-1, width // 8).T:
            hashed = _mixed(hashed * _GOLDEN + word)
        return hashed
    return _hash_texts(column.cast(pa.binary()))


def _hash_texts(column: pa.Array) -> _Words:
    """Hashes texts eight bytes at a time, all texts at once."""
    _, offsets_buffer, data_buffer = column.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32, len(column) + 1, column.offset * 4).astype(np.int64)
    start, length = offsets[:-1], np.diff(offsets)
    if column.null_count:
        length = np.where(column.is_null().to_numpy(zero_copy_only=False), 0, length)
    low, high = (int(offsets[0]), int(offsets[-1])) if len(column) else (0, 0)
    data = np.zeros(high - low + 8, np.uint8)
    if high > low:
        data[: high - low] = np.frombuffer(data_buffer, np.uint8, high - low, low)
    words = np.ndarray((high - low + 1,), np.dtype("<u8"), data.data, strides=(1,))
    hashed = _mixed(length.astype(np.uint64) + _FIRST)
    rows = np.flatnonzero(length > 0)
    at = 0
    while len(rows):
        word = words[start[rows] - low + at] & _TAIL[np.minimum(length[rows] - at, 8)]
        hashed[rows] = _mixed(hashed[rows] * _GOLDEN + word)
        at += 8
        rows = rows[length[rows] > at]
    return hashed


def _hash_lists(count: int, offsets: pa.Array, values: pa.Array) -> _Words:
    """Hashes lists from their members and lengths."""
    edges = offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    members = values.slice(int(edges[0]), int(edges[-1] - edges[0])) if count else values.slice(0, 0)
    hashed = hash_columns([members], 5).view(np.uint64) if len(members) else np.zeros(0, np.uint64)
    edges = edges - edges[0] if count else edges
    length = np.diff(edges) if count else np.zeros(0, np.int64)
    # the order counts: each member is mixed with its place
    place = np.arange(len(hashed)) - np.repeat(edges[:-1], length)
    sums = np.append(np.uint64(0), np.cumsum(_mixed(hashed + place.astype(np.uint64) * _GOLDEN), dtype=np.uint64))
    return _mixed(sums[edges[1:]] - sums[edges[:-1]] + length.astype(np.uint64) * _GOLDEN)


def same_values(one: pa.Array, other: pa.Array) -> Bools:
    """Tells which values of two columns are the same. NULL equals NULL, NaN equals NaN."""
    same: Bools
    kind = one.type
    if pa.types.is_null(kind):
        return np.ones(len(one), bool)
    if pa.types.is_primitive(kind) and not pa.types.is_boolean(kind):
        same = fixed_width(one) == fixed_width(other)
    elif pa.types.is_nested(kind) or pa.types.is_dictionary(kind):
        same = hash_columns([one], 1) == hash_columns([other], 1)
        same = np.logical_and(same, hash_columns([one], 2) == hash_columns([other], 2))
        return same
    else:
        same = pc.fill_null(pc.equal(one, other), False).to_numpy(zero_copy_only=False)
    if one.null_count or other.null_count:
        null: Bools = one.is_null().to_numpy(zero_copy_only=False)
        other_null: Bools = other.is_null().to_numpy(zero_copy_only=False)
        both: Bools = null & other_null
        same = np.logical_or(np.logical_and(same, ~(null | other_null)), both)
    return same


def same_rows(one: Sequence[pa.Array], other: Sequence[pa.Array], count: int) -> Bools:
    """Tells which rows of two tables are the same in all columns."""
    same: Bools = np.ones(count, bool)
    for left, right in zip(one, other, strict=True):
        np.logical_and(same, same_values(left, right), out=same)
    return same
