"""Renders records as `firesteel topic read` prints them: a line for people, or a line of JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from firesteel.dev.record import Record
from firesteel.errors import UsageError

if TYPE_CHECKING:
    from firesteel.formats.bound import BoundFormat

TOMBSTONE = "∅ tombstone"
NO_KEY = "∅"

#: Decodes bytes to a value that JSON can hold. Raises `ValueError` if they are not in this format.
Decode: TypeAlias = Callable[[bytes], object]


@dataclass(frozen=True)
class Undecodable:
    """Bytes that cannot be decoded: the raw text, and the reason."""

    shown: str
    why: str


@dataclass(frozen=True)
class View:
    """The decoders of keys and values, and what else is shown."""

    key: Decode
    value: Decode
    headers: bool = False


def decode_raw(data: bytes) -> object:
    """Decodes bytes to text if they are text, otherwise to hexadecimal digits.

    >>> decode_raw("Zürich".encode()), decode_raw(bytes([255, 0]))
    ('Zürich', '0xff00')
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return decode_hex(data)


def decode_hex(data: bytes) -> object:
    return f"0x{data.hex()}"


def decode_json(data: bytes) -> object:
    return json.loads(data)


def avro_decoder(path: Path) -> Decode:
    """Makes a decoder for Avro's binary encoding with the schema in this file."""
    from fastavro import parse_schema, schemaless_reader
    from fastavro.schema import SchemaParseException

    try:
        schema = parse_schema(json.loads(path.read_text()))
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}.") from error
    except (ValueError, SchemaParseException) as error:
        raise UsageError(
            f"'{path}' is not an Avro schema: {error}.", hint="Write it as JSON, as in an .avsc file."
        ) from error

    def decode(data: bytes) -> object:
        stream = BytesIO(data)
        try:
            value: object = schemaless_reader(stream, schema, None)
        except Exception as error:
            # fastavro raises many kinds of errors for invalid bytes.
            raise ValueError(f"{type(error).__name__} while reading it") from error
        if stream.read(1):
            raise ValueError("bytes are left after the last field")
        return value

    return decode


def table_decoders(script: Path, name: str) -> tuple[Decode, Decode]:
    """Makes decoders for the key and the value of a table that the script creates, in the formats it is created with."""
    from firesteel.api import analyze_script

    analysis = analyze_script(script)
    table = analysis.catalog.tables.get(name)
    if table is None:
        analysis.raise_errors()
        known = ", ".join(f"'{other}'" for other in analysis.catalog.tables) or "none"
        raise UsageError(f"'{script}' creates no table '{name}'.", hint=f"Its tables: {known}.")
    key = bound_decoder(table.key_format) if table.key_format else decode_raw
    return key, bound_decoder(table.value_format)


def bound_decoder(bound: BoundFormat) -> Decode:
    """Makes a decoder that gives the columns of a table's format, by name."""
    from firesteel.formats.builtin import make_decoder

    try:
        decoder = make_decoder(bound, bound.columns)
    except ValueError as error:
        raise UsageError(str(error), hint="Leave --table out to see the bytes.") from error

    def decode(data: bytes) -> object:
        result = decoder.decode([data])
        if result.rejects:
            raise ValueError(result.rejects[0].detail)
        rows = result.batch.to_pylist()
        return rows[0] if len(rows) == 1 else rows

    return decode


def decoded(decode: Decode, data: bytes | None) -> object:
    if data is None:
        return None
    try:
        return decode(data)
    except ValueError as error:
        return Undecodable(str(decode_raw(data)), str(error))


def render_record(record: Record, view: View) -> str:
    """Renders one line: partition/offset, time in UTC, key, value."""
    time = "-" if record.timestamp is None else f"{datetime.fromtimestamp(record.timestamp / 1000, UTC):%F %T.%f}"[:-3]
    key = NO_KEY if record.key is None else _shown(decoded(view.key, record.key))
    value = TOMBSTONE if record.value is None else _shown(decoded(view.value, record.value))
    line = f"{record.partition}/{record.offset}  {time}  {key} → {value}"
    if view.headers and record.headers:
        headers = ", ".join(f"{name}={NO_KEY if v is None else _shown(decode_raw(v))}" for name, v in record.headers)
        line += f"  [{headers}]"
    return line


def render_json(record: Record, view: View) -> str:
    """Renders one line of JSON; a tombstone's value is null."""
    fields: dict[str, object] = {"partition": record.partition, "offset": record.offset, "timestamp": record.timestamp}
    for name, decode, data in (("key", view.key, record.key), ("value", view.value, record.value)):
        content = decoded(decode, data)
        if isinstance(content, Undecodable):
            fields[name], fields[f"{name}_error"] = content.shown, content.why
        else:
            fields[name] = content
    if view.headers:
        fields["headers"] = [[name, None if v is None else decode_raw(v)] for name, v in record.headers]
    return _as_json(fields)


def _shown(content: object) -> str:
    if isinstance(content, Undecodable):
        return f"{_printable(content.shown)} ‹not decoded: {_printable(content.why)}›"
    return _printable(content) if isinstance(content, str) else _as_json(content)


def _printable(text: str) -> str:
    """Writes control characters out, so that a record cannot move the cursor or end the line."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _as_json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, default=_other)


def _other(content: object) -> object:
    return decode_hex(content) if isinstance(content, bytes) else str(content)
