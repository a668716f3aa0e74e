"""Expands changes into rows for a whole block: an update becomes two rows, the one before and the one after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.formats.cdc.envelope import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Change
from firesteel.formats.two_paths import Kinds

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Expanded:
    """For each row: the index of its change, its kind, and whether it is the row after the change."""

    change: Numbers
    kinds: Kinds
    after: Mask


def expand(changes: Numbers) -> Expanded:
    """Expands changes, given as `Change` values."""
    update = changes == Change.UPDATE.value
    repeats = 1 + update
    change = np.repeat(np.arange(len(changes)), repeats)
    kind_of = np.array([INSERT, UPDATE_BEFORE, DELETE], dtype=np.int8)
    kinds = np.repeat(kind_of[changes], repeats)
    after = np.repeat(changes == Change.INSERT.value, repeats)
    second = np.cumsum(repeats)[update] - 1
    kinds[second] = UPDATE_AFTER
    after[second] = True
    return Expanded(change, kinds, after)


class Words:
    """The words of an envelope that name changes."""

    def __init__(self, changes: Mapping[str, Change]) -> None:
        self._words = pa.array(list(changes), pa.string())
        self._numbers = np.array([change.value for change in changes.values()], dtype=np.int64)

    def changes(self, words: pa.Array) -> Numbers | None:
        """Translates each word to a change. Returns None if a word is missing or unknown."""
        indexes = pc.index_in(words, value_set=self._words)
        return None if indexes.null_count else self._numbers[indexes.to_numpy(zero_copy_only=False)]
