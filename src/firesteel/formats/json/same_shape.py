"""Reads blocks of messages that one program wrote: the same members in the same order, only with different values.

Such a block needs no parser. The first message gives the shape: the text before, between and after its values. All
other messages are compared with it, one piece at a time for all of them, and the values are what is between the pieces:
texts without escapes, and whole numbers. Any other block is refused, and Arrow reads it.

The proof that values contain no quotes: each message has all pieces in order, and they have as many quotes as the
shape. The block has that many times the number of messages, so there are no others. A message of this form is one JSON
object, and the shape itself was parsed as one. Bytes that are not UTF-8 are searched for before (`fast.py`); Flink
accepts control characters in texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.formats.column.slices import take_slices

Positions = NDArray[np.int64]
Words = NDArray[np.uint64]

_MEMBER = re.compile(rb'([ \t]*"([^"\\]*)"[ \t]*:[ \t]*)(?:"([^"\\]*)"|(0|[1-9][0-9]*))([ \t]*)')
_QUOTE = ord('"')
_WORD = 8
#: Padding before and after a block, so that eight bytes around each position can be read.
_MARGIN = 2 * _WORD
#: Longer numbers are left to Arrow: with so many digits no sum overflows.
_MOST_DIGITS = 16

_ZEROS = np.uint64(0x3030303030303030)
_HIGHEST = np.uint64(0x8080808080808080)

_LIMITS = {pa.int8(): 2**7 - 1, pa.int16(): 2**15 - 1, pa.int32(): 2**31 - 1, pa.int64(): 2**63 - 1}


@dataclass(frozen=True)
class Shape:
    """The form of messages. `pieces` are the texts around the values, one more than there are values. `texts` tells
    which values are in quotes; the quotes belong to the pieces.
    """

    pieces: tuple[bytes, ...]
    names: tuple[str, ...]
    texts: tuple[bool, ...]

    @property
    def quotes(self) -> int:
        return sum(piece.count(b'"') for piece in self.pieces)


def find_shape(message: bytes) -> Shape | None:
    """Finds the shape of a message; None if it has values other than texts without escapes and whole numbers.

    >>> find_shape(b'{"id": 12, "name":"a"}')
    Shape(pieces=(b'{"id": ', b', "name":"', b'"}'), names=('id', 'name'), texts=(False, True))
    >>> find_shape(b'{"id": -1}'), find_shape(b'{"id": null}'), find_shape(b'{"id": 1, "id": 2}')
    (None, None, None)
    """
    if not message.startswith(b"{"):
        return None
    pieces, names, texts = [], [], []
    piece, at = b"{", 1
    while True:
        member = _MEMBER.match(message, at)
        if member is None:
            return None
        before, name, text, _, behind = member.groups()
        pieces.append(piece + before + (b'"' if text is not None else b""))
        names.append(name.decode("utf-8", "replace"))
        texts.append(text is not None)
        piece = (b'"' if text is not None else b"") + behind
        at = member.end()
        rest = message[at : at + 1]
        piece, at = piece + rest, at + 1
        if rest == b"}":
            break
        if rest != b",":
            return None
    if at != len(message) or len(set(names)) < len(names):
        return None
    return Shape((*pieces, piece), tuple(names), tuple(texts))


class AlikeReader:
    """Reads a schema of whole numbers and texts from messages that have all of its columns."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._shape: Shape | None = None
        #: Reused for each block: fresh memory takes longer than the copy.
        self._buffer = np.empty(0, dtype=np.uint8)

    @staticmethod
    def knows(schema: pa.Schema) -> bool:
        return len(schema) > 0 and all(field.type in _LIMITS or field.type == pa.string() for field in schema)

    def read(self, joined: bytes | bytearray, lengths: Positions) -> pa.Table | None:
        """Reads messages that are joined by one byte each. Returns None if they do not have the same shape."""
        if b"\\" in joined:
            return None
        block = _Block(self._with_margins(joined), lengths)
        table = None if self._shape is None else self._read(block, self._shape)
        if table is not None:
            return table
        shape = find_shape(bytes(joined[: lengths[0]]))
        if shape is None or shape == self._shape or not self._fits(shape):
            return None
        self._shape = shape
        return self._read(block, shape)

    def _with_margins(self, joined: bytes | bytearray) -> NDArray[np.uint8]:
        size = len(joined) + 2 * _MARGIN
        if len(self._buffer) < size:
            self._buffer = np.empty(size + size // 4, dtype=np.uint8)
        data = self._buffer[:size]
        data[:_MARGIN] = data[-_MARGIN:] = 0
        data[_MARGIN:-_MARGIN] = np.frombuffer(joined, dtype=np.uint8)
        return data

    def _fits(self, shape: Shape) -> bool:
        texts = dict(zip(shape.names, shape.texts, strict=True))
        return all(texts.get(field.name) == (field.type == pa.string()) for field in self._schema)

    def _read(self, block: _Block, shape: Shape) -> pa.Table | None:
        values = block.values(shape)
        if values is None:
            return None
        found: dict[str, pa.Array] = {}
        types = dict(zip(self._schema.names, self._schema.types, strict=True))
        for name, is_text, (starts, ends) in zip(shape.names, shape.texts, values, strict=True):
            wanted = types.get(name)
            if not is_text:
                numbers = block.numbers(starts, ends)
                if numbers is None or (wanted is not None and int(numbers.max()) > _LIMITS[wanted]):
                    return None
                if wanted is not None:
                    found[name] = pa.array(numbers).cast(wanted)
            elif wanted is not None:
                # The block is known to be UTF-8, and a quote is never part of a longer character.
                found[name] = take_slices(block.data, starts, ends).view(pa.string())
        return pa.Table.from_arrays([found[name] for name in self._schema.names], schema=self._schema)


class _Block:
    def __init__(self, data: NDArray[np.uint8], lengths: Positions) -> None:
        self.data = data
        #: The eight bytes that start at each position, as one number.
        self._words = np.ndarray((len(self.data) - 7,), np.dtype("<u8"), self.data.data, strides=(1,))
        self._ends = np.cumsum(lengths + 1) - 1 + _MARGIN
        self._starts = self._ends - lengths
        self._quotes = np.flatnonzero(self.data == _QUOTE)

    def values(self, shape: Shape) -> list[tuple[Positions, Positions]] | None:
        """Finds where each value starts and ends in every message."""
        messages, each = len(self._starts), shape.quotes
        if len(self._quotes) != messages * each:
            return None
        quotes = self._quotes.reshape(messages, each)
        found: list[tuple[Positions, Positions]] = []
        behind = self._starts
        seen = 0
        for number, piece in enumerate(shape.pieces):
            if number == 0:
                start = self._starts
            elif number == len(shape.pieces) - 1:
                start = self._ends - len(piece)
            else:
                # There is a name between two values, so there is a quote.
                start = quotes[:, seen] - piece.index(b'"')
            if (start < behind).any() or not self._holds(piece, start):
                return None
            if number:
                found.append((behind, start))
            behind = start + len(piece)
            seen += piece.count(b'"')
        return found

    def _holds(self, piece: bytes, starts: Positions) -> bool:
        """Checks whether every message has the piece at its start position."""
        for at in range(0, len(piece), _WORD):
            part = piece[at : at + _WORD]
            words = self._words[starts + at]
            wanted = np.uint64(int.from_bytes(part, "little"))
            if len(part) < _WORD:
                words = words & np.uint64((1 << 8 * len(part)) - 1)
            if (words != wanted).any():
                return False
        return True

    def numbers(self, starts: Positions, ends: Positions) -> Positions | None:
        """Parses whole numbers as JSON writes them."""
        digits = ends - starts
        most = int(digits.max())
        if int(digits.min()) < 1 or most > _MOST_DIGITS:
            return None
        if ((self.data[starts] == ord("0")) & (digits > 1)).any():
            return None
        low = _parsed(self._words[ends - _WORD], np.minimum(digits, _WORD))
        if low is None or most <= _WORD:
            return low
        high = _parsed(self._words[ends - 2 * _WORD], np.maximum(digits - _WORD, 0))
        return None if high is None else high * 10**_WORD + low


def _parsed(words: Words, digits: Positions) -> Positions | None:
    """Parses the last `digits` bytes of each word. Returns None if they are not all digits."""
    # Bytes before the number become zeros. A shift by 64 bits is not defined, so it is done in two steps.
    other = (np.uint64(0xFFFFFFFFFFFFFFFF) >> (digits * 4).astype(np.uint64)) >> (digits * 4).astype(np.uint64)
    words = (words & ~other) | (_ZEROS & other)
    above = words + np.uint64(0x4646464646464646)
    words = words - _ZEROS
    if ((above | words) & _HIGHEST).any():
        return None
    # Add neighbours: digits to hundreds, these to ten thousands, these to the whole number.
    words = (words * np.uint64(10) + (words >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    words = (words * np.uint64(100) + (words >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    words = (words * np.uint64(10000) + (words >> np.uint64(32))) & np.uint64(0x00000000FFFFFFFF)
    return words.astype(np.int64)
