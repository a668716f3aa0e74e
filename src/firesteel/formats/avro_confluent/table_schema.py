"""Checks the schema in `avro-confluent.schema`: it must match the table's columns."""

from __future__ import annotations

import json
from typing import Any

from firesteel import types
from firesteel.errors import UsageError
from firesteel.formats.avro_confluent import options as rows
from firesteel.formats.avro_confluent.writer_schema import BadSchema, WriterSchema
from firesteel.formats.bound import BoundFormat


def check_explicit_schema(bound: BoundFormat) -> Any | None:
    """Returns the schema, or None if the table has no such option. Raises UsageError."""
    text = bound.options.get(rows.SCHEMA)
    if text is None:
        return None
    try:
        document = json.loads(text)
        schema = WriterSchema([document])
        fits = schema.has_bytes_of(schema.root, types.Row(bound.fields, nullable=False))
    except (BadSchema, ValueError, RecursionError):
        raise UsageError("'avro-confluent.schema' is no Avro schema.", hint="Write a record in Avro's JSON.") from None
    if not fits:
        columns = ", ".join(f"{field.name} {field.type.sql}" for field in bound.fields)
        raise UsageError(
            f"'avro-confluent.schema' does not match the table's columns, which are {columns}.",
            hint="A nullable column is a union of null and its type, in this order; or remove the option.",
        )
    return document
