"""Converts Flink's types to Arrow types, in the form that Spark expects.

Every column and every nested field is nullable in Arrow, whatever the table declares: Flink's decoders put NULL into
NOT NULL columns too, and the plan enforces the constraint, not the format.

>>> arrow_type(types.Timestamp(3)), arrow_type(types.Map(types.STRING, types.Int()))
(TimestampType(timestamp[us]), MapType(map<string, int32>))
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel import types
from firesteel.types import DataType, Field

_SIMPLE: dict[type[DataType], pa.DataType] = {
    types.Null: pa.null(),
    types.Boolean: pa.bool_(),
    types.TinyInt: pa.int8(),
    types.SmallInt: pa.int16(),
    types.Int: pa.int32(),
    types.BigInt: pa.int64(),
    types.Float: pa.float32(),
    types.Double: pa.float64(),
    types.Char: pa.string(),
    types.Varchar: pa.string(),
    types.Binary: pa.binary(),
    types.Varbinary: pa.binary(),
    types.Date: pa.date32(),
    # PySpark's TimeType is nanoseconds in Arrow.
    types.Time: pa.time64("ns"),
    types.Timestamp: pa.timestamp("us"),
    types.TimestampLtz: pa.timestamp("us", "UTC"),
}


def arrow_type(data_type: DataType) -> pa.DataType:
    simple = _SIMPLE.get(type(data_type))
    if simple is not None:
        return simple
    match data_type:
        case types.Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case types.Array(element):
            return pa.list_(arrow_type(element))
        case types.Map(key, value):
            return pa.map_(arrow_type(key), arrow_type(value))
        case types.Multiset(element):
            return pa.map_(arrow_type(element), pa.int32())
        case types.Row(fields):
            return pa.struct([pa.field(field.name, arrow_type(field.type)) for field in fields])
    raise ValueError(f"'{data_type}' has no Arrow type. It cannot be a column of a table.")


def arrow_schema(fields: Sequence[Field]) -> pa.Schema:
    return pa.schema([pa.field(field.name, arrow_type(field.type)) for field in fields])


def record_batch(arrays: Sequence[pa.Array], schema: pa.Schema, rows: int) -> pa.RecordBatch:
    """Makes a batch that keeps its number of rows even if it has no columns, as COUNT(*) needs it."""
    if not len(schema):
        # `from_arrays` takes the row count from the first array. A struct array without fields has a count of its own.
        return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))
    return pa.RecordBatch.from_arrays(list(arrays), schema=schema)


def as_type(column: pa.Array, data_type: DataType) -> pa.Array:
    """Casts a column to the Arrow type of its Flink type. A map may also be given as the list of its entries."""
    wanted = arrow_type(data_type)
    if column.type == wanted or (pa.types.is_map(wanted) and pa.types.is_list(column.type)):
        return column
    return column.cast(wanted)


def map_entries(column: pa.Array) -> pa.ListArray:
    """Turns a map into a list of structs of key and value. A column whose maps may have a NULL key is such a list
    already: Flink allows NULL keys, Arrow and Spark do not.
    """
    if pa.types.is_list(column.type):
        return column
    kind = column.type
    return column.cast(pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)])))
