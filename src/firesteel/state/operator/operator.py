"""What every operator is: a function of a batch's rows and of the state before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import pyarrow as pa

from firesteel.state.state import Now, State

#: The name of the input of an operator that has one.
INPUT = "in"


class Operator(Protocol):
    """A stateful operator on blocks of rows.

    An input has the columns `__k1` and `__k2`, two hashes of the operator's key; `__kind`, unless all rows are inserted; and its data,
    in the order of arrival. A retracted row carries all its old values. The output has data and `__kind`: the net changes of the batch, in
    which retractions stand before inserts. It has to be the same in every attempt: no clock but `now`, no order of a set.
    """

    @property
    def is_timed(self) -> bool:
        """Tells whether time alone changes what it keeps or gives: then it is called in every batch, also for buckets without rows."""
        ...

    def apply(self, inputs: Mapping[str, pa.Table], state: State, now: Now) -> pa.Table | None:
        """Works a batch's rows into the state, and gives the changes that follow; None where there are none.

        An input without rows may be missing. `state.commit` is left to the caller.
        """
        ...

    def wake(self, state: State) -> int | None:
        """Tells when the clock alone makes the operator give or drop something, in milliseconds since 1970; None for never.

        A watermark comes with a batch of its own. Of rows that expire the state itself knows.
        """
        ...
