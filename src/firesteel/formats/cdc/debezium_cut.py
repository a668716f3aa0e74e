r"""Cuts messages of the usual form, `{"before":…,"after":…,` and a tail, into their rows and their tails.

Rows differ in everything, tails hardly at all: a program writes what follows the rows (`source`, `op`, `ts_ms` …), and
it has the same bytes in message after message except for digits. So tails are read once for each shape, which is a tail
with all of its digits replaced by zeros, and only the rows go through the reader of blocks. The proof that nothing is
lost:

- A row is taken up to a `}` that the tail's first name follows. This `}` may be too early, inside a text or a nested
  object; then the part that was cut off is no complete object, and the reader of blocks, which takes one object per
  line, refuses the block.
- If it is a complete object, the message continues with the tail. Two tails of one shape differ only in digits. Digits
  make a difference in three positions: after `\u`, where they could spell a name, so such tails are refused; at the
  start of a number, where a zero may not be followed by digits, so every tail is checked for it; and in the word that
  names the change, which has to be one of those without digits.
- The tail of each shape is read by the exact path's own reader. It names the change, once, and contains no row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.formats.cdc.envelope import Change
from firesteel.formats.cdc.expand import Mask, Numbers
from firesteel.formats.json.limit import TooLarge
from firesteel.formats.json.token import MalformedJson, read_members

_INSERT = b'{"before":null,"after":{'
_OTHER = b'{"before":{'
_AFTER = b'},"after":'
_NULL = b"null,"
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|(-?)([0-9]++)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?', re.DOTALL)
#: With more shapes than this, reading each of them takes longer than it saves.
_MOST_SHAPES = 64
_MOST_SIZES = 32
_MOST_BYTES = 1 << 30
_LONGEST = 1 << 20
_SHORTEST = 24


@dataclass(frozen=True)
class Cut:
    """The result of cutting. `rows` has the rows, one per line, in the order of the messages and `before` before
    `after`; `lengths` are without the line breaks. `changes` are `Change` values.
    """

    rows: bytearray
    lengths: Numbers
    has_before: Mask
    has_after: Mask
    changes: Numbers


class Cutter:
    """Cuts the messages of one table. `words` name the changes in the member `operation`."""

    def __init__(self, operation: str, words: Mapping[str, Change]) -> None:
        self._operation = operation
        self._words = {word: change.value for word, change in words.items() if not re.search("[0-9]", word)}

    def cut(self, messages: Sequence[bytes]) -> Cut | None:
        separator = self._separator(messages[0])
        if separator is None:
            return None
        joined = b"".join(messages)
        lengths = np.fromiter(map(len, messages), dtype=np.int64, count=len(messages))
        if len(joined) > _MOST_BYTES or lengths.max() > _LONGEST or lengths.min() < _SHORTEST:
            return None
        ends = np.cumsum(lengths)
        starts = ends - lengths
        slices = _slices(joined, np.append(starts, len(joined)))
        inserts = np.asarray(pc.starts_with(slices, _INSERT))
        if not (inserts | np.asarray(pc.starts_with(slices, _OTHER))).all():
            return None
        data = np.frombuffer(joined, dtype=np.uint8)
        tail_sizes = _tail_sizes(messages, lengths, ends, data, separator)
        if tail_sizes is None:
            return None
        tails = ends - tail_sizes
        if inserts.all():
            first, last = starts + len(_INSERT) - 1, tails
            has_before, has_after = np.zeros(len(messages), dtype=bool), inserts
        else:
            at = _boundaries(messages, starts, tails, data, ~inserts)
            if at is None:
                return None
            before_end, after_start = at
            has_before, has_after = ~inserts, after_start >= 0
            first = np.concatenate([(starts + len(_OTHER) - 1)[has_before], after_start[has_after]])
            last = np.concatenate([before_end[has_before], tails[has_after]])
            order = np.argsort(first, kind="stable")
            first, last = first[order], last[order]
        if (data[tails] != ord(",")).any() or (last <= first).any():
            return None
        changes = self._changes(joined, data, tails, ends)
        if changes is None:
            return None
        rows = _take(data, first, last + 1)
        sizes = last - first
        lines = bytearray(rows.buffers()[2])
        # Replace the comma after a row by a line break.
        np.frombuffer(lines, dtype=np.uint8)[np.cumsum(sizes + 1) - 1] = ord("\n")
        del lines[-1]
        return Cut(lines, sizes, has_before, has_after, changes)

    def _separator(self, message: bytes) -> bytes | None:
        """Returns the text between the last row and the rest of the tail."""
        if not message.startswith((_INSERT, _OTHER)):
            return None
        try:
            names = [name for name, _ in read_members(message)]
        except (MalformedJson, TooLarge):
            return None
        if names[:2] != ["before", "after"] or len(names) < 3 or not re.fullmatch(r"\w{3,}", names[2], re.ASCII):
            return None
        return b'},"%b":' % names[2].encode()

    def _changes(self, joined: bytes, data: NDArray[np.uint8], tails: Numbers, ends: Numbers) -> Numbers | None:
        cut = _take(data, tails, ends)
        _, offsets, buffer = cut.buffers()
        zeroed = pa.py_buffer(buffer.to_pybytes().translate(_ZEROS))
        shapes = pa.Array.from_buffers(pa.binary(), len(tails), [None, offsets, zeroed]).dictionary_encode()
        if len(shapes.dictionary) > _MOST_SHAPES:
            return None
        shape = shapes.indices.to_numpy()
        values = np.empty(len(shapes.dictionary), dtype=np.int64)
        for number, found in enumerate(shapes.dictionary.to_pylist()):
            rows = np.flatnonzero(shape == number) if len(values) > 1 else np.arange(len(tails))
            tail = joined[tails[rows[0]] : ends[rows[0]]]
            change = self._change(tail)
            if change is None or b"\\u" in found:
                return None
            for start in _number_starts(found):
                if (data[tails[rows] + start] == ord("0")).any():
                    return None
            values[number] = change
        changes: Numbers = values[shape]
        return changes

    def _change(self, tail: bytes) -> int | None:
        """Reads the change of a tail. Returns None if the message has to be read another way."""
        try:
            members = read_members(b"{" + tail[1:])
        except (MalformedJson, TooLarge):
            return None
        names = [name for name, _ in members]
        if "before" in names or "after" in names or names.count(self._operation) != 1:
            return None
        word = dict(members)[self._operation]
        return self._words.get(word) if type(word) is str else None


def _words(data: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Returns the eight bytes that start at each position, as one number."""
    return np.ndarray((len(data) - 7,), dtype=np.dtype("<u8"), buffer=data.data, strides=(1,))


