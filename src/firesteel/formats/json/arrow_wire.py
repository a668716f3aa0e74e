"""Decides how Arrow reads a column from JSON: as which Arrow type, and how the result becomes the column's values.

A column that Arrow reads must have the values that Flink's reader gives. Flink has two readers: one reads tokens
(`json`), the other builds a tree first (the changelog formats). They differ where a number becomes a float.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from firesteel import types
from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.column import timestamp as text_column
from firesteel.formats.column.text import Finish, text_reader
from firesteel.formats.java import jackson
from firesteel.formats.json import epoch
from firesteel.formats.json.epoch import EpochRules
from firesteel.types import DataType, Field

_SEPARATOR = {False: " ", True: "T"}
_PLAIN = (
    types.Boolean,
    types.TinyInt,
    types.SmallInt,
    types.Int,
    types.BigInt,
    types.Double,
    types.Float,
    types.Decimal,
    types.Char,
    types.Varchar,
)
#: Whole numbers up to this one are exact as 64-bit floats.
_EXACT_WHOLE = 2.0**53


@dataclass(frozen=True)
class WireRules:
    """The rules of Flink's reader for a table. `nested_rows`: a field that a nested row lacks is NULL. `tree`: the
    reader that builds a tree; `decimals` if the table has a DECIMAL column, which makes every fraction in the tree
    exact. `texts`: all values are JSON strings.
    """

    iso_timestamps: bool = False
    #: Times and timestamps as Flink 1.10 wrote them.
    legacy_times: bool = False
    nested_rows: bool = True
    tree: bool = False
    decimals: bool = False
    texts: bool = False
    epochs: EpochRules = field(default_factory=EpochRules)


@dataclass(frozen=True)
class WireColumn:
    wire: pa.DataType
    finish: Finish


def as_is(array: pa.Array) -> pa.Array:
    return array


def wire_column(data_type: DataType, rules: WireRules) -> WireColumn | None:
    """Returns how Arrow reads a type, or None if only the exact reader can read it."""
    special = epoch.wire(data_type, rules.epochs)
    if special is not None:
        return WireColumn(*special)
    if rules.texts and not (rules.iso_timestamps and isinstance(data_type, (types.Timestamp, types.TimestampLtz))):
        read = text_reader(data_type) if not isinstance(data_type, (types.Array, types.Row)) else None
        if read is not None:
            return WireColumn(pa.string(), read)
    match data_type:
        case types.Float() if rules.tree:
            return WireColumn(pa.float32(), _unsigned_zero) if rules.decimals else WireColumn(pa.float64(), _narrowed)
        case types.Double() if rules.tree:
            return WireColumn(pa.float64(), _unsigned_zero)
        case types.Binary() | types.Varbinary():
            return WireColumn(pa.string(), _base64)
        case types.Date():
            return WireColumn(pa.string(), _texts(text_column.read_dates, data_type))
        case types.Time():
            return None if rules.legacy_times else WireColumn(pa.string(), _texts(text_column.read_times, data_type))
        case types.Timestamp() | types.TimestampLtz():
            utc = isinstance(data_type, types.TimestampLtz)
            if rules.legacy_times:
                return WireColumn(pa.string(), _without_zone(text_column.timestamp_reader("T", True), utc))
            return WireColumn(pa.string(), text_column.timestamp_reader(_SEPARATOR[rules.iso_timestamps], utc))
        case types.Row(fields):
            # Arrow does not tell which fields of a nested row were missing.
            return _row(fields, replace(rules, texts=False)) if rules.nested_rows else None
        case types.Array(element):
            inner = wire_column(element, replace(rules, texts=False))
            return None if inner is None else WireColumn(pa.list_(inner.wire), _elements(inner))
    return WireColumn(arrow_type(data_type), as_is) if isinstance(data_type, _PLAIN) else None


def _without_zone(read: Finish, utc: bool) -> Finish:
    """Wraps a reader for a TIMESTAMP that is written with a `Z`."""
    if utc:
        return read

    def finish(texts: pa.Array) -> pa.Array | None:
        moments = read(texts)
        return None if moments is None else moments.view(pa.timestamp("us"))

    return finish


def wire_columns(fields: Sequence[Field], rules: WireRules) -> list[WireColumn] | None:
    """Returns how Arrow reads each field, or None if it cannot read all of them."""
    columns: list[WireColumn] = []
    for item in fields:
        column = wire_column(item.type, rules)
        if column is None:
            return None
        columns.append(column)
    return columns


def wire_struct(fields: Sequence[Field], columns: Sequence[WireColumn]) -> pa.StructType:
    return pa.struct([pa.field(item.name, column.wire) for item, column in zip(fields, columns, strict=True)])


def _unsigned_zero(array: pa.Array) -> pa.Array | None:
    """Removes the sign of zero as a tree does: it keeps the sign of -0.0 but not of -0, and neither with exact fractions."""
    numbers = array.fill_null(1).to_numpy(zero_copy_only=False)
    return None if (np.signbit(numbers) & (numbers == 0)).any() else array


def _narrowed(array: pa.Array) -> pa.Array | None:
    """Rounds to 32 bits: a fraction by way of 64 bits, a whole number directly."""
    numbers = array.fill_null(1).to_numpy(zero_copy_only=False)
    if (np.abs(numbers) > _EXACT_WHOLE).any():
        return None
    checked = _unsigned_zero(array)
    return None if checked is None else checked.cast(pa.float32())


def _base64(texts: pa.Array) -> pa.Array | None:
    try:
        values = [None if text is None else jackson.decode_base64(text) for text in texts.to_pylist()]
    except ValueError:
        return None
    return pa.array(values, pa.binary())


def _texts(reader: text_column.Reader, data_type: DataType) -> Finish:
    result = arrow_type(data_type)
    return lambda texts: text_column.read_column(texts, reader, result)


def _row(fields: Sequence[Field], rules: WireRules) -> WireColumn | None:
    columns = wire_columns(fields, rules)
    if not columns:
        return None
    wire = wire_struct(fields, columns)
    if all(column.finish is as_is for column in columns):
        return WireColumn(wire, as_is)

    def finish(array: pa.Array) -> pa.Array | None:
        children: list[pa.Array] = []
        for column, child in zip(columns, array.flatten(), strict=True):
            finished = column.finish(child)
            if finished is None:
                return None
            children.append(finished)
        named = [pa.field(item.name, child.type) for item, child in zip(fields, children, strict=True)]
        return pa.StructArray.from_arrays(children, fields=named, mask=array.is_null())

    return WireColumn(wire, finish)


def _elements(inner: WireColumn) -> Callable[[pa.Array], pa.Array | None]:
    if inner.finish is as_is:
        return as_is

    def finish(array: pa.Array) -> pa.Array | None:
        finished = inner.finish(array.values)
        if finished is None:
            return None
        return pa.ListArray.from_arrays(array.offsets, finished, mask=array.is_null() if array.null_count else None)

    return finish
