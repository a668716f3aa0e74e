"""Generates a table that changes, the same changes for the same seed, and computes what is left of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

_BLOCK = 200_000
#: Every key of a filled table comes once: a prime that is greater than any number of keys mixes them.
_PRIME = 2_147_483_647
_DELETED = 0.01
#: How many groups share a category.
_GROUPS = 10


@dataclass(frozen=True)
class Changes:
    """A table of `keys` keys that changes `rows` times. There are as many groups as keys, and a change moves its key to any of them;
    one change in a hundred deletes its key.

    `filled`: each key comes once before any comes again.
    """

    rows: int
    keys: int
    filled: bool = False
    seed: int = 7

    def blocks(self) -> Iterator[pl.DataFrame]:
        """Makes the changes: key, group, category of the group, value, and whether the key is gone."""
        for start in range(0, self.rows, _BLOCK):
            yield self._block(start, min(start + _BLOCK, self.rows))

    def _block(self, start: int, end: int) -> pl.DataFrame:
        chance = np.random.default_rng([self.seed, start // _BLOCK])
        count = end - start
        keys = chance.integers(0, self.keys, count)
        first = np.zeros(count, bool)
        if self.filled:
            number = np.arange(start, end)
            first = number < self.keys
            keys = np.where(first, number * _PRIME % self.keys, keys)
        groups = chance.integers(0, self.keys, count)
        values = chance.integers(0, 1_000_000, count)
        gone = (chance.random(count) < _DELETED) & ~first
        return pl.DataFrame({"k": keys, "g": groups, "c": groups // _GROUPS, "v": values, "gone": gone})

    def with_old_rows(self) -> Iterator[pl.DataFrame]:
        """Makes the changes with the group, category and value before them, which are null for a new key. Deletions of keys that are
        not there are left out.
        """
        changes = pl.concat(self.blocks())
        old = [pl.col(name).shift(1).over("k").alias(f"old_{name}") for name in ("g", "c", "v", "gone")]
        changes = changes.with_columns(old).with_columns(
            pl.when(~pl.col("old_gone")).then(pl.col(name)).alias(name) for name in ("old_g", "old_c", "old_v")
        )
        return changes.filter(~pl.col("gone") | pl.col("old_v").is_not_null()).drop("old_gone").iter_slices(_BLOCK)

    def left(self) -> pl.DataFrame:
        """Computes the rows that are left in the end."""
        return left_of(self)


def left_of(*changes: Changes) -> pl.DataFrame:
    """Computes the rows that are left after changes that follow each other."""
    blocks = [block for one in changes for block in one.blocks()]
    return pl.concat(blocks).unique("k", keep="last").filter(~pl.col("gone")).drop("gone")
