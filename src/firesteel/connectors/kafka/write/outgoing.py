"""A block of messages that are ready to be written, as columns: keys, values, partitions, headers, timestamps.

>>> block = Outgoing("t", [b"1", None], keys=[b"a", b"b"])
>>> Outgoing.unpack(block.pack()) == block
True
>>> [message.key for message in block.take([1]).messages()]
[b'b']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import pyarrow as pa

Headers = list[tuple[str, str | bytes | None]]

#: Lets librdkafka choose the partition: by the key's hash where there is a key.
ANY_PARTITION = -1

#: As Arrow keeps them.
HEADERS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))

_TOPIC = b"topic"
_TYPES = {
    "topics": pa.string(),
    "values": pa.binary(),
    "keys": pa.binary(),
    "partitions": pa.int32(),
    "headers": HEADERS,
    "timestamps": pa.int64(),
}


class Message(NamedTuple):
    """One message; `timestamp` 0 lets the client set it. Arguments of `Writer.write`, in order."""

    topic: str
    key: bytes | None
    value: bytes | None
    partition: int = ANY_PARTITION
    headers: Headers | None = None
    timestamp: int = 0


@dataclass(frozen=True)
class Outgoing:
    """`topics` is one name for all or one for each. What is None is the same for all: no key, the client's choice of a
    partition, no headers, the client's time.
    """

    topics: str | list[str]
    values: list[bytes | None]
    keys: list[bytes | None] | None = None
    partitions: list[int] | None = None
    headers: list[Headers | None] | None = None
    timestamps: list[int] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def size(self) -> int:
        """Sum up the bytes of the values."""
        return sum(map(len, filter(None, self.values)))

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Outgoing:
        topics, keys, values, partitions, headers, timestamps = map(list, zip(*messages, strict=True))
        return cls(topics, values, keys, partitions, headers, timestamps)

    def messages(self) -> Iterator[Message]:
        for row, value in enumerate(self.values):
            yield Message(
                self.topics if isinstance(self.topics, str) else self.topics[row],
                self.keys[row] if self.keys else None,
                value,
                self.partitions[row] if self.partitions else ANY_PARTITION,
                self.headers[row] if self.headers else None,
                self.timestamps[row] if self.timestamps else 0,
            )

    def take(self, rows: Sequence[int]) -> Outgoing:
        chosen: dict[str, Any] = {name: [values[row] for row in rows] for name, values in self._columns().items()}
        return replace(self, **chosen)

    def portions(self, most_rows: int, most_bytes: int) -> Iterator[Outgoing]:
        """Divide the messages into blocks of at most `most_rows` messages and about `most_bytes` bytes."""
        step = max(1, min(most_rows, most_bytes * len(self) // (self.size or 1)))
        if step >= len(self):
            yield self
            return
        columns = self._columns()
        for start in range(0, len(self), step):
            part: dict[str, Any] = {name: values[start : start + step] for name, values in columns.items()}
            yield replace(self, **part)

    def pack(self) -> bytes:
        """Serialize the block to one value, so that Spark's shuffle costs nothing for each message."""
        columns = self._columns()
        if self.headers:
            columns["headers"] = [
                None if pairs is None else [{"name": name, "value": as_bytes(value)} for name, value in pairs]
                for pairs in self.headers
            ]
        arrays = [pa.array(values, _TYPES[name]) for name, values in columns.items()]
        about = {_TOPIC: self.topics.encode()} if isinstance(self.topics, str) else None
        batch = pa.RecordBatch.from_arrays(arrays, names=list(columns)).replace_schema_metadata(about)
        out = pa.BufferOutputStream()
        with pa.ipc.new_stream(out, batch.schema) as stream:
            stream.write_batch(batch)
        packed: bytes = out.getvalue().to_pybytes()
        return packed

    @classmethod
    def unpack(cls, packed: bytes | pa.Buffer) -> Outgoing:
        with pa.ipc.open_stream(packed) as stream:
            batch = stream.read_next_batch()
        columns: dict[str, Any] = {name: batch.column(name).to_pylist() for name in batch.schema.names}
        if "headers" in columns:
            columns["headers"] = [
                None if pairs is None else [(one["name"], one["value"]) for one in pairs]
                for pairs in columns["headers"]
            ]
        if "topics" not in columns:
            columns["topics"] = batch.schema.metadata[_TOPIC].decode()
        return cls(**columns)

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns that differ from message to message."""
        found = {name: getattr(self, name) for name in _TYPES}
        return {name: values for name, values in found.items() if isinstance(values, list)}


def as_bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
