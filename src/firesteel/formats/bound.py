"""A format as a table uses it: its typed options, and the columns that it reads and writes."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.options.value import OptionValues
from firesteel.types import Field


@dataclass(frozen=True)
class BoundFormat:
    """A format, its typed options and the columns it reads and writes, in the order they have on the wire.

    `fields` carry the names used inside the message: a `key.fields-prefix` is already taken off.
    `columns` are the names of the same columns in the table.
    """

    name: str
    options: OptionValues
    fields: tuple[Field, ...]
    columns: tuple[str, ...]
