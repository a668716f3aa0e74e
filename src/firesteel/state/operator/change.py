"""Turns the rows of keys before and after a batch into the changes between them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.state.order import Ints, find_rows
from firesteel.state.row import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, output_of, take, with_kind

#: Keys, ascending, and a row for each of them; None in place of no rows.
Keyed = tuple[Ints, pa.RecordBatch | None]


def changes_of(before: Keyed, after: Keyed, old_rows: bool = True) -> pa.Table | None:
    """Gives the changes of keys that had one row or none and have another or none. `old_rows`: whether UPDATE_BEFORE is wanted."""
    (keys_before, old), (keys_after, new) = before, after
    blocks = []
    if old is not None:
        updated = find_rows([keys_after], [keys_before])[1]
        kinds = np.where(updated, UPDATE_BEFORE, DELETE).astype(np.int8)
        wanted = np.ones(len(updated), bool) if old_rows else ~updated
        old = old if new is None else old.select(new.schema.names)
        blocks.append(with_kind(old if old_rows else take(old, wanted), kinds[wanted]))
    if new is not None:
        kinds = np.where(find_rows([keys_before], [keys_after])[1], UPDATE_AFTER, INSERT).astype(np.int8)
        blocks.append(with_kind(new, kinds))
    return output_of(blocks)
