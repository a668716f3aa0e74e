"""`format.avro-schema` of Flink 1.10 against the columns, whose own schema is the one that messages are read and written with.

>>> from firesteel.types import BigInt, Field
>>> wrong_fields('{"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}', [Field("id", BigInt())])
["the field 'id' is never null, and the column 'id' BIGINT can be NULL"]
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from firesteel.types import (
    BINARY,
    CHARACTER,
    Array,
    BigInt,
    Boolean,
    DataType,
    Date,
    Decimal,
    Double,
    Field,
    Float,
    Int,
    Map,
    Row,
    SmallInt,
    Time,
    Timestamp,
    TinyInt,
)

_PLAIN: tuple[tuple[type[DataType], str], ...] = (
    (Boolean, "boolean"),
    (TinyInt, "int"),
    (SmallInt, "int"),
    (Int, "int"),
    (BigInt, "long"),
    (Float, "float"),
    (Double, "double"),
    (Decimal, "bytes"),
    (Date, "int"),
    (Time, "int"),
    (Timestamp, "long"),
    (Array, "array"),
    (Map, "map"),
    (Row, "record"),
)


def wrong_fields(text: str, columns: Sequence[Field]) -> list[str]:
    """Where the schema's messages would differ from those of the columns; only names may."""
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        return ["it is no JSON"]
    fields = _fields(schema)
    if fields is None:
        return ["it is no Avro record"]
    if len(fields) != len(columns):
        return [f"it has {len(fields)} fields, and the table has {len(columns)} columns"]
    return [found for field, column in zip(fields, columns, strict=True) if (found := _difference(field, column))]


def _fields(schema: Any) -> list[Any] | None:
    if not isinstance(schema, dict) or schema.get("type") != "record" or not isinstance(schema.get("fields"), list):
        return None
    return list(schema["fields"])


def _difference(field: Any, column: Field) -> str | None:
    name, declared = (str(field.get("name"))[:80], field.get("type")) if isinstance(field, dict) else ("?", None)
    both = f"and the column '{column.name}' {column.type.sql}"
    nullable = isinstance(declared, list) and len(declared) == 2 and declared[0] == "null"
    if isinstance(declared, list) and not nullable:
        return f"the field '{name}' is a union that no column has, {both} is not"
    if nullable is not column.type.nullable:
        never = "can be null" if nullable else "is never null"
        return f"the field '{name}' {never}, {both} {'can be' if column.type.nullable else 'is never'} NULL"
    kind = _kind(declared[1] if isinstance(declared, list) else declared)
    wanted = _wanted(column.type)
    return None if kind == wanted else f"the field '{name}' is of Avro's type {kind}, {both} is of type {wanted}"


def _kind(declared: Any) -> str:
    return str(declared.get("type") if isinstance(declared, dict) else declared)[:80]


def _wanted(data_type: DataType) -> str:
    if isinstance(data_type, CHARACTER):
        return "string"
    if isinstance(data_type, BINARY):
        return "bytes"
    return next((name for kind, name in _PLAIN if isinstance(data_type, kind)), "?")
