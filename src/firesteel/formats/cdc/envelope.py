"""Describes changelog messages: where the rows are in a message, and which words name the change.

There are two families. Debezium and GoldenGate send the row before and after the change. Canal and Maxwell send the row
and, for an update, the values that the changed columns had before.
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
    #: A change of a table's structure, not of its rows.
    NONE = 3


#: A row's kind as its index in `RowKind`.
INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = range(4)


@dataclass(frozen=True)
class ImageEnvelope:
    """An envelope with the rows before and after. `payload` names the member that wraps the envelope, if there is one."""

    name: str
    operation: str
    changes: Mapping[str, Change]
    metadata: tuple[Item, ...]
    payload: str | None = None
    before: str = "before"
    after: str = "after"


@dataclass(frozen=True)
class DataEnvelope:
    """An envelope with the row and its old values. `many`: a message holds an array of rows, and an array of their old
    values.
    """

    name: str
    operation: str
    changes: Mapping[str, Change]
    metadata: tuple[Item, ...]
    many: bool
    data: str = "data"
    old: str = "old"
