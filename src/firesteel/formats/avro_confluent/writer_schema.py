"""Reads the schema a message was written with: finds its named types, and gives its types as a table would declare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel import types
from firesteel.formats.avro.schema import derive_schema
from firesteel.types import DataType, Field

PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_NAMED = ("record", "error", "enum", "fixed")
_SIMPLE: Mapping[str, DataType] = {
    "boolean": types.Boolean(nullable=False),
    "int": types.Int(nullable=False),
    "long": types.BigInt(nullable=False),
    "float": types.Float(nullable=False),
    "double": types.Double(nullable=False),
    "string": types.STRING.not_null(),
    "bytes": types.BYTES.not_null(),
}
#: A schema that is nested deeper is read record by record.
_MAX_DEPTH = 32


class BadSchema(ValueError):
    """The registry's schema is not an Avro schema."""


@dataclass(frozen=True)
class Node:
    """A part of a schema. `kind` is a primitive's name, `union`, or the schema's `type`; `name` is the full name of a
    named type.
    """

    kind: str
    schema: Any
    namespace: str
    name: str | None = None

    def attribute(self, key: str) -> Any:
        return self.schema.get(key) if isinstance(self.schema, dict) else None

    @property
    def logical(self) -> str | None:
        found = self.attribute("logicalType")
        return found if isinstance(found, str) else None

    @property
    def symbols(self) -> list[str]:
        found = self.attribute("symbols")
        if not isinstance(found, list) or not all(isinstance(symbol, str) for symbol in found):
            raise BadSchema("an enum has no symbols")
        return found

    def number(self, key: str) -> int:
        found = self.attribute(key)
        if type(found) is not int or not 0 <= found <= 1 << 30:
            raise BadSchema(f"'{key}' of a type is no number")
        return found


class WriterSchema:
    """A writer's schema. `schemas` are those that it refers to by name, then the schema itself."""

    def __init__(self, schemas: Sequence[Any]) -> None:
        self._named: dict[str, tuple[Any, str]] = {}
        for schema in schemas:
            self._define(schema, "")
        self.root = self.node(schemas[-1], "")

    def node(self, schema: Any, namespace: str) -> Node:
        """Resolves a part of a schema. Raises BadSchema."""
        if isinstance(schema, list):
            return Node("union", schema, namespace)
        if isinstance(schema, str):
            if schema in PRIMITIVES:
                return Node(schema, schema, namespace)
            for name in (schema if "." in schema or not namespace else f"{namespace}.{schema}", schema):
                if name in self._named:
                    found, inside = self._named[name]
                    return Node(_kind(found), found, inside, name)
            raise BadSchema(f"the type '{schema[:100]}' is not known")
        if not isinstance(schema, dict):
            raise BadSchema("a type is neither a name, an object nor a list")
        inner = schema.get("type")
        if isinstance(inner, (dict, list)):
            return self.node(inner, namespace)
        kind = _kind(schema)
        if kind in _NAMED:
            name, inside = _full_name(schema, namespace)
            return Node(kind, schema, inside, name)
        if kind in PRIMITIVES or kind in ("array", "map"):
            return Node(kind, schema, namespace)
        return self.node(kind, namespace)

    def branches(self, node: Node) -> list[Node]:
        return [self.node(branch, node.namespace) for branch in node.schema]

    def inner(self, node: Node, key: str) -> Node:
        return self.node(node.attribute(key), node.namespace)

    def fields(self, node: Node) -> list[tuple[str, Node]]:
        found = node.attribute("fields")
        if not isinstance(found, list):
            raise BadSchema("a record has no fields")
        result: list[tuple[str, Node]] = []
        for field in found:
            if not isinstance(field, dict) or not isinstance(field.get("name"), str):
                raise BadSchema("a field of a record has no name")
            result.append((field["name"], self.node(field.get("type"), node.namespace)))
        return result

    def data_type(self, node: Node, *, meaning: bool = True, depth: int = 0) -> DataType | None:
        """Returns the type of a column with exactly these bytes, or None. Without `meaning` the logical type of a
        number is ignored.
        """
        if depth > _MAX_DEPTH:
            return None
        if node.kind == "union":
            if len(node.schema) != 2 or node.schema[0] != "null":
                return None
            inner = self.data_type(self.node(node.schema[1], node.namespace), meaning=meaning, depth=depth + 1)
            return None if inner is None else inner.with_nullable(True)
        if node.kind in _SIMPLE:
            return (_logical(node) if meaning else None) or _SIMPLE[node.kind]
        if node.kind == "array":
            element = self.data_type(self.inner(node, "items"), meaning=meaning, depth=depth + 1)
            return None if element is None else types.Array(element, nullable=False)
        if node.kind == "map":
            value = self.data_type(self.inner(node, "values"), meaning=meaning, depth=depth + 1)
            return None if value is None else types.Map(types.STRING, value, nullable=False)
        if node.kind in ("record", "error"):
            fields: list[Field] = []
            for name, field in self.fields(node):
                found = self.data_type(field, meaning=meaning, depth=depth + 1)
                if found is None:
                    return None
                fields.append(Field(name, found))
            return types.Row(tuple(fields), nullable=False)
        return None

    def has_bytes_of(self, node: Node, data_type: DataType) -> bool:
        """Checks whether a column of this type is written in exactly these bytes."""
        found = self.data_type(node)
        if found is None:
            return False
        try:
            return bool(_wire(found) == _wire(data_type))
        except ValueError:
            return False

    def _define(self, schema: Any, namespace: str, depth: int = 0) -> None:
        if depth > 500:
            raise BadSchema("the schema is nested too deep")
        if isinstance(schema, list):
            for branch in schema:
                self._define(branch, namespace, depth + 1)
        if not isinstance(schema, dict):
            return
        if schema.get("type") in _NAMED:
            name, namespace = _full_name(schema, namespace)
            self._named.setdefault(name, (schema, namespace))
        for part in _parts(schema):
            self._define(part, namespace, depth + 1)


def _parts(schema: dict[str, Any]) -> Iterator[Any]:
    yield from (schema.get("type"), schema.get("items"), schema.get("values"))
    fields = schema.get("fields")
    for field in fields if isinstance(fields, list) else ():
        if isinstance(field, dict):
            yield field.get("type")


def _kind(schema: Any) -> str:
    kind = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(kind, str):
        raise BadSchema("a type has no name")
    return kind


def _full_name(schema: dict[str, Any], namespace: str) -> tuple[str, str]:
    """Returns the full name, and the namespace of the names inside."""
    name = schema.get("name")
    if not isinstance(name, str):
        raise BadSchema("a named type has no name")
    if "." in name:
        return name, name.rpartition(".")[0]
    own = schema.get("namespace")
    inside = own if isinstance(own, str) else namespace
    return (f"{inside}.{name}" if inside else name), inside


def _logical(node: Node) -> DataType | None:
    match node.kind, node.logical:
        case "int", "date":
            return types.Date(nullable=False)
        case "int", "time-millis":
            return types.Time(3, nullable=False)
        case "long", "timestamp-millis":
            return types.Timestamp(3, nullable=False)
        case "long", str():
            # Numbers of another unit: no column is written in these bytes.
            return types.TimestampLtz(9, nullable=False)
        case "bytes", "decimal":
            scale = node.attribute("scale")
            return types.Decimal(node.number("precision"), scale if type(scale) is int else 0, nullable=False)
    return None


def _wire(data_type: DataType) -> Any:
    return derive_schema((Field("x", data_type),))["fields"]
