"""Tables for the tests of this room, from the texts people write."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from firesteel import types
from firesteel.formats.bound import BoundFormat
from firesteel.formats.builtin import FORMATS
from firesteel.options.value import OptionValues
from firesteel.types import DataType, Field

_ROWS = {spec.name: spec.rows for spec in FORMATS}
_SIMPLE: dict[str, type[DataType]] = {
    "BOOLEAN": types.Boolean,
    "TINYINT": types.TinyInt,
    "SMALLINT": types.SmallInt,
    "INT": types.Int,
    "BIGINT": types.BigInt,
    "FLOAT": types.Float,
    "DOUBLE": types.Double,
    "DATE": types.Date,
}
_SIZED: dict[str, type[DataType]] = {
    "CHAR": types.Char,
    "VARCHAR": types.Varchar,
    "BINARY": types.Binary,
    "VARBINARY": types.Varbinary,
    "DECIMAL": types.Decimal,
    "TIME": types.Time,
    "TIMESTAMP": types.Timestamp,
    "TIMESTAMP_LTZ": types.TimestampLtz,
}
_OPTION = re.compile(r"'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'")


def bind(fields: Sequence[Field], name: str, options: Mapping[str, str] | None = None) -> BoundFormat:
    """A format on these fields; the options are given as a script gives them, without the format's prefix."""
    known = {row.key: row for row in _ROWS[name]}
    values = {key: known[key].kind.parse(text) for key, text in (options or {}).items()}
    return BoundFormat(name, OptionValues(values), tuple(fields), tuple(field.name for field in fields))


def parse_options(text: str) -> tuple[str, dict[str, str]]:
    """The format's name and its own options, out of a WITH clause."""
    options = {key: value.replace("''", "'") for key, value in _OPTION.findall(text)}
    name = options["format"]
    return name, {key.removeprefix(f"{name}."): value for key, value in options.items() if key.startswith(f"{name}.")}


def parse_columns(text: str) -> tuple[Field, ...]:
    """`id INT, r ROW<a INT, s STRING>` as fields."""
    fields = []
    for column in _split(text):
        name, _, data_type = column.partition(" ")
        fields.append(Field(name, parse_type(data_type.strip())))
    return tuple(fields)


def parse_type(text: str) -> DataType:
    if text.endswith(" NOT NULL"):
        return parse_type(text.removesuffix(" NOT NULL")).not_null()
    head, _, rest = text.partition("<")
    if rest:
        inner = rest[:-1]
        match head:
            case "ARRAY":
                return types.Array(parse_type(inner))
            case "MULTISET":
                return types.Multiset(parse_type(inner))
            case "MAP":
                key, value = _split(inner)
                return types.Map(parse_type(key), parse_type(value))
            case "ROW":
                return types.Row(parse_columns(inner))
    if text in ("STRING", "BYTES"):
        return types.STRING if text == "STRING" else types.BYTES
    if text in _SIMPLE:
        return _SIMPLE[text]()
    head, _, sizes = text.partition("(")
    return _SIZED[head](*[int(size) for size in sizes.rstrip(")").split(",")] if sizes else [])


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [part.strip() for part in [*parts, text[start:]]]
