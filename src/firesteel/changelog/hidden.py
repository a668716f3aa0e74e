"""Defines the hidden columns of a row: their names, their types, and the order in which they are appended.

A row carries them behind the table's own columns, where the plan needs them. An operator passes on those it does not use.
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.changelog.kind import RowKind

#: The row kind, as its code in `CODES`. The formats use the same codes.
KIND = "__kind"
#: The row's position in the order of arrival.
ORDER = "__order"
#: The time of a watermark row, in milliseconds since 1970; NULL in every other row.
MARK = "__mark"
#: The watermark channel of a row: a small number for the partition it was read from.
SLOT = "__slot"
#: The watermark at the time a row was read, in milliseconds since 1970; NULL before the first one.
WATERMARK = "__watermark"
#: The reason and position of a refused record. Its row has no other values, and is dropped right behind the source.
REJECT = "__reject"
#: The only column of a row of which no column is read.
PRESENT = "__present"
#: The row count: how many equal rows were combined into this one.
WEIGHT = "__weight"
#: The number of the batch that a row arrived in. It only grows, and is the same when a batch runs again.
BATCH = "__batch"
#: The row sign: +1 for an inserted row, -1 for a retracted one.
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
    """Selects the hidden columns of a source's rows. `event_time` selects those that advance the watermark.

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
        """Returns their SQL types by name, in the order in which they follow the table's own columns."""
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