def _word(text: bytes) -> np.uint64:
    word: np.uint64 = np.frombuffer(text[:8], dtype="<u8")[0]
    return word


def _tail_sizes(
    messages: Sequence[bytes], lengths: Numbers, ends: Numbers, data: NDArray[np.uint8], separator: bytes
) -> Numbers | None:
    """Measures the tails. There are few different sizes, so each one that is found in a message is then tried on all
    messages at once. A wrong size leaves a row that is no complete object, and the block is refused later.
    """
    sizes = np.full(len(messages), -1, dtype=np.int64)
    words = _words(data)
    # The text may be shorter than eight bytes. The bytes after it are the same in all tails, or there is no match.
    after_row, after_null = _word(separator), _word(b"null" + separator[1:])
    gone = b'"after":null' + separator[1:]
    left = np.arange(len(messages))
    for _ in range(_MOST_SIZES):
        message = messages[left[0]]
        found = message.find(gone) + len(b'"after":null') if gone in message else message.find(separator) + 1
        size = len(message) - found
        if found == 0 or size < 8:
            return None
        at = np.maximum(ends[left] - size, 4)
        fitting = (words[at - 1] == after_row) | (words[at - 4] == after_null)
        fitting &= lengths[left] > size + len(_OTHER)
        if not fitting[0]:
            return None
        sizes[left[fitting]] = size
        left = left[~fitting]
        if not len(left):
            return sizes
    return None


def _boundaries(
    messages: Sequence[bytes], starts: Numbers, tails: Numbers, data: NDArray[np.uint8], others: Mask
) -> tuple[Numbers, Numbers] | None:
    """Finds where the row before ends and where the row after starts. The start is -1 for a row that is null."""
    words = _words(data)
    wanted = _word(_AFTER)
    # If the rows differ in nothing but digits, they have the same length.
    middle = (starts + len(_OTHER) - 1 + tails - len(_AFTER) + 1) // 2 - 1
    guessed = words[np.maximum(middle, 0)] == wanted
    before_end = np.where(guessed, middle + 1, -1)
    for index in np.flatnonzero(others & ~guessed).tolist():
        before_end[index] = starts[index] + messages[index].find(_AFTER, len(_OTHER) - 1) + 1
    after_start = before_end + len(_AFTER) - 1
    inside = (before_end > starts) & (after_start < tails)
    if (others & ~inside).any():
        return None
    after_start = np.where(others, after_start, starts + len(_INSERT) - 1)
    nothing = others & (data[after_start] == ord("n"))
    if (nothing & (tails != after_start + len(_NULL) - 1)).any():
        return None
    return before_end, np.where(nothing, -1, after_start)


def _number_starts(shape: bytes) -> list[int]:
    """Lists where numbers of more than one digit start: a zero is not allowed there."""
    return [match.start(2) for match in _TOKEN.finditer(shape) if match[2] is not None and len(match[2]) > 1]


def _slices(data: bytes | NDArray[np.uint8], offsets: Numbers) -> pa.BinaryArray:
    return pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    )


def _take(data: NDArray[np.uint8], first: Numbers, last: Numbers) -> pa.BinaryArray:
    """Copies the pieces from each of `first` to each of `last` into a buffer of their own. They must be in order."""
    offsets = np.empty(2 * len(first) + 1, dtype=np.int64)
    offsets[0] = 0
    offsets[1::2], offsets[2::2] = first, last
    # Every second slice is a piece, the others are the bytes between pieces.
    return _slices(data, offsets).take(pa.array(np.arange(1, 2 * len(first), 2)))
