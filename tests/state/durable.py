"""Stores for tests: one in memory, and one attempt's view of it that can die at any call."""

from __future__ import annotations

import zlib

import numpy as np

from firesteel.state.order import Ints
from firesteel.state.state import Now

#: What a store holds: the manifest and the pieces.
Content = tuple[bytes | None, dict[str, bytes]]


class Died(Exception):
    """An attempt was killed."""


class Memory:
    """A store of one bucket in memory, or one attempt's copy of it, that dies at the `dies_at`th call."""

    def __init__(self, content: Content = (None, {}), dies_at: int | None = None) -> None:
        self.manifest, self.blobs = content[0], dict(content[1])
        self._dies_at, self.calls = dies_at, 0

    @property
    def content(self) -> Content:
        return self.manifest, self.blobs

    def _call(self) -> None:
        self.calls += 1
        if self.calls == self._dies_at:
            raise Died

    def load(self) -> bytes | None:
        self._call()
        return self.manifest

    def save(self, manifest: bytes) -> None:
        self._call()
        self.manifest = manifest
        self._call()

    def get(self, name: str) -> bytes | None:
        self._call()
        return self.blobs.get(name)

    def put(self, name: str, blob: bytes) -> None:
        self._call()
        assert len(blob) <= 4 << 20
        assert self.blobs.setdefault(name, blob) == blob, "a name is never used for another content"

    def remove(self, name: str) -> None:
        self._call()
        del self.blobs[name]


def now(batch: int, clock: int | None = None, watermark: int | None = None) -> Now:
    """A moment whose clock is the batch's number, if nothing else is said."""
    return Now(batch, batch if clock is None else clock, watermark)


def mix(values: Ints, seed: int = 0) -> Ints:
    """A hash for tests."""
    mixed = (values.astype(np.uint64) + np.uint64(zlib.crc32(b"%d" % seed))) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return mixed.view(np.int64)
