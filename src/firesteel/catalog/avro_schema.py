"""Reads `format.avro-schema` of Flink 1.10: the schema of the messages, which says more than the columns of a table.

Names have no meaning in a message and a NULL needs a union, so the schema is accepted if it has the same types as the
columns, apart from names and NULLs.

>>> from firesteel.types import BigInt, Field
>>> one = '{"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}]}'
>>> written_fields(one, [Field("id", BigInt())])
((Field(name='id', type=BigInt(nullable=False)),), [])
>>> written_fields(one.replace("long", "int"), [Field("id", BigInt())])[1]
["the field 'a' is of Avro's type int, and the column 'id' is BIGINT"]
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
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

_PLAIN: tuple[tuple[type[DataType], str, str], ...] = (
    (Boolean, "boolean", ""),
    (TinyInt, "int", ""),
    (SmallInt, "int", ""),
    (Int, "int", ""),
    (BigInt, "long", ""),
    (Float, "float", ""),
    (Double, "double", ""),
    (Decimal, "bytes", "decimal"),
    (Date, "int", "date"),
    (Time, "int", "time-millis"),
    (Timestamp, "long", "timestamp-millis"),
)


class _Different(Exception):
    """The schema differs from the columns; the text of the error tells where."""


def written_fields(text: str, columns: Sequence[Field]) -> tuple[tuple[Field, ...], list[str]]:
    """Returns the columns with the nullability of the schema, and the differences from the schema."""
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        return tuple(columns), ["it is no JSON"]
    fields = _fields(schema)
    if fields is None:
        return tuple(columns), ["it is no Avro record"]
    if len(fields) != len(columns):
        return tuple(columns), [f"it has {len(fields)} fields, and the table has {len(columns)} columns"]
    adapted: list[Field] = []
    wrong: list[str] = []
    for field, column in zip(fields, columns, strict=True):
        name, declared = (str(field.get("name"))[:80], field.get("type")) if isinstance(field, dict) else ("?", None)
        try:
            adapted.append(Field(column.name, _written(declared, column.type)))
        except _Different as different:
            wrong.append(f"the field '{name}' is {different}, and the column '{column.name}' is {column.type.sql}")
    return tuple(adapted) if not wrong else tuple(columns), wrong


def _fields(schema: Any) -> list[Any] | None:
    if not isinstance(schema, dict) or schema.get("type") != "record" or not isinstance(schema.get("fields"), list):
        return None
    return list(schema["fields"])


def _written(declared: Any, data_type: DataType) -> DataType:
    """Returns the type, nullable where the schema allows null."""
    nullable = isinstance(declared, list)
    if isinstance(declared, list):
        if len(declared) != 2 or declared[0] != "null":
            raise _Different("a union of something else than null and one type")
        declared = declared[1]
    kind, logical = _kind(declared)
    match data_type:
        case Row(fields=columns):
            fields = _fields(declared)
            if fields is None or len(fields) != len(columns):
                raise _Different(f"of Avro's type {kind}" if fields is None else "a record of other fields")
            types = (
                _written(field.get("type") if isinstance(field, dict) else None, column.type)
                for field, column in zip(fields, columns, strict=True)
            )
            inner = tuple(Field(column.name, one) for column, one in zip(columns, types, strict=True))
            return replace(data_type, fields=inner, nullable=nullable)
        case Array(element=element) if kind == "array":
            return replace(data_type, element=_written(declared.get("items"), element), nullable=nullable)
        case Map(value=value) if kind == "map":
            return replace(data_type, value=_written(declared.get("values"), value), nullable=nullable)
    if (kind, logical) != _wanted(data_type):
        raise _Different(f"of Avro's type {logical or kind}")
    return data_type.with_nullable(nullable)


def _kind(declared: Any) -> tuple[str, str]:
    """Returns Avro's type, and its logical type if Flink maps it to a type of its own."""
    if not isinstance(declared, dict):
        return str(declared)[:80], ""
    logical = str(declared.get("logicalType", ""))[:80]
    known = {name for _, _, name in _PLAIN if name}
    return str(declared.get("type"))[:80], logical if logical in known else ""


def _wanted(data_type: DataType) -> tuple[str, str]:
    if isinstance(data_type, CHARACTER):
        return "string", ""
    if isinstance(data_type, BINARY):
        return "bytes", ""
    return next(((name, logical) for kind, name, logical in _PLAIN if isinstance(data_type, kind)), ("?", ""))
