"""Which file of Spark's state is damaged: Spark itself does not always say.

Only the files' frames are looked at: blocks of LZ4, which hold the changes of each batch, archives of RocksDB, and schemas.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress

import pyarrow as pa

from firesteel.storage.folder import Folder

_MAGIC = b"LZ4Block"
#: The magic, how it is compressed, its length as it is, its length once it is read, a checksum.
_HEAD = struct.Struct("<8sBiii")
_KIND, _COMPRESSED = 0xF0, 0x20

_BLOCKS = (".delta", ".snapshot", ".changelog")


def find_damaged(state: Folder) -> str | None:
    """Finds the name of the first file whose frame is broken; None where every frame is whole."""
    with suppress(OSError):
        return next(_damaged(state), None)
    return None


def _damaged(state: Folder) -> Iterator[str]:
    files = state.files()
    contents = {name: state.read(name) for name in files if name.endswith(_BLOCKS)}
    # With another codec there is no telling.
    if any(content.startswith(_MAGIC) for content in contents.values()):
        yield from (name for name, content in contents.items() if not is_whole(content))
    yield from (name for name in files if name.endswith(".zip") and not _is_archive(state.read(name)))
    described = (name for name in files if "/_metadata/v2/" in name)
    yield from (name for name in described if not is_versioned_json(state.read(name)))
    schemas = (name for name in files if "/_metadata/" in name and "schema" in name)
    yield from (name for name in schemas if not is_schema(state.read(name)))


def is_whole(content: bytes) -> bool:
    """Says whether these are blocks of LZ4, of which the last is empty and says so.

    >>> is_whole(_HEAD.pack(_MAGIC, 0x15, 0, 0, 0)), is_whole(b"")
    (True, False)
    """
    codec = pa.Codec("lz4_raw")
    place, ended = 0, False
    while place < len(content):
        if ended or place + _HEAD.size > len(content):
            return False
        magic, token, packed, size, _ = _HEAD.unpack_from(content, place)
        place += _HEAD.size
        block = content[place : place + packed]
        if magic != _MAGIC or packed < 0 or size < 0 or len(block) < packed:
            return False
        if token & _KIND == _COMPRESSED and size:
            try:
                codec.decompress(block, size)
            except (pa.ArrowException, OSError, ValueError):
                return False
        place += packed
        ended = size == 0
    return ended


def _is_archive(content: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.testzip() is None
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError):
        # Where the archive's own tables are changed, Python may find a method of compression that there is none of.
        return False


def is_versioned_json(content: bytes) -> bool:
    r"""Says whether this is a version and a line of JSON.

    >>> is_versioned_json(b'v2\n{"a":1}'), is_versioned_json(b'v2\n{"a":1'), is_versioned_json(b'w2\n{"a":1}')
    (True, False, False)
    """
    version, _, text = content.partition(b"\n")
    try:
        return re.fullmatch(rb"v\d+", version) is not None and isinstance(json.loads(text), dict)
    except ValueError:
        return False


def is_schema(content: bytes) -> bool:
    """Says whether these are texts as Java writes them: a version, and in the second version two lists of JSON and nothing else.

    >>> is_schema(b"\\0\\2v2\\0\\0\\0\\1\\0\\2{}\\0\\0\\0\\1\\0\\2{}"), is_schema(b"\\0\\2v2\\0\\0\\0\\1\\0\\2{")
    (True, False)
    """
    try:
        version, place = _text(content, 0)
        if not (version.startswith("v") and version[1:].isdecimal()):
            return False
        for _ in range(2 if version == "v2" else 0):
            (count,) = struct.unpack_from(">i", content, place)
            place += 4
            for _ in range(count):
                chunk, place = _text(content, place)
                if not chunk:
                    return False
        return version != "v2" or place == len(content)
    except (struct.error, ValueError):
        return False


def _text(content: bytes, place: int) -> tuple[str, int]:
    (size,) = struct.unpack_from(">H", content, place)
    end = place + 2 + size
    if end > len(content):
        raise ValueError("It ends too soon.")
    return content[place + 2 : end].decode(), end
