"""Derives the Avro schema that Flink derives from a table. Only the order and the types matter in a message, not the
names.

>>> derive_schema((Field("id", types.BigInt(nullable=False)),), legacy=True)["fields"]
[{'name': 'id', 'type': 'long'}]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel import types
from firesteel.types import DataType, Field

NAMESPACE = "org.apache.flink.avro.generated"


def derive_schema(fields: Sequence[Field], legacy: bool = True) -> dict[str, Any]:
    """Derives the record schema of a row. Raises ValueError for a type that Avro cannot hold."""
    return {"type": "record", "name": "record", "namespace": NAMESPACE, "fields": _members("record", fields, legacy)}


def is_micros(data_type: types.Timestamp | types.TimestampLtz, legacy: bool) -> bool:
    """Checks whether a timestamp counts microseconds; otherwise it counts milliseconds. Raises ValueError."""
    precision = data_type.precision
    if legacy and isinstance(data_type, types.TimestampLtz):
        raise ValueError(f"'{data_type}' has no place in Avro. Set 'timestamp_mapping.legacy' to 'false'.")
    if legacy and precision > 3:
        raise ValueError(
            f"'{data_type}' is too precise for Avro. Use TIMESTAMP(3), or set 'timestamp_mapping.legacy' to 'false'."
        )
    if precision > 6:
        raise ValueError(f"'{data_type}' is too precise for Avro. Use a precision up to 6.")
    return precision > 3


def _members(name: str, fields: Sequence[Field], legacy: bool) -> list[dict[str, Any]]:
    members: list[dict[str, Any]] = []
    for field in fields:
        inner = _schema(f"{name}_{field.name}", field.type, legacy)
        if field.type.nullable:
            members.append({"name": field.name, "type": inner, "default": None})
        else:
            members.append({"name": field.name, "type": inner})
    return members


def _schema(name: str, data_type: DataType, legacy: bool) -> Any:
    plain = _plain(name, data_type, legacy)
    return ["null", plain] if data_type.nullable else plain


def _plain(name: str, data_type: DataType, legacy: bool) -> Any:
    match data_type:
        case types.Boolean():
            return "boolean"
        case types.TinyInt() | types.SmallInt() | types.Int():
            return "int"
        case types.BigInt():
            return "long"
        case types.Float():
            return "float"
        case types.Double():
            return "double"
        case types.Char() | types.Varchar():
            return "string"
        case types.Binary() | types.Varbinary():
            return "bytes"
        case types.Decimal(precision, scale):
            return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
        case types.Date():
            return {"type": "int", "logicalType": "date"}
        case types.Time(precision):
            if precision > 3:
                raise ValueError(f"'TIME({precision})' is too precise for Avro. Use TIME(3) or less.")
            return {"type": "int", "logicalType": "time-millis"}
        case types.Timestamp() | types.TimestampLtz():
            unit = "micros" if is_micros(data_type, legacy) else "millis"
            local = "" if legacy or isinstance(data_type, types.TimestampLtz) else "local-"
            return {"type": "long", "logicalType": f"{local}timestamp-{unit}"}
        case types.Row(fields):
            return {"type": "record", "name": name, "fields": _members(name, fields, legacy)}
        case types.Array(element):
            return {"type": "array", "items": _schema(name, element, legacy)}
        case types.Map(key, value):
            _check_key(data_type, key)
            return {"type": "map", "values": _schema(name, value, legacy)}
        case types.Multiset(element):
            _check_key(data_type, element)
            return {"type": "map", "values": "int"}
    raise ValueError(f"'{data_type}' has no place in Avro.")


def _check_key(data_type: DataType, key: DataType) -> None:
    if not isinstance(key, types.CHARACTER):
        raise ValueError(f"'{data_type}' has a key that is no string. Avro's map keys are strings: use STRING.")
