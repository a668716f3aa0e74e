"""Decodes Kafka's messages to Arrow batches: the value's columns, the key's, and the connector's metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, Message

from firesteel.changelog.hidden import CODES, KIND, ORDER
from firesteel.changelog.kind import RowKind
from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.builtin import make_decoder
from firesteel.formats.codec import Decoded, Reject
from firesteel.spark.connector.kafka.read_spec import Decoding
from firesteel.types import DataType

#: Metadata keys that the value's format reads, and not the connector.
_IN_VALUE = "value."

_TIMESTAMP_TYPES = {TIMESTAMP_CREATE_TIME: "CreateTime", TIMESTAMP_LOG_APPEND_TIME: "LogAppendTime"}


def header_list(message: Message) -> list[tuple[str, bytes | None]]:
    headers: Any = message.headers()
    return headers or []


def _headers(message: Message) -> list[tuple[str, bytes | None]]:
    # Of headers with the same name the last one wins.
    return list(dict(header_list(message)).items())


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
    "__raw_key__": (lambda message: message.key(), pa.binary()),
    "__raw_value__": (lambda message: message.value(), pa.binary()),
    "raw-key": (lambda message: message.key(), pa.binary()),
    "raw-value": (lambda message: message.value(), pa.binary()),
    "headers": (_headers, pa.map_(pa.string(), pa.binary())),
    "header-list": (
        lambda message: [{"key": key, "value": value} for key, value in header_list(message)],
        pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())])),
    ),
}


class RecordDecoder:
    """Decodes blocks of messages."""

    def __init__(self, decoding: Decoding, first_place: int | None = None) -> None:
        """Adds `first_place` to a record's offset for its position in the order of arrival; None: nobody asks."""
        value, key, fields = decoding.value, decoding.key, decoding.fields
        self._fields = fields
        self._first_place = first_place
        self._changes = decoding.changes
        self._upsert = decoding.upsert
        inside = {name: key for name, key in decoding.metadata.items() if key.startswith(_IN_VALUE)}
        self._metadata = {name: key for name, key in decoding.metadata.items() if name not in inside}
        self._value_metadata = tuple(inside)
        wanted = [field.name for field in fields if field.name not in decoding.metadata]
        # Where key and value share a column, the value's wins.
        in_value = set(value.columns)
        self._value_columns = [name for name in wanted if name in in_value]
        self._key_columns = [name for name in wanted if name not in in_value]
        self._value = make_decoder(
            value, self._value_columns, {name: key.removeprefix(_IN_VALUE) for name, key in inside.items()}
        )
        self._tombstone = (
            make_decoder(key, [name for name in wanted if name in key.columns]) if key and decoding.upsert else None
        )
        # A key is looked at even if none of its columns is read: a record whose key gives no row is no row.
        self._key = make_decoder(key, self._key_columns) if key is not None else None

    def decode(self, messages: list[Message]) -> tuple[pa.RecordBatch, list[Reject], int]:
        """Gives the rows, what was refused or changed, and how many messages hold no row: null or empty ones, and those that a
        format skips.
        """
        decoded = self._value.decode(list(map(Message.value, messages)))
        rejects = list(decoded.rejects)
        plain = self._key is None and not self._metadata and not self._changes and not self._value_metadata
        if plain and self._first_place is None:
            return decoded.batch, rejects, _without_row(len(messages), decoded.origin, rejects)
        origin = _origin(decoded)
        columns: dict[str, pa.Array] = dict(zip(decoded.batch.schema.names, decoded.batch.columns, strict=True))
        for name in self._value_metadata:
            columns[name] = columns[name].cast(arrow_type(self._type_of(name)))
        if self._changes:
            columns[KIND] = _kinds(decoded, RowKind.UPDATE_AFTER if self._upsert else RowKind.INSERT)
        if self._key is not None:
            keys = self._key.decode([message.key() for message in messages])
            rejects.extend(keys.rejects)
            origin, columns = _join_keys(keys, origin, columns)
        if self._tombstone is not None:
            origin, columns = self._with_tombstones(messages, origin, columns)
        for name, metadata_key in self._metadata.items():
            columns[name] = self._metadata_column(name, metadata_key, messages, origin)
        names = [field.name for field in self._fields] + ([KIND] if self._changes else [])
        if self._first_place is not None:
            first = self._first_place
            places = [(message.offset() or 0) + first for message in messages]
            columns[ORDER] = pa.array(places, pa.int64()).take(origin)
            names.append(ORDER)
        empty = _without_row(len(messages), origin, rejects)
        return pa.RecordBatch.from_arrays([columns[name] for name in names], names=names), rejects, empty

    def _type_of(self, name: str) -> DataType:
        return next(field.type for field in self._fields if field.name == name)

    def _with_tombstones(
        self, messages: list[Message], origin: pa.Array, columns: dict[str, pa.Array]
    ) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Makes a row with the key's columns and nothing else of each null value, which deletes the row of its key."""
        assert self._tombstone is not None
        places = [place for place, message in enumerate(messages) if message.value() is None]
        if not places:
            return origin, columns
        dead = self._tombstone.decode([messages[place].key() for place in places])
        at = pa.array(places, pa.int32()).take(_origin(dead))
        keys = dict(zip(dead.batch.schema.names, dead.batch.columns, strict=True))
        keys[KIND] = pa.array([CODES[RowKind.DELETE]] * len(at), pa.int8())
        # A decoder may have made a row of a null value already (raw does): the tombstone takes its place.
        living = pc.invert(pc.is_in(origin, value_set=at))
        together = pa.concat_arrays([origin.filter(living).cast(pa.int32()), at])
        order = pc.sort_indices(together)
        merged = {
            name: pa.concat_arrays(
                [array.filter(living), keys.get(name, pa.nulls(len(at), array.type)).cast(array.type)]
            )
            for name, array in columns.items()
        }
        return together.take(order), {name: array.take(order) for name, array in merged.items()}

    def _metadata_column(self, name: str, key: str, messages: list[Message], origin: pa.Array) -> pa.Array:
        read, stored = _METADATA[key]
        found = [read(message) for message in messages]
        wanted = arrow_type(self._type_of(name))
        if pa.types.is_binary(stored) and pa.types.is_string(wanted):
            # As CAST reads bytes: what is no UTF-8 becomes U+FFFD.
            found = [None if one is None else one.decode("utf-8", "replace") for one in found]
            stored = wanted
        return pa.array(found, stored).take(origin).cast(wanted)


