"""The shape of a changelog message: where its rows are and which words say what happened to them.

There are two families. Debezium and GoldenGate send the row before and after the change. Canal and Maxwell send the row and,
of an update, the values that the changed columns had before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from firesteel.formats.cdc.metadata import Item


class Change(Enum):
    INSERT = 0
    UPDATE = 1
    DELETE = 2
    #: The structure of a table changed, not its rows.
    NONE = 3


#: A row's kind as its place in `RowKind`.
INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = range(4)


@dataclass(frozen=True)
class ImageEnvelope:
    """`payload` names the member that the envelope is wrapped in, if it is."""

    name: str
    operation: str
    changes: Mapping[str, Change]
    metadata: tuple[Item, ...]
    payload: str | None = None
    before: str = "before"
    after: str = "after"


@dataclass(frozen=True)
class DataEnvelope:
    """`many`: a message holds an array of rows, and an array of what they were before."""

    name: str
    operation: str
    changes: Mapping[str, Change]
    metadata: tuple[Item, ...]
    many: bool
    data: str = "data"
    old: str = "old"
