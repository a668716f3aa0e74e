"""Rows of a changelog as blocks: which are inserted and which retracted, and how a block is made of others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog.hidden import CODES, KIND
from firesteel.changelog.kind import RowKind
from firesteel.state.order import Bools, Ints
from firesteel.state.segment import K1, K2, K3, one_batch

INSERT, UPDATE_BEFORE = CODES[RowKind.INSERT], CODES[RowKind.UPDATE_BEFORE]
UPDATE_AFTER, DELETE = CODES[RowKind.UPDATE_AFTER], CODES[RowKind.DELETE]
_HIDDEN = (K1, K2, K3, KIND)
Kinds = NDArray[np.int8]


def block_of(table: pa.Table | pa.RecordBatch | None) -> pa.RecordBatch | None:
    """Gives an operator's input as one batch of rows, without dictionaries, or None where there are no rows."""
    if table is None or not table.num_rows:
        return None
    batch = one_batch(table) if isinstance(table, pa.Table) else table
    if not any(pa.types.is_dictionary(field.type) for field in batch.schema):
        return batch
    columns = [one.dictionary_decode() if pa.types.is_dictionary(one.type) else one for one in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def kinds_of(rows: pa.RecordBatch) -> Kinds:
    """Gives the kinds of rows; those of a stream without kinds are all inserted."""
    if KIND not in rows.schema.names:
        return np.full(rows.num_rows, INSERT, np.int8)
    kinds: Kinds = rows.column(KIND).to_numpy(zero_copy_only=False).astype(np.int8, copy=False)
    return kinds


def is_retract(kinds: Kinds) -> Bools:
    """Marks retractions: UPDATE_BEFORE and DELETE."""
    retract: Bools = (kinds == UPDATE_BEFORE) | (kinds == DELETE)
    return retract


def signs_of(rows: pa.RecordBatch) -> Ints:
    """Gives 1 for each inserted row and -1 for each retracted one."""
    return np.where(is_retract(kinds_of(rows)), -1, 1)


def data_names(rows: pa.RecordBatch) -> list[str]:
    """Names the columns that are a row's data."""
    return [name for name in rows.schema.names if name not in _HIDDEN]


def data_of(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Leaves out hashes and kinds."""
    return rows.select(data_names(rows))


def with_kind(rows: pa.RecordBatch, kind: int | Kinds) -> pa.RecordBatch:
    """Adds the column of kinds."""
    kinds = np.full(rows.num_rows, kind, np.int8) if isinstance(kind, int) else kind
    return pa.RecordBatch.from_arrays([*rows.columns, pa.array(kinds)], names=[*rows.schema.names, KIND])


def with_numbers(rows: pa.RecordBatch, *numbers: Ints) -> pa.RecordBatch:
    """Puts the numbers of an identity before data."""
    names = [K1, K2, K3][: len(numbers)]
    return pa.RecordBatch.from_arrays(
        [*(pa.array(number) for number in numbers), *rows.columns], names=[*names, *rows.schema.names]
    )


def output_of(blocks: Sequence[pa.RecordBatch]) -> pa.Table | None:
    """Puts an operator's output together; None where nothing changed."""
    some = [block for block in blocks if block.num_rows]
    return pa.Table.from_batches(some) if some else None


def take(rows: pa.RecordBatch, at: Ints | Bools) -> pa.RecordBatch:
    """Takes rows by their places, or by marks."""
    return rows.filter(pa.array(at)) if at.dtype == np.bool_ else rows.take(pa.array(at))


def scatter(count: int, kind: pa.DataType, parts: Sequence[tuple[Ints, pa.Array]]) -> pa.Array:
    """Makes a column of values for places; a later part overrides an earlier one, and where none says anything there is NULL."""
    index, base = np.full(count, -1), 0
    for places, _ in parts:
        index[places] = base + np.arange(len(places))
        base += len(places)
    if not base:
        return pa.nulls(count, kind)
    whole = pa.concat_arrays([values.cast(kind) for _, values in parts])
    return whole.take(pa.array(index, mask=index < 0) if (index < 0).any() else pa.array(index))
