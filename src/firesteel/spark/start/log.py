"""Keeps Spark's log small: copies what is older to `job.log.1` to `.3`, and empties the file.

The JVM, its workers and the fork server have the file open, so it cannot be renamed. They open it for appending, and
continue at its beginning after it is emptied.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

LARGEST = 10 * 1024 * 1024
COPIES = 3
_SECONDS = 10.0
_BLOCK = 1 << 20

_lock = threading.Lock()
_kept: set[Path] = set()


def keep_small(path: Path) -> None:
    """Starts a thread that keeps the file small while this process lives."""
    with _lock:
        if path in _kept:
            return
        _kept.add(path)
    threading.Thread(target=_keep, args=(path,), name="firesteel-log", daemon=True).start()


def _keep(path: Path) -> None:
    while True:
        # A full disk or a missing folder is reported elsewhere.
        with suppress(OSError):
            rotate(path)
        time.sleep(_SECONDS)


def rotate(path: Path, largest: int = LARGEST, copies: int = COPIES) -> bool:
    """Copies and empties the file if it is too large. Returns whether it was."""
    if not path.is_file() or path.stat().st_size <= largest:
        return False
    for number in range(copies, 1, -1):
        with suppress(FileNotFoundError):
            _numbered(path, number - 1).replace(_numbered(path, number))
    _copy_end(path, _numbered(path, 1), largest)
    os.truncate(path, 0)
    return True


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _copy_end(path: Path, to: Path, largest: int) -> None:
    """Copies the file, or the end of it if it has grown much too large. Lines that are written meanwhile are copied
    too, up to a limit.
    """
    with path.open("rb") as source, open(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:  # noqa: PTH123
        size = source.seek(0, os.SEEK_END)
        is_burst = size > 2 * largest
        source.seek(size - largest if is_burst else 0)
        if is_burst:
            # Skip to the beginning of a line.
            source.readline()
        left = 3 * largest
        while left > 0 and (block := source.read(min(_BLOCK, left))):
            target.write(block)
            left -= len(block)
