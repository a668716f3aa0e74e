"""Spark's log stays small: what is written goes on into the same file, and what is older lies beside it, as `job.log.1` to `.3`.

The JVM, its workers and the server of processes have the file open, and all of their noise goes there, whoever makes it. So the
file is emptied instead of renamed; they append, and begin anew at its top.
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
    """From now on, while this process lives."""
    with _lock:
        if path in _kept:
            return
        _kept.add(path)
    threading.Thread(target=_keep, args=(path,), name="firesteel-log", daemon=True).start()


def _keep(path: Path) -> None:
    while True:
        # A full disk, or a folder that is gone: that is said elsewhere.
        with suppress(OSError):
            rotate(path)
        time.sleep(_SECONDS)


def rotate(path: Path, largest: int = LARGEST, copies: int = COPIES) -> bool:
    """Whether it was large enough to be put aside."""
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
    """All of it; of a burst the end. What is written meanwhile is copied too, as long as it is not more than that."""
    with path.open("rb") as source, open(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:  # noqa: PTH123
        size = source.seek(0, os.SEEK_END)
        is_burst = size > 2 * largest
        source.seek(size - largest if is_burst else 0)
        if is_burst:
            # From the beginning of a line.
            source.readline()
        left = 3 * largest
        while left > 0 and (block := source.read(min(_BLOCK, left))):
            target.write(block)
            left -= len(block)
