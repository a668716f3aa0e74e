"""An immutable, sorted table of rows: the smallest thing that state is made of.

Beside its data a row has its identity, two or three whole numbers by which the rows are sorted; `__gone`, where it says that the
row of this identity was deleted; and `__touch`, the clock of its last write, where state expires.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.state.order import Bools, Ints

K1, K2, K3 = "__k1", "__k2", "__k3"
KEYS = (K1, K2, K3)
GONE = "__gone"
#: The clock, in milliseconds since 1970, at which a row was last written.
TOUCH = "__touch"


class Segment:
    """Sorted rows of one table, with their numbers at hand as numpy columns."""

    def __init__(self, rows: pa.RecordBatch) -> None:
        self.all = rows
        self.keys = [numbers(rows, name) for name in KEYS if name in rows.schema.names]
        self.first, self.last = int(self.keys[0][0]), int(self.keys[0][-1])
        gone = rows.column(GONE)
        self.gone: Bools | None = None if pa.types.is_null(gone.type) else gone.to_numpy(zero_copy_only=False)
        self.touch: Ints | None = numbers(rows, TOUCH) if TOUCH in rows.schema.names else None
        self.data = rows.select([name for name in rows.schema.names if name not in (GONE, TOUCH)])

    @property
    def rows(self) -> int:
        return len(self.keys[0])

    def above(self, bound: int | None) -> Segment | None:
        """Gives the rows whose first number is above the bound, without copying them; None where there are none."""
        if bound is None or self.first > bound:
            return self
        if self.last <= bound:
            return None
        return Segment(self.all.slice(int(np.searchsorted(self.keys[0], bound, "right"))))

    def up_to(self, bound: int | None) -> Segment | None:
        """Gives the rows whose first number is at most the bound, without copying them; None where there are none."""
        if bound is None or self.last <= bound:
            return self
        if self.first > bound:
            return None
        return Segment(self.all.slice(0, int(np.searchsorted(self.keys[0], bound, "right"))))

    def dead(self, at: Ints, horizon: int | None) -> Bools | None:
        """Marks which of these rows are deleted or were last touched at or before the horizon; None if none can be."""
        dead = None if self.gone is None else self.gone[at]
        if horizon is None or self.touch is None:
            return dead
        expired: Bools = self.touch[at] <= horizon
        return expired if dead is None else dead | expired


def numbers(rows: Any, name: str) -> Ints:
    """Gives a column of whole numbers without NULLs as numpy has it."""
    column = rows[name]
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            return np.empty(0, np.int64)
    values: Ints = column.to_numpy(zero_copy_only=False)
    return values


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """Puts a table's chunks together."""
    table = table.combine_chunks()
    columns = [_one_array(column) for column in table.columns]
    return pa.RecordBatch.from_arrays(columns, names=table.column_names)


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays([*column.chunks, pa.array([], column.type)])


def concatenate(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Puts rows of one schema behind each other."""
    if len(batches) == 1:
        return batches[0]
    columns = [pa.concat_arrays([batch.column(i) for batch in batches]) for i in range(batches[0].num_columns)]
    return pa.RecordBatch.from_arrays(columns, names=batches[0].schema.names)


def write_rows(rows: pa.RecordBatch, codec: str | None) -> pa.Buffer:
    """Turns rows into Arrow's stream format."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=codec, use_threads=False)
    with pa.ipc.new_stream(sink, rows.schema, options=options) as writer:
        writer.write_batch(rows)
    return sink.getvalue()


def read_rows(data: Any) -> pa.RecordBatch:
    """Reads what `write_rows` wrote; a mapped file is not copied."""
    with pa.ipc.open_stream(data) as reader:
        return reader.read_next_batch()
