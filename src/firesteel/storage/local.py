"""A folder on this machine, or on a disk that all machines share.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as location:
...     folder = LocalFolder(location).child("job")
...     folder.write_text("a/b.txt", "one"), folder.create("a/b.txt", b"two"), folder.read_text("a/b.txt"), folder.list()
(None, False, 'one', ('a',))
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from firesteel.storage.address import local_uri
from firesteel.storage.folder import Folder

#: The prefix of files that are not written whole yet; they are never listed.
_UNFINISHED = ".new-"


@dataclass(frozen=True)
class LocalFolder(Folder):
    location: str

    def __str__(self) -> str:
        return self.location

    @property
    def path(self) -> Path:
        return Path(self.location)

    @property
    def uri(self) -> str:
        return local_uri(self.location)

    @property
    def name(self) -> str:
        return self.path.name

    def child(self, name: str) -> LocalFolder:
        return LocalFolder(str(self.path / name))

    def exists(self, name: str = "") -> bool:
        return (self.path / name).exists()

    def list(self) -> tuple[str, ...]:
        try:
            return tuple(sorted(path.name for path in self.path.iterdir() if not path.name.startswith(_UNFINISHED)))
        except (FileNotFoundError, NotADirectoryError):
            return ()

    def files(self) -> tuple[str, ...]:
        found = (path for path in self.path.rglob("*") if path.is_file() and not path.name.startswith(_UNFINISHED))
        return tuple(sorted(path.relative_to(self.path).as_posix() for path in found))

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        with self.open_write(name) as file:
            file.write(content)

    def create(self, name: str, content: bytes) -> bool:
        path = self.path / name
        unfinished = self._unfinished(path)
        try:
            unfinished.write_bytes(content)
            # If two processes link at the same time, one of them fails.
            os.link(unfinished, path)
            return True
        except FileExistsError:
            return False
        finally:
            unfinished.unlink(missing_ok=True)

    @contextmanager
    def open_read(self, name: str) -> Iterator[BinaryIO]:
        with (self.path / name).open("rb") as file:
            yield file

    @contextmanager
    def open_write(self, name: str) -> Iterator[BinaryIO]:
        path = self.path / name
        unfinished = self._unfinished(path)
        try:
            with unfinished.open("wb") as file:
                yield file
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    @property
    def is_file(self) -> bool:
        return self.path.exists() and not self.path.is_dir()

    def make_private(self) -> None:
        """Makes the folder, for its owner only: state can hold anything the topics hold."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.path.chmod(0o700)

    def age(self, name: str) -> float:
        return max(0.0, time.time() - (self.path / name).stat().st_mtime)

    def delete(self, name: str = "") -> None:
        path = self.path / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(FileNotFoundError):
                path.unlink()

    def _unfinished(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.with_name(f"{_UNFINISHED}{uuid.uuid4().hex}")
