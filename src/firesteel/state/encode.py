"""Turns values into whole numbers that sort as the values do in Flink: text by its bytes, NaN above all other numbers.

>>> order_prefix(pa.array([2, None, -1]), descending=True, nulls_first=False)[0].tolist()
[-3, 9223372036854775807, 0]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.state.hash import fixed_width
from firesteel.state.order import Ints

_LEAST, _MOST = -(2**63), 2**63 - 1
#: Decimals of so many digits fit into 64 bits.
_SHORT_DECIMAL = 18


def is_exact(kind: pa.DataType) -> bool:
    """Tells whether different values of a type have different numbers, NULL left out."""
    if pa.types.is_decimal(kind):
        return bool(kind.precision <= _SHORT_DECIMAL)
    return bool(pa.types.is_primitive(kind))


def order_prefix(column: pa.Array, descending: bool, nulls_first: bool) -> tuple[Ints, bool]:
    """Gives numbers that never contradict the order of values, and whether different values have different ones."""
    exact = is_exact(column.type)
    code = _ascending(column)
    if descending:
        code = ~code
    if column.null_count:
        code = np.where(column.is_null().to_numpy(zero_copy_only=False), _LEAST if nulls_first else _MOST, code)
        exact = False
    return code, exact


def order_codes(column: pa.Array, descending: bool, nulls_first: bool) -> Sequence[Ints]:
    """Gives numbers by which the values of this one column can be sorted, exactly; those of other columns cannot be compared."""
    if is_exact(column.type):
        code = _ascending(column)
    else:
        code = pc.rank(column, tiebreaker="dense").to_numpy().astype(np.int64)
    if descending:
        code = ~code
    if not column.null_count:
        return [code]
    null = column.is_null().to_numpy(zero_copy_only=False)
    return [np.where(null, 0, 1) if nulls_first else null.astype(np.int64), np.where(null, 0, code)]


def _ascending(column: pa.Array) -> Ints:
    kind = column.type
    if not len(column):
        return np.empty(0, np.int64)
    if pa.types.is_boolean(kind):
        flags: Ints = pc.fill_null(column, False).to_numpy(zero_copy_only=False).astype(np.int64)
        return flags
    if pa.types.is_decimal(kind):
        if kind.precision <= _SHORT_DECIMAL:
            words = np.frombuffer(column.buffers()[1], np.int64, len(column) * 2, column.offset * 16)
            return words[::2].copy()
        column, kind = column.cast(pa.float64()), pa.float64()
    if pa.types.is_floating(kind):
        bits = fixed_width(column)
        return np.where(bits < 0, bits ^ _MOST, bits)
    if pa.types.is_primitive(kind):
        return fixed_width(column)
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return _first_bytes(column)
    raise TypeError(f"{kind} has no order")


def _first_bytes(column: pa.Array) -> Ints:
    """Gives the first eight bytes of texts as one number."""
    _, offsets_buffer, data_buffer = column.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32, len(column) + 1, column.offset * 4).astype(np.int64)
    length = np.diff(offsets)
    code = np.zeros(len(column), np.uint64)
    data = np.frombuffer(data_buffer, np.uint8) if data_buffer is not None else np.zeros(0, np.uint8)
    for place in range(8):
        rows = np.flatnonzero(length > place)
        if not len(rows):
            break
        code[rows] |= data[offsets[rows] + place].astype(np.uint64) << np.uint64(8 * (7 - place))
    return (code ^ np.uint64(1 << 63)).view(np.int64)