def _without_row(messages: int, origin: pa.Array | None, rejects: list[Reject]) -> int:
    """Counts the messages that gave neither a row nor a reject."""
    if origin is None:
        return 0
    # As a mask: a set of Python's numbers would cost more than the rest of a block's bookkeeping.
    known = np.zeros(messages, dtype=bool)
    known[origin.to_numpy()] = True
    known[[reject.index for reject in rejects]] = True
    return messages - int(np.count_nonzero(known))


def _origin(decoded: Decoded) -> pa.Array:
    return decoded.origin if decoded.origin is not None else pa.array(range(decoded.batch.num_rows), pa.int32())


def _kinds(decoded: Decoded, otherwise: RowKind) -> pa.Array:
    if decoded.kinds is not None:
        return decoded.kinds
    return pa.array([CODES[otherwise]] * decoded.batch.num_rows, pa.int8())


def _join_keys(keys: Decoded, origin: pa.Array, columns: dict[str, pa.Array]) -> tuple[pa.Array, dict[str, pa.Array]]:
    """Adds the key's columns to the rows. A message whose key gave no row gives no row at all."""
    place = pc.index_in(origin, value_set=_origin(keys))
    kept = pc.is_valid(place)
    origin, place = origin.filter(kept), place.filter(kept)
    joined = {name: array.filter(kept) for name, array in columns.items()}
    for name, array in zip(keys.batch.schema.names, keys.batch.columns, strict=True):
        joined[name] = array.take(place)
    return origin, joined
