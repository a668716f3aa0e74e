"""Locks a folder of state for one process: a lock on a file beside it, released when the process ends."""

from __future__ import annotations

import fcntl
import os

from firesteel.storage.local import LocalFolder


class Lock:
    """Held from its creation on; creating it raises `BlockingIOError` while another process holds it."""

    def __init__(self, folder: LocalFolder) -> None:
        path = folder.path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise

    def release(self) -> None:
        """Releases the lock. The file stays: after its removal two processes could each lock a file of that name."""
        os.close(self._file)
