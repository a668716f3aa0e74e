"""One owner at a time for a folder of state: a lock on a file beside it, which goes with the process that holds it."""

from __future__ import annotations

import fcntl
import os

from firesteel.storage.local import LocalFolder


class Lock:
    """Raises `BlockingIOError` while another process has it."""

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
        """The file stays: removing it could part two that wait for it."""
        os.close(self._file)
