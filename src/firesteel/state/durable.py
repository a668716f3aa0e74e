"""What outlives a process: named blobs, written once, and one manifest that says which of them count."""

from __future__ import annotations

from typing import Protocol


class Durable(Protocol):
    """A store of one bucket as one attempt of one batch sees it. All its changes are kept together, or none of them."""

    def load(self) -> bytes | None:
        """Reads the manifest of the last batch that was kept, or None before the first."""
        ...

    def save(self, manifest: bytes) -> None:
        """Writes the manifest. It is the last call of a batch."""
        ...

    def get(self, name: str) -> bytes | None:
        """Reads a blob, or gives None where there is none."""
        ...

    def put(self, name: str, blob: bytes) -> None:
        """Writes a blob under a name that has not been used for another content."""
        ...

    def remove(self, name: str) -> None:
        """Removes a blob that no manifest names any more."""
        ...
