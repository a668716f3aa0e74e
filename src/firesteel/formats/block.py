"""How a block of messages is divided between a format's fast path and its exact path.

The fast path takes a stretch of messages whole or refuses it. A refused stretch is halved and tried again, so that one bad
record among thousands costs a few tries and not the fast path. When too many tries fail, the rest goes the exact way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from firesteel.formats.arrow import record_batch
from firesteel.formats.codec import Decoded, Reject

#: Stretches this short are not worth halving.
_SMALLEST = 64
_MAX_REFUSALS = 40

Fast = Callable[[Sequence[bytes]], list[pa.Array] | None]


@dataclass
class Rows:
    """What the exact path made of a stretch: rows, the message each came from, and what was refused."""

    rows: list[list[object]] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)


#: Reads one message into `Rows`; the index is the message's place in the block.
Exact = Callable[[int, bytes, Rows], None]


@dataclass
class _Piece:
    arrays: list[pa.Array]
    origin: list[int] | range


def decode_block(
    places: Sequence[int], messages: Sequence[bytes], total: int, schema: pa.Schema, fast: Fast | None, exact: Exact
) -> Decoded:
    """Decodes `messages`, which stand at `places` in a block of `total`; the others give no row."""
    pieces: list[_Piece] = []
    rejects: list[Reject] = []
    refusals = 0
    stretches = [(0, len(messages))] if messages else []
    while stretches:
        start, end = stretches.pop()
        if fast is not None and refusals < _MAX_REFUSALS:
            arrays = fast(messages if end - start == len(messages) else messages[start:end])
            if arrays is not None:
                pieces.append(_Piece(arrays, _slice(places, start, end)))
                continue
            refusals += 1
            if end - start > _SMALLEST:
                middle = (start + end) // 2
                stretches += [(middle, end), (start, middle)]
                continue
        found = Rows()
        for index in range(start, end):
            exact(places[index], messages[index], found)
        rejects += found.rejects
        pieces.append(_Piece(_arrays(found.rows, schema), found.origin))
    return _assemble(pieces, rejects, total, schema)


def _slice(places: Sequence[int], start: int, end: int) -> list[int] | range:
    part = places[start:end]
    return part if isinstance(part, range) else list(part)


def _arrays(rows: list[list[object]], schema: pa.Schema) -> list[pa.Array]:
    if not rows:
        return [pa.array([], column.type) for column in schema]
    return [pa.array(values, column.type) for values, column in zip(zip(*rows, strict=True), schema, strict=True)]


def _assemble(pieces: list[_Piece], rejects: list[Reject], total: int, schema: pa.Schema) -> Decoded:
    origin = [index for piece in pieces for index in piece.origin] if len(pieces) != 1 else pieces[0].origin
    if len(pieces) == 1:
        arrays = pieces[0].arrays
    else:
        arrays = [
            pa.concat_arrays([piece.arrays[place] for piece in pieces]) if pieces else pa.array([], column.type)
            for place, column in enumerate(schema)
        ]
    batch = record_batch(arrays, schema, len(origin))
    aligned = len(origin) == total and (origin == range(total) or list(origin) == list(range(total)))
    return Decoded(batch, tuple(rejects), None if aligned else pa.array(origin, pa.int32()))
