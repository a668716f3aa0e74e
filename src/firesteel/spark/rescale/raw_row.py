"""Rows of Spark's state store as the bytes that Spark has in memory: what the state engine keeps is written with its own keys.

A row is a word of bits for NULLs and a word for each field: a whole number, or the place and the length of what follows.

>>> manifest_key(12).hex()
'00000000000000000c00000000000000'
>>> bucket_of(manifest_key(12)), bucket_of(piece_key(12, "1-rows")), piece_name(piece_key(12, "1-rows"))
(12, 12, '1-rows')
>>> content(value(b"abc"))
b'abc'
"""

from __future__ import annotations

import struct

#: The column families in which Spark keeps the two variables of an operator of the state engine.
MANIFEST, PIECES = "manifest", "pieces"

_WORD = struct.Struct("<q")
#: The length, then the place.
_SPAN = struct.Struct("<ii")


def manifest_key(bucket: int) -> bytes:
    """Makes the key of a bucket's manifest: its number."""
    return _row(_WORD.pack(bucket))


def piece_key(bucket: int, name: str) -> bytes:
    """Makes the key of a piece: the row of the bucket, and the row of the name."""
    return _row_of_parts([manifest_key(bucket), value(name.encode())])


def value(data: bytes) -> bytes:
    """Makes a row of one field of bytes."""
    return _row_of_parts([data])


def bucket_of(key: bytes) -> int:
    """Reads the bucket from the key of a manifest or of a piece."""
    own = key if len(key) == 2 * _WORD.size else _part(key, 0)
    (bucket,) = _WORD.unpack_from(own, _WORD.size)
    return int(bucket)


def piece_name(key: bytes) -> str:
    """Reads the name from the key of a piece."""
    return content(_part(key, 1)).decode()


def content(row: bytes) -> bytes:
    """Reads the field of a row of one field of bytes."""
    return _part(row, 0)


def _row(*words: bytes) -> bytes:
    return b"".join([bytes(_WORD.size), *words])


def _row_of_parts(parts: list[bytes]) -> bytes:
    spans, place = [], _WORD.size * (1 + len(parts))
    for part in parts:
        spans.append(_SPAN.pack(len(part), place))
        place += _padded(len(part))
    return _row(*spans, *(part.ljust(_padded(len(part)), b"\0") for part in parts))


def _padded(size: int) -> int:
    return -(-size // _WORD.size) * _WORD.size


def _part(row: bytes, number: int) -> bytes:
    size, place = _SPAN.unpack_from(row, _WORD.size * (1 + number))
    return row[place : place + size]
