"""Declares what every format has: a decoder from messages to Arrow, and an encoder from Arrow to messages.

A decoder never raises for bad data: a message that cannot be read becomes a `Reject`, and the caller decides whether
the job fails or goes on. A decoder made with `ignore-parse-errors` follows Flink's rules for it: a bad field becomes
NULL and its row is kept, a bad message gives no row. Both are reported as rejects, so that nothing is lost silently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import pyarrow as pa

from firesteel.formats.java.text import to_utf8_text


class Reason(Enum):
    """Why a record was refused. Counters are kept per table and reason."""

    MALFORMED = "malformed"
    BAD_VALUE = "bad-value"
    MISSING_FIELD = "missing-field"
    TOO_LARGE = "too-large"


@dataclass(frozen=True)
class Reject:
    """A refused message. `index` is its index in the block. `kept`: the row was kept, with NULL in `column`, or with a
    changed value.

    `detail` and `column` may quote the record. Both can always be encoded as UTF-8, for a header, a file or a terminal.
    """

    index: int
    reason: Reason
    detail: str
    column: str | None = None
    kept: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", to_utf8_text(self.detail))
        if self.column is not None:
            object.__setattr__(self, "column", to_utf8_text(self.column))


@dataclass(frozen=True)
class Decoded:
    """The rows of a block. `origin[i]` is the index of the message of row i; None: row i is from message i.

    `kinds[i]` is the kind of row i, as an index into `RowKind`'s members (int8); None: all rows are inserts.
    """

    batch: pa.RecordBatch
    rejects: tuple[Reject, ...] = ()
    origin: pa.Array | None = None
    kinds: pa.Array | None = None


class Decoder(Protocol):
    def decode(self, values: Sequence[bytes | None]) -> Decoded: ...


class Encoder(Protocol):
    """Encodes rows. `kinds` are their kinds, as in `Decoded`; formats that only insert ignore them."""

    def encode(self, batch: pa.RecordBatch, kinds: pa.Array | None = None) -> list[bytes | None]: ...


class EncodeError(ValueError):
    """A row that its format cannot write. `row` is its index in the batch."""

    def __init__(self, row: int, detail: str) -> None:
        super().__init__(detail)
        self.row = row
        self.detail = detail
