"""Segments as mapped files of this machine, so that reading state costs no calls to the store and no memory of the process.

A segment never changes and its name is never used for another content, so nothing here can be stale: a file that is missing, cut short
or damaged is fetched again, and one that the manifest does not name is removed at the bucket's next batch. A file ends in a checksum, which
is compared when a process opens a file for the first time that it has not written.
"""

from __future__ import annotations

import os
import time
import zlib
from collections import OrderedDict
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa

from firesteel.state.manifest import Part
from firesteel.state.segment import Segment, read_rows, write_rows

#: How many bytes of mapped segments are kept open, if nobody says otherwise.
MEMORY = 1 << 30


_CHECKSUM = 8


def _checksum(content: pa.Buffer) -> bytes:
    return b"%08x" % zlib.crc32(content)


#: After so many seconds nobody writes a file any more that has no name yet.
_ABANDONED = 3600.0


def _is_old(file: os.DirEntry[str]) -> bool:
    try:
        return file.stat().st_mtime < time.time() - _ABANDONED
    except FileNotFoundError:
        return False


class Cache:
    """The files of one bucket of one operator. `memory`: how many bytes of them stay mapped at a time."""

    def __init__(self, folder: Path, memory: int = MEMORY) -> None:
        self.folder, self.memory = folder, memory
        self._open: OrderedDict[str, Segment] = OrderedDict()
        self._bytes = 0
        self._checked: set[str] = set()

    @property
    def mapped(self) -> int:
        """Counts the bytes that are mapped."""
        return self._bytes

    def get(self, part: Part) -> Segment | None:
        """Opens a segment, or gives None where it has to be fetched."""
        segment = self._open.get(part.name)
        if segment is not None:
            self._open.move_to_end(part.name)
            return segment
        segment = self._map(part.name)
        if segment is None or (segment.rows, segment.first, segment.last) != (part.rows, part.first, part.last):
            return None
        return self._keep(part.name, segment)

    def put(self, name: str, rows: pa.RecordBatch) -> Segment:
        """Writes a segment to its file and maps it, so that its rows no longer need memory of this process."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f"{name}.{os.getpid()}"
        content = write_rows(rows, None)
        with pa.OSFile(str(part), "wb") as file:
            file.write(content)
            file.write(_checksum(content))
        part.replace(self.folder / name)
        self._checked.add(name)
        return self._keep(name, self._map(name) or Segment(rows))

    def keep_only(self, names: Collection[str]) -> None:
        """Removes what no manifest names: merged segments, and those that failed attempts have left."""
        for name in self._found().union(self._open).difference(names):
            self._forget(name)
            self._checked.discard(name)
            (self.folder / name).unlink(missing_ok=True)

    def unmap(self) -> None:
        """Lets go of all segments; their files stay."""
        for name in list(self._open):
            self._forget(name)

    def _found(self) -> set[str]:
        """Names the files that are there. One that is being written has a dot in its name: another attempt may be at it, unless it is old."""
        try:
            with os.scandir(self.folder) as files:
                return {file.name for file in files if file.is_file() and ("." not in file.name or _is_old(file))}
        except FileNotFoundError:
            return set()

    def _map(self, name: str) -> Segment | None:
        try:
            with pa.memory_map(str(self.folder / name)) as file:
                whole = file.read_buffer()
            content, checksum = (
                whole.slice(0, max(whole.size - _CHECKSUM, 0)),
                whole.slice(max(whole.size - _CHECKSUM, 0)),
            )
            if name not in self._checked and checksum.to_pybytes() != _checksum(content):
                return None
            self._checked.add(name)
            return Segment(read_rows(content))
        except (OSError, pa.ArrowInvalid, StopIteration, LookupError):
            return None

    def _keep(self, name: str, segment: Segment) -> Segment:
        self._forget(name)
        self._open[name] = segment
        self._bytes += segment.all.nbytes
        while self._bytes > self.memory and len(self._open) > 1:
            self._forget(next(iter(self._open)))
        return segment

    def _forget(self, name: str) -> None:
        segment = self._open.pop(name, None)
        if segment is not None:
            self._bytes -= segment.all.nbytes
