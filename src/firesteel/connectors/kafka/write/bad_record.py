"""Bad records: stages records that could not be read, and writes them to the topic that keeps them.

The worker that finds one cannot write it to Kafka yet: its task may run again, and its batch too. So it is staged: an
offset range of a partition gives one file, which has the same name and content however often the range is read. The task
that finishes the batch writes the staged records, and the files are removed when the batch is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from confluent_kafka import Message

from firesteel.connectors.kafka.write.outgoing import HEADERS, Headers, as_bytes
from firesteel.connectors.kafka.write.writer import RefusedError, Writer, kept_writer
from firesteel.connectors.staged_range import BAD_RECORDS, StagedRange
from firesteel.errors import JobError
from firesteel.formats.codec import Reject
from firesteel.storage.folder import Folder

#: The prefix of the headers that say where a record came from and why it is here.
PREFIX = "__error."

#: The largest message of a topic with Kafka's default settings.
USUAL_BYTES = 1_048_588
#: The most that Kafka adds to a message: lengths, offsets, times.
_FRAME = 200

#: The file is written in portions of about this many bytes.
_PORTION = 8 * 1024 * 1024

_SCHEMA = pa.schema(
    [
        ("offset", pa.int64()),
        ("timestamp", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", HEADERS),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("column", pa.string()),
    ]
)


@dataclass(frozen=True)
class DeadLetters:
    """Where the bad records of a table go. `source` is the table's number among those the query reads; `most_bytes` is the largest
    message that the topic takes.
    """

    source: int
    table: str
    job: str
    topic: str
    config: Mapping[str, str]
    most_bytes: int = USUAL_BYTES

    @property
    def target(self) -> str:
        return self.topic

    def write(self, stage: Folder, ranges: Iterable[StagedRange]) -> int:
        """Write what is staged for these ranges, with the writer that this process keeps, and flush it."""
        with kept_writer(self.config) as writer:
            written = write_letters(writer, self, stage, ranges)
            flush_letters(writer, self)
        return written


class Stage:
    """Stages the bad records of one offset range. The file is created with the first of them and renamed when it is complete."""

    def __init__(self, folder: Folder, staged: StagedRange) -> None:
        self._folder = folder
        self._name = staged.file(BAD_RECORDS)
        self._open = ExitStack()
        self._writer: pa.RecordBatchStreamWriter | None = None
        self._rows: list[dict[str, object]] = []
        self._bytes = 0

    def add(self, messages: list[Message], rejects: Iterable[Reject]) -> None:
        """Add the messages of a block that gave no row, each once."""
        refused: dict[int, Reject] = {}
        for reject in rejects:
            if not reject.kept:
                refused.setdefault(reject.index, reject)
        for index in sorted(refused):
            self._add(messages[index], refused[index])

    def _add(self, message: Message, reject: Reject) -> None:
        key, value = as_bytes(message.key()), as_bytes(message.value())
        kind, moment = message.timestamp()
        headers: Any = message.headers() or ()
        self._rows.append(
            {
                "offset": message.offset(),
                "timestamp": moment if kind else 0,
                "key": key,
                "value": value,
                "headers": [{"name": name, "value": as_bytes(text)} for name, text in headers],
                "reason": reject.reason.value,
                "detail": reject.detail,
                "column": reject.column,
            }
        )
        self._bytes += len(key or b"") + len(value or b"") + 200
        if self._bytes > _PORTION:
            self._hand_over()

    def _hand_over(self) -> None:
        if self._writer is None:
            self._writer = pa.ipc.new_stream(self._open.enter_context(self._folder.open_write(self._name)), _SCHEMA)
        self._writer.write_batch(pa.RecordBatch.from_pylist(self._rows, schema=_SCHEMA))
        self._rows, self._bytes = [], 0

    def close(self) -> None:
        """Finish the file: the range has been read to its end."""
        if self._rows:
            self._hand_over()
        if self._writer is not None:
            self._writer.close()
            self._open.close()


def write_letters(writer: Writer, letters: DeadLetters, folder: Folder, ranges: Iterable[StagedRange]) -> int:
    """Write the records staged for these ranges and return their number. `flush_letters` flushes the writer."""
    written = 0
    reached: dict[tuple[str, int], int] = {}
    for staged in ranges:
        place = staged.topic, staged.partition
        for record in _records(folder, staged):
            # The ranges of the batch's first run may have been divided otherwise and have files too: write no record twice.
            if record["offset"] <= reached.get(place, -1):
                continue
            reached[place] = record["offset"]
            headers = _headers(record, letters, staged)
            key, value = _fitted(record["key"], record["value"], headers, letters.most_bytes)
            try:
                writer.write(letters.topic, key, value, headers=headers, timestamp=record["timestamp"])
            except RefusedError as error:
                size = len(record["value"] or b"")
                raise _refused(letters, error, f"offset {record['offset']} of {staged.topic}, {size:,} bytes") from None
            written += 1
    return written


def _fitted(
    key: bytes | None, value: bytes | None, headers: Headers, most_bytes: int
) -> tuple[bytes | None, bytes | None]:
    """Cut a record that is too large for the topic, and say in `__error.cut` how large it was, so that
    one bad record does not stop a job that is to survive bad records.

    >>> headers: Headers = []
    >>> _fitted(b"k", b"short", headers, 1000)
    (b'k', b'short')
    >>> len(_fitted(b"k", b"x" * 2000, headers, 1000)[1]), headers
    (599, [('__error.cut', b'1 bytes of key, 2000 of value')])
    """
    around = _FRAME + sum(len(name.encode()) + len(text or b"") + 10 for name, text in headers)
    size = around + len(key or b"") + len(value or b"")
    if size <= most_bytes:
        return key, value
    headers.append((f"{PREFIX}cut", f"{len(key or b'')} bytes of key, {len(value or b'')} of value".encode()))
    room = max(0, most_bytes - around - _FRAME)
    key = key[: room // 2] if key is not None else None
    return key, value[: room - len(key or b"")] if value is not None else None


def flush_letters(writer: Writer, letters: DeadLetters) -> None:
    try:
        writer.flush()
    except RefusedError as error:
        raise _refused(letters, error, "") from None


def _refused(letters: DeadLetters, error: RefusedError, place: str) -> JobError:
    what = f" ({place})" if place else ""
    hint = (
        f"Raise 'max.message.bytes' of '{letters.topic}' and 'properties.max.request.size' of the table, or write"
        " 'error-handling.mode' = 'ignore'."
        if error.too_large
        else f"Check the topic '{letters.topic}', or write 'error-handling.mode' = 'ignore'."
    )
    return JobError(
        f"A bad record of '{letters.table}'{what} cannot be written to '{letters.topic}', which"
        f" 'error-handling.log.target' names: {error.reason}.",
        hint=hint,
    )


def _records(folder: Folder, staged: StagedRange) -> Iterator[dict[str, Any]]:
    with folder.open_read(staged.file(BAD_RECORDS)) as file, pa.ipc.open_stream(file) as stream:
        for batch in stream:
            yield from batch.to_pylist()


def _headers(record: Mapping[str, Any], letters: DeadLetters, staged: StagedRange) -> Headers:
    """Put our headers behind the record's own: none of those is lost, and the last of a name wins."""
    own: Headers = [(header["name"], header["value"]) for header in record["headers"] or ()]
    said = {
        "reason": record["reason"],
        "detail": record["detail"],
        "column": record["column"],
        "topic": staged.topic,
        "partition": str(staged.partition),
        "offset": str(record["offset"]),
        "table": letters.table,
        "job": letters.job,
    }
    return own + [(PREFIX + name, str(value).encode()) for name, value in said.items() if value is not None]
