"""Aggregates by window: a group is answered once, when the watermark or the clock has passed its window's end, and forgotten then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.operator.operator import INPUT
from firesteel.state.row import INSERT, block_of, output_of, take, with_kind
from firesteel.state.segment import K1, K2, numbers
from firesteel.state.state import Now, State

_WATERMARK = "watermark"
_BEFORE_ALL = -(1 << 63)


@dataclass(frozen=True)
class WindowAggregate:
    """Aggregates by a key that has a window in it. Rows whose window has been answered are late: they are dropped and counted.

    `end` names the input's column with the end of each row's window, in milliseconds since 1970. A window is answered when the watermark is
    at its last millisecond, or with `by_clock` when the clock is at its end: then no row is late. `columns` are those of the input,
    without hashes and kinds.
    """

    group: GroupAggregate
    columns: pa.Schema
    end: str
    by_clock: bool = False

    @property
    def is_timed(self) -> bool:
        return True

    @property
    def key(self) -> tuple[str, ...]:
        """Names the columns by which rows are grouped, the window's own among them."""
        return self.group.key

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        time = now.clock - 1 if self.by_clock else now.watermark
        before = state.own.get(_WATERMARK)
        rows = block_of(inputs.get(INPUT))
        if rows is not None:
            self._add(rows, before, state)
        if time is None or (before is not None and time <= before):
            return None
        state.own[_WATERMARK] = time
        return self._answer(time + 1, state)

    def wake(self, state: State) -> int | None:
        return state.table("due").least() if self.by_clock else None

    def _add(self, rows: pa.RecordBatch, before: int | None, state: State) -> None:
        ends = numbers(rows, self.end)
        if before is not None and self.by_clock:
            # The clock may have been put back: such a window is answered as soon as the clock is beyond what it was.
            ends = np.maximum(ends, before + 2)
        elif before is not None:
            late = ends <= before + 1
            if late.any():
                state.counts.late += int(np.count_nonzero(late))
                rows, ends = take(rows, ~late), ends[~late]
        if rows.num_rows:
            groups, count, _ = self.group.accumulate(rows, state)
            new = np.flatnonzero((count > 0) & ~groups.is_known)
            due = state.table("due")
            # Forgets nothing, and says that the table is in the order of a time.
            due.forget(_BEFORE_ALL)
            due.put(pa.table({K1: ends[groups.heads[new]], K2: groups.k1[new]}))

    def _answer(self, limit: int, state: State) -> pa.Table | None:
        state.flush()
        due = state.table("due").up_to(limit)
        state.table("due").forget(limit)
        if due is None or not due.num_rows:
            return None
        results = self.group.end(np.sort(numbers(due, K2)), self.columns, state)
        return None if results is None else output_of([with_kind(results, INSERT)])
