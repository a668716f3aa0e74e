"""Kafka messages to one Arrow batch: the value's columns, the key's, and the connector's metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, Message

from firesteel.catalog.table import BoundFormat
from firesteel.formats.arrow import arrow_type
from firesteel.formats.codec import Decoded, Reject
from firesteel.formats.registry import make_decoder
from firesteel.types import Field

_TIMESTAMP_TYPES = {TIMESTAMP_CREATE_TIME: "CreateTime", TIMESTAMP_LOG_APPEND_TIME: "LogAppendTime"}


def _header_list(message: Message) -> list[tuple[str, bytes | None]]:
    headers: Any = message.headers()
    return headers or []


def _headers(message: Message) -> list[tuple[str, bytes | None]]:
    # Of headers with the same name the last one wins.
    return list(dict(_header_list(message)).items())


#: How each metadata key is read from a message, and the Arrow type it comes in.
_METADATA: Mapping[str, tuple[Callable[[Message], Any], pa.DataType]] = {
    "topic": (lambda message: message.topic(), pa.string()),
    "partition": (lambda message: message.partition(), pa.int32()),
    "offset": (lambda message: message.offset(), pa.int64()),
    "leader-epoch": (lambda message: message.leader_epoch(), pa.int32()),
    "timestamp": (lambda message: message.timestamp()[1], pa.timestamp("ms", "UTC")),
    "timestamp-type": (
        lambda message: _TIMESTAMP_TYPES.get(message.timestamp()[0], "NoTimestampType"),
        pa.string(),
    ),
    "headers": (_headers, pa.map_(pa.string(), pa.binary())),
    "header-list": (
        lambda message: [{"key": key, "value": value} for key, value in _header_list(message)],
        pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())])),
    ),
}


class RecordDecoder:
    """`fields` are the columns that are read, in the order of the batch; `metadata` maps those of them to their keys."""

    def __init__(
        self, value: BoundFormat, key: BoundFormat | None, fields: tuple[Field, ...], metadata: Mapping[str, str]
    ) -> None:
        self._fields = fields
        self._metadata = metadata
        wanted = [field.name for field in fields if field.name not in metadata]
        # Where key and value share a column, the value's wins.
        in_value = set(value.columns)
        self._value_columns = [name for name in wanted if name in in_value]
        self._key_columns = [name for name in wanted if name not in in_value]
        self._value = make_decoder(value, self._value_columns)
        # A key is looked at even if none of its columns is read: a record whose key gives no row is no row.
        self._key = make_decoder(key, self._key_columns) if key is not None else None

    def decode(self, messages: list[Message]) -> tuple[pa.RecordBatch, list[Reject]]:
        decoded = self._value.decode([message.value() for message in messages])
        rejects = list(decoded.rejects)
        if self._key is None and not self._metadata:
            return decoded.batch, rejects
        rows = decoded.batch.num_rows
        origin = decoded.origin if decoded.origin is not None else pa.array(range(rows), pa.int32())
        columns: dict[str, pa.Array] = dict(zip(decoded.batch.schema.names, decoded.batch.columns, strict=True))
        if self._key is not None:
            keys = self._key.decode([message.key() for message in messages])
            rejects.extend(keys.rejects)
            origin, columns = _join_keys(keys, origin, columns)
        for name, metadata_key in self._metadata.items():
            columns[name] = self._metadata_column(name, metadata_key, messages, origin)
        arrays = [columns[field.name] for field in self._fields]
        return pa.RecordBatch.from_arrays(arrays, names=[field.name for field in self._fields]), rejects

    def _metadata_column(self, name: str, key: str, messages: list[Message], origin: pa.Array) -> pa.Array:
        read, stored = _METADATA[key]
        wanted = next(field.type for field in self._fields if field.name == name)
        values = pa.array([read(message) for message in messages], stored)
        return values.take(origin).cast(arrow_type(wanted))


def _join_keys(keys: Decoded, origin: pa.Array, columns: dict[str, pa.Array]) -> tuple[pa.Array, dict[str, pa.Array]]:
    """A message whose key gave no row gives no row at all; the others get their key's columns."""
    key_origin = keys.origin if keys.origin is not None else pa.array(range(keys.batch.num_rows), pa.int32())
    place = pc.index_in(origin, value_set=key_origin)
    kept = pc.is_valid(place)
    origin, place = origin.filter(kept), place.filter(kept)
    joined = {name: array.filter(kept) for name, array in columns.items()}
    for name, array in zip(keys.batch.schema.names, keys.batch.columns, strict=True):
        joined[name] = array.take(place)
    return origin, joined
