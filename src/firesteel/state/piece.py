"""Cuts a segment's bytes into pieces that a store takes, and puts them together again, checked byte by byte.

A piece is a header and a part of the segment. The header has a mark, the format's number, the length and a checksum over the
piece's name and content, so that a flipped byte, a piece cut short and a piece under another's name are all noticed.

>>> pieces = cut_pieces("1-rows-ab", b"0123456789", 4)
>>> [name for name, _ in pieces]
['1-rows-ab.0', '1-rows-ab.1', '1-rows-ab.2']
>>> join_pieces("1-rows-ab", 3, dict(pieces).get)
b'0123456789'
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

from firesteel.state.damage import DamagedState, ForeignFormat

FORMAT = 1
_MARK = b"FSsg"
#: The mark, the format's number, the content's length, the checksum.
_HEADER = struct.Struct("<4sHHII")


def piece_name(segment: str, number: int) -> str:
    """Names a segment's piece."""
    return f"{segment}.{number}"


def cut_pieces(segment: str, content: bytes | memoryview, size: int) -> list[tuple[str, bytes]]:
    """Cuts a segment's bytes into named pieces of at most `size` bytes of content."""
    view = memoryview(content)
    pieces = []
    for number, start in enumerate(range(0, max(len(view), 1), size)):
        part = view[start : start + size]
        name = piece_name(segment, number)
        pieces.append((name, _HEADER.pack(_MARK, FORMAT, 0, len(part), _checksum(name, part)) + bytes(part)))
    return pieces


def join_pieces(segment: str, count: int, get: Callable[[str], bytes | None]) -> bytes:
    """Reads a segment's pieces and puts their contents together, or says which of them is damaged."""
    parts = []
    for number in range(count):
        name = piece_name(segment, number)
        piece = get(name)
        if piece is None:
            raise DamagedState(f"The state is damaged: its piece '{name}' is missing.")
        parts.append(_content(name, memoryview(piece)))
    return b"".join(parts)


def _content(name: str, piece: memoryview) -> memoryview:
    if len(piece) < _HEADER.size:
        raise DamagedState(f"The state is damaged: its piece '{name}' is cut short.")
    mark, version, spare, length, checksum = _HEADER.unpack(piece[: _HEADER.size])
    content = piece[_HEADER.size :]
    if mark != _MARK or spare or length != len(content) or checksum != _checksum(name, content, version):
        raise DamagedState(f"The state is damaged: its piece '{name}' is not what was written.")
    if version != FORMAT:
        raise ForeignFormat(f"The state's piece '{name}' has format {version}, this version reads {FORMAT}.")
    return content


def _checksum(name: str, content: memoryview, version: int = FORMAT) -> int:
    return zlib.crc32(content, zlib.crc32(f"{version} {name}".encode()))
