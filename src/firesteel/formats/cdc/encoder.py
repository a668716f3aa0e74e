"""Encodes Arrow as changelog messages. An update is written as a delete and an insert: Flink's formats write no other form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.bound import BoundFormat
from firesteel.formats.cdc.envelope import DELETE, UPDATE_BEFORE
from firesteel.formats.json.encoder import JsonTexts, located
from firesteel.formats.json.settings import from_options


@dataclass(frozen=True)
class Frame:
    """The text before and after the row's JSON."""

    before: str
    behind: str


class ChangelogEncoder:
    def __init__(self, bound: BoundFormat, insert: Frame, delete: Frame) -> None:
        self._fields = bound.fields
        self._texts = JsonTexts(from_options(bound.options))
        self._insert = insert
        self._delete = delete

    def encode(self, batch: pa.RecordBatch, kinds: pa.Array | None = None) -> list[bytes | None]:
        return located(self._encode, batch, kinds)

    def _encode(self, batch: pa.RecordBatch, kinds: pa.Array | None) -> list[bytes | None]:
        rows = self._texts.rows(batch.columns, self._fields, batch.num_rows)
        deletes = _deletes(kinds)
        before = _choose(deletes, self._insert.before, self._delete.before)
        behind = _choose(deletes, self._insert.behind, self._delete.behind)
        texts = pc.binary_join_element_wise(before, rows, behind, pa.scalar(""))
        messages: list[bytes | None] = texts.cast(pa.binary()).to_pylist()
        return messages


def _deletes(kinds: pa.Array | None) -> pa.Array | None:
    """Finds the retracted rows. Returns None if there are none."""
    if kinds is None:
        return None
    numbers = kinds.to_numpy(zero_copy_only=False)
    taken = (numbers == DELETE) | (numbers == UPDATE_BEFORE)
    return pa.array(taken) if np.any(taken) else None


def _choose(deletes: pa.Array | None, insert: str, delete: str) -> pa.Array | pa.Scalar:
    if deletes is None or insert == delete:
        return pa.scalar(insert)
    return pc.if_else(deletes, pa.scalar(delete), pa.scalar(insert))
