"""Works a large batch into the state in parts, each with all rows of its keys: what a task holds in memory is that of a part.

What comes out is the same as without parts, in another order: that of a key does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from firesteel.state.operator.aggregate import GroupAggregate
from firesteel.state.operator.distinct import DistinctParts
from firesteel.state.operator.join import Join
from firesteel.state.operator.keep import KeepFirst, KeepRow
from firesteel.state.operator.materialize import Materialize
from firesteel.state.operator.normalize import Normalize
from firesteel.state.operator.operator import Operator
from firesteel.state.operator.top import TopN
from firesteel.state.order import Ints
from firesteel.state.segment import K1, numbers
from firesteel.state.state import Now, State

#: Operators that look at each key for itself, and never at the time. Windows are answered once in a batch.
_DIVISIBLE = (DistinctParts, GroupAggregate, Join, KeepFirst, KeepRow, Materialize, Normalize, TopN)


def apply_in_parts(
    operator: Operator, inputs: Mapping[str, pa.Table], state: State, now: Now, part_bytes: int
) -> Iterator[pa.Table]:
    """Applies an operator to a batch; gives its output in blocks. `part_bytes`: about how many bytes of rows are worked on together.

    The number of parts follows from the rows, so that each attempt of a batch writes the same.
    """
    count = -(-sum(table.nbytes for table in inputs.values()) // part_bytes)
    if count <= 1 or not isinstance(operator, _DIVISIBLE):
        yield from _blocks(operator, inputs, state, now)
        return
    owners = {name: _part_of(numbers(table, K1), count) for name, table in inputs.items()}
    for part in range(count):
        marks = {name: owner == part for name, owner in owners.items()}
        some = {name: inputs[name].filter(pa.array(mine)) for name, mine in marks.items() if mine.any()}
        if some:
            yield from _blocks(operator, some, state, now)
            # Keys with the hash of one in another part are told apart by what is stored.
            state.flush()


def _blocks(operator: Operator, inputs: Mapping[str, pa.Table], state: State, now: Now) -> Iterator[pa.Table]:
    if isinstance(operator, Join):
        yield from operator.blocks(inputs, state)
        return
    output = operator.apply(inputs, state, now)
    if output is not None and output.num_rows:
        yield output


def _part_of(k1: Ints, count: int) -> Ints:
    """Deals hashes to ranges: what the parts write stands one behind the other."""
    high = (k1.view(np.uint64) ^ np.uint64(1 << 63)) >> np.uint64(32)
    parts: Ints = (high * np.uint64(count) >> np.uint64(32)).astype(np.int64)
    return parts
