"""Encodes Arrow as messages of `avro-confluent`."""

from __future__ import annotations

import json

import pyarrow as pa

from firesteel.errors import UsageError
from firesteel.formats.avro.encoder import AvroEncoder
from firesteel.formats.avro.schema import derive_schema
from firesteel.formats.avro_confluent import options as rows
from firesteel.formats.avro_confluent.registry_client import RegistryClient
from firesteel.formats.avro_confluent.settings import from_options
from firesteel.formats.avro_confluent.table_schema import check_explicit_schema
from firesteel.formats.bound import BoundFormat


class ConfluentEncoder:
    """Encodes rows. Registers the table's schema when the first row comes."""

    def __init__(self, bound: BoundFormat) -> None:
        derived = derive_schema(bound.fields)
        schema = check_explicit_schema(bound) or derived
        self._schema = json.dumps(schema, separators=(",", ":"))
        subject = bound.options.get(rows.SUBJECT)
        if subject is None:
            raise UsageError(
                "'avro-confluent.subject' is needed to write, and is not set.", hint="Add the subject of the schema."
            )
        self._subject = subject
        self._client = RegistryClient(from_options(bound.options))
        self._rows = AvroEncoder(bound)
        self._head: bytes | None = None

    def encode(self, batch: pa.RecordBatch, kinds: pa.Array | None = None) -> list[bytes | None]:
        if not batch.num_rows:
            return []
        if self._head is None:
            self._head = b"\0" + self._client.register(self._subject, self._schema).to_bytes(4, "big")
        head = self._head
        return [None if body is None else head + body for body in self._rows.encode(batch)]
