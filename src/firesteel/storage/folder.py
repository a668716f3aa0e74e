"""A folder of a job's state, wherever it is: what the rest of Firesteel asks of it.

A `Folder` travels to workers, so it holds an address and no connection. A file is there whole or not at all: whoever reads never
sees half of one. Names are relative to the folder, with `/` between parts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import BinaryIO


class Folder(ABC):
    """`str` of it is what people are shown."""

    @property
    @abstractmethod
    def uri(self) -> str:
        """Its address as Spark takes it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The last part of its address."""

    @abstractmethod
    def child(self, name: str) -> Folder:
        """A folder inside. It need not be there."""

    @abstractmethod
    def exists(self, name: str = "") -> bool:
        """Whether there is a file or a folder of that name; without a name, the folder itself."""

    @abstractmethod
    def list(self) -> tuple[str, ...]:
        """The names of the files and folders in it, sorted; none if it is not there."""

    @abstractmethod
    def files(self) -> tuple[str, ...]:
        """The names of all files below it, sorted."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """The content of a file. Raises `FileNotFoundError`, or another `OSError`."""

    @abstractmethod
    def write(self, name: str, content: bytes) -> None:
        """Writes a file whole, in the place of one that is there."""

    @abstractmethod
    def create(self, name: str, content: bytes) -> bool:
        """Writes a file whole if there is none. False: somebody else's is there, and stays."""

    @abstractmethod
    def open_read(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file to read bit by bit."""

    @abstractmethod
    def open_write(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file to write bit by bit. It is there when the block ends without an exception, else not at all."""

    @abstractmethod
    def age(self, name: str) -> float:
        """How long ago a file was written, in seconds."""

    @abstractmethod
    def delete(self, name: str = "") -> None:
        """Deletes a file, or a folder with all that is in it; without a name, the folder itself. What is not there is no mistake."""

    def read_text(self, name: str) -> str:
        return self.read(name).decode()

    def write_text(self, name: str, content: str) -> None:
        self.write(name, content.encode())
