"""Reads and writes the segments of one bucket: through the cache where they are there, else through the durable store.

A segment's name is made of the batch's number, its table and its content, so that every attempt of a batch gives it the same one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import blake2b

import pyarrow as pa

from firesteel.state.cache import Cache
from firesteel.state.damage import DamagedState
from firesteel.state.durable import Durable
from firesteel.state.manifest import Part, TableEntry
from firesteel.state.piece import cut_pieces, join_pieces, piece_name
from firesteel.state.segment import Segment, read_rows, write_rows

#: A merge holds so many segments of the largest size: its runs, what they are together, and the new one.
_MERGED = 16


@dataclass(frozen=True)
class Shape:
    """How segments are cut and merged.

    `part_rows`, `part_bytes`: how large a segment becomes. `piece_bytes`: how large a blob in the store. `ratio`: an older run is merged
    when it is at most so many times as large as all newer together. `slice_rows`: a merge of more rows than this is spread over
    batches, about so many rows in each.
    """

    part_rows: int = 1 << 18
    part_bytes: int = 32 << 20
    piece_bytes: int = (4 << 20) - 64
    ratio: float = 1.0
    slice_rows: int = 1 << 18


def shape_within(memory: int) -> Shape:
    """Gives the usual shape, with segments of which a merge of several needs no more than so many bytes."""
    return Shape(part_bytes=min(Shape.part_bytes, max(memory // _MERGED, 1 << 20)))


@dataclass
class Counts:
    """What a batch has read from the store and written to it, in bytes, how many rows were merged and have expired, and how many came
    too late."""

    fetched: int = 0
    written: int = 0
    merged: int = 0
    expired: int = 0
    late: int = 0


class Store:
    """The segments of one bucket in one attempt of a batch."""

    def __init__(self, durable: Durable, cache: Cache, batch: int, shape: Shape) -> None:
        self.shape, self.counts = shape, Counts()
        self._durable, self._cache, self._batch = durable, cache, batch
        self._retired: list[Part] = []

    def open(self, part: Part) -> Segment:
        """Opens a segment."""
        segment = self._cache.get(part)
        if segment is None:
            content = join_pieces(part.name, part.pieces, self._durable.get)
            if not part.name.endswith(_digest(content)):
                raise DamagedState(f"The state is damaged: its segment '{part.name}' is not what was written.")
            self.counts.fetched += len(content)
            segment = self._cache.put(part.name, read_rows(content))
        return segment

    def open_all(self, entry: TableEntry) -> Iterator[Segment]:
        """Opens the segments of a table that count, oldest first."""
        for level in entry.levels:
            for part in level.done:
                yield self.open(part)
            for run in level.runs:
                for part in run:
                    segment = self.open(part).above(level.bound)
                    if segment is not None:
                        yield segment

    def write(self, table: str, rows: pa.RecordBatch) -> Part:
        """Writes sorted rows as a new segment."""
        content = memoryview(write_rows(rows, "lz4"))
        name = f"{self._batch}-{table}-{_digest(content)}"
        pieces = cut_pieces(name, content, self.shape.piece_bytes)
        for piece, blob in pieces:
            self._durable.put(piece, blob)
        self.counts.written += len(content)
        segment = self._cache.put(name, rows)
        touched = segment.touch
        oldest = None if touched is None else int(touched.min())
        newest = None if touched is None else int(touched.max())
        return Part(name, rows.num_rows, len(content), len(pieces), segment.first, segment.last, oldest, newest)

    def retire(self, part: Part) -> None:
        """Lets go of a segment at the end of the batch."""
        self._retired.append(part)

    def remove_retired(self, alive: Collection[str]) -> None:
        """Removes the pieces of retired segments. Their files are removed at the next batch: this attempt may fail.

        A merge that changes nothing of a segment that this batch has written gives its very name: such a one is `alive`.
        """
        for name, pieces in {part.name: part.pieces for part in self._retired}.items():
            if name not in alive:
                for number in range(pieces):
                    self._durable.remove(piece_name(name, number))
        self._retired = []


def _digest(content: bytes | memoryview) -> str:
    return blake2b(content, digest_size=16).hexdigest()
