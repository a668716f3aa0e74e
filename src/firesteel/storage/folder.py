"""Defines the interface of a folder for a job's state, on whatever storage it is.

A `Folder` is sent to workers, so it holds an address and no connection. A file is written whole or not at all: a reader never
sees a part of one. Names are relative to the folder, with `/` between parts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import BinaryIO


class Folder(ABC):
    """A folder. `str` renders it for people."""

    @property
    @abstractmethod
    def uri(self) -> str:
        """Returns its address as Spark takes it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Returns the last part of its address."""

    @abstractmethod
    def child(self, name: str) -> Folder:
        """Returns a folder inside, which need not exist."""

    @abstractmethod
    def exists(self, name: str = "") -> bool:
        """Says whether a file or folder of that name exists; without a name, whether this folder does."""

    @abstractmethod
    def list(self) -> tuple[str, ...]:
        """Lists the names of files and folders in it, sorted; none if it does not exist."""

    @abstractmethod
    def files(self) -> tuple[str, ...]:
        """Lists the names of all files below it, sorted."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """Reads a file. Raises `FileNotFoundError`, or another `OSError`."""

    @abstractmethod
    def write(self, name: str, content: bytes) -> None:
        """Writes a file whole, and replaces an existing one."""

    @abstractmethod
    def create(self, name: str, content: bytes) -> bool:
        """Writes a file whole if it does not exist. Returns False, and changes nothing, if it does."""

    @abstractmethod
    def open_read(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Opens a file to read it in parts."""

    @abstractmethod
    def open_write(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Opens a file to write it in parts. It exists once the block ends without an exception, otherwise not at all."""

    @abstractmethod
    def age(self, name: str) -> float:
        """Returns for how many seconds a file has not been written."""

    @abstractmethod
    def delete(self, name: str = "") -> None:
        """Deletes a file or a folder with its content; without a name, this folder. One that does not exist is no error."""

    def read_text(self, name: str) -> str:
        return self.read(name).decode()

    def write_text(self, name: str, content: str) -> None:
        self.write(name, content.encode())
