"""Divides a block of messages between a format's fast path and its exact path.

The fast path takes a chunk of messages whole or refuses it. A refused chunk is halved and tried again, so that one bad
record among thousands costs a few tries and not the fast path. When too many tries fail, the rest takes the exact path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.formats.arrow_type import record_batch
from firesteel.formats.codec import Decoded, Reject

#: Shorter chunks are not halved.
_SMALLEST = 64
_MAX_REFUSALS = 40

Indexes = NDArray[np.int32]
Kinds = NDArray[np.int8]


@dataclass(frozen=True)
class Chunk:
    """A chunk of messages decoded by the fast path.

    `origin` is the index of each row's message in the chunk; None: row i is message i. `kinds` are the rows' indexes in
    `RowKind`; None where rows are only inserted.
    """

    arrays: Sequence[pa.Array]
    origin: Indexes | None = None
    kinds: Kinds | None = None


#: Reads a chunk of messages, or returns None.
Fast = Callable[[Sequence[bytes]], Chunk | None]


@dataclass
class Rows:
    """A chunk decoded by the exact path: rows, the message and kind of each, and refused messages."""

    rows: list[Sequence[object]] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)


#: Reads one message into `Rows`. The number is the message's index in the block.
Exact = Callable[[int, bytes, Rows], None]


def decode_present(
    values: Sequence[bytes | None], schema: pa.Schema, fast: Fast | None, exact: Exact, *, changelog: bool = False
) -> Decoded:
    """Decodes a block whose null and empty messages give no row: Flink skips tombstones and empty messages alike."""
    present: Sequence[bytes] = values  # type: ignore[assignment]  # where all are
    indexes: Sequence[int] = range(len(values))
    if not all(values):
        present = [value for value in values if value]
        indexes = [index for index, value in enumerate(values) if value]
    return decode_block(indexes, present, len(values), schema, fast, exact, changelog=changelog)


def decode_block(
    indexes: Sequence[int],
    messages: Sequence[bytes],
    total: int,
    schema: pa.Schema,
    fast: Fast | None,
    exact: Exact,
    *,
    changelog: bool = False,
) -> Decoded:
    """Decodes `messages`, whose indexes in a block of `total` messages are `indexes`. The others give no row."""
    block_indexes = np.arange(total, dtype=np.int32) if len(indexes) == total else np.asarray(indexes, dtype=np.int32)
    pieces: list[Chunk] = []
    rejects: list[Reject] = []
    refusals = 0
    chunks = [(0, len(messages))] if messages else []
    while chunks:
        start, end = chunks.pop()
        if fast is not None and refusals < _MAX_REFUSALS:
            taken = fast(messages if end - start == len(messages) else messages[start:end])
            if taken is not None:
                part = block_indexes[start:end]
                pieces.append(Chunk(taken.arrays, part if taken.origin is None else part[taken.origin], taken.kinds))
                continue
            refusals += 1
            if end - start > _SMALLEST:
                middle = (start + end) // 2
                chunks += [(middle, end), (start, middle)]
                continue
        found = Rows()
        for index in range(start, end):
            exact(indexes[index], messages[index], found)
        rejects += found.rejects
        kinds = np.array(found.kinds, dtype=np.int8) if changelog else None
        pieces.append(Chunk(_arrays(found.rows, schema), np.array(found.origin, dtype=np.int32), kinds))
    return _assemble(pieces, tuple(rejects), total, schema, changelog)


def _arrays(rows: list[Sequence[object]], schema: pa.Schema) -> list[pa.Array]:
    if not rows:
        return [pa.array([], column.type) for column in schema]
    return [pa.array(values, column.type) for values, column in zip(zip(*rows, strict=True), schema, strict=True)]


def _assemble(
    pieces: list[Chunk], rejects: tuple[Reject, ...], total: int, schema: pa.Schema, changelog: bool
) -> Decoded:
    origin = _joined([piece.origin for piece in pieces if piece.origin is not None], np.dtype(np.int32))
    arrays: Sequence[pa.Array]
    if len(pieces) == 1:
        arrays = pieces[0].arrays
    else:
        arrays = [
            pa.concat_arrays([piece.arrays[place] for piece in pieces]) if pieces else pa.array([], column.type)
            for place, column in enumerate(schema)
        ]
    batch = record_batch(arrays, schema, len(origin))
    aligned = len(origin) == total and bool((origin == np.arange(total, dtype=np.int32)).all())
    kinds = None
    if changelog:
        kinds = pa.array(_joined([piece.kinds for piece in pieces if piece.kinds is not None], np.dtype(np.int8)))
    return Decoded(batch, rejects, None if aligned else pa.array(origin), kinds)


def _joined(parts: list[NDArray[np.generic]], kind: np.dtype[np.generic]) -> NDArray[np.generic]:
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts])
