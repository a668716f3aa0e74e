"""The hidden columns of a row: their names, their types, and the one order in which everybody appends them.

A row carries them beside the table's own columns, only where a plan needs them. Operators that do not know one hand it on.
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.changelog.kind import RowKind

#: What the row means in a changelog: its kind's index in `CODES`. The formats count the kinds in the same way.
KIND = "__kind"
#: The row's position in the order of arrival.
ORDER = "__order"
#: The time of a watermark row, in milliseconds since 1970; NULL in every other row.
MARK = "__mark"
#: Which of the source's partitions a row comes from, as a small number: its watermark channel.
SLOT = "__slot"
#: The watermark that held when a row was read, in milliseconds since 1970; NULL before the first one.
WATERMARK = "__watermark"
#: Why and where a record was refused; the row that carries it holds nothing else and never leaves the source's side.
REJECT = "__reject"
#: Stands in for a row of which no column is read.
PRESENT = "__present"
#: How many equal rows the row stands for.
WEIGHT = "__weight"
#: The number of the batch in which a row came. It only grows, and is the same when a batch runs again.
BATCH = "__batch"
#: +1 for a row that is inserted, -1 for one that is retracted.
SIGN = "__sign"

CODES = {kind: code for code, kind in enumerate(RowKind)}

#: The columns that a source may append, in their order, with their SQL types.
_OF_SOURCES = {
    KIND: "tinyint",
    ORDER: "bigint",
    MARK: "bigint",
    SLOT: "int",
    WATERMARK: "bigint",
    REJECT: "string",
    PRESENT: "boolean",
    WEIGHT: "bigint",
}


@dataclass(frozen=True)
class Hidden:
    """The hidden columns of a source's rows. `event_time`: those that move the watermark.

    >>> Hidden(kind=True, weight=True).columns
    {'__kind': 'tinyint', '__weight': 'bigint'}
    """

    kind: bool = False
    order: bool = False
    event_time: bool = False
    reject: bool = False
    present: bool = False
    weight: bool = False

    @property
    def columns(self) -> dict[str, str]:
        """Their SQL types by their names, in the order in which they follow the table's own columns."""
        wanted = {
            KIND: self.kind,
            ORDER: self.order,
            MARK: self.event_time,
            SLOT: self.event_time,
            WATERMARK: self.event_time,
            REJECT: self.reject,
            PRESENT: self.present,
            WEIGHT: self.weight,
        }
        return {name: sql_type for name, sql_type in _OF_SOURCES.items() if wanted[name]}
