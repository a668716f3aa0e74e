"""Decodes one changelog message by the exact path: its rows with their kinds, and its metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from firesteel.formats.cdc.metadata import Item
from firesteel.formats.codec import Reason
from firesteel.formats.java.number import shorten
from firesteel.formats.json.exact import BadField, BadMessage
from firesteel.formats.json.tree import TreeReader


@dataclass(frozen=True)
class Changed:
    """The rows of a message with their kinds, its metadata, and the values that became NULL because parse errors are
    ignored.
    """

    rows: list[tuple[int, list[object]]] = field(default_factory=list)
    metadata: list[object] = field(default_factory=list)
    bad: list[BadField] = field(default_factory=list)


class ItemReader:
    """Reads the metadata of a message."""

    def __init__(self, items: Sequence[Item], reader: TreeReader) -> None:
        self._items = [(item, reader.converter(item.type)) for item in items]
        self._reader = reader

    def members(self, inside: dict[str, object], root: dict[str, object]) -> tuple[list[object], list[BadField]]:
        """Reads the members that the items need, with the JSON types that Flink reads them as. Raises BadMessage."""
        values: list[object] = []
        bad: list[BadField] = []
        for index, (item, convert) in enumerate(self._items):
            try:
                values.append(convert((root if item.outside else inside).get(item.member)))
            except (ValueError, ArithmeticError) as error:
                raise BadMessage(Reason.BAD_VALUE, str(error), metadata_name(index)) from None
            bad += [BadField(metadata_name(index), detail) for detail in self._reader.take_ignored()]
        return values, bad

    def values(self, members: list[object]) -> list[object]:
        """Computes the items. Raises BadMessage even if parse errors are ignored, since Flink then drops the message."""
        values: list[object] = []
        for index, ((item, _), member) in enumerate(zip(self._items, members, strict=True)):
            if item.entry is not None:
                member = dict(member).get(item.entry) if isinstance(member, list) else None
            try:
                values.append(item.convert(member))
            except (ValueError, ArithmeticError) as error:
                raise BadMessage(Reason.BAD_VALUE, str(error), metadata_name(index)) from None
        return values


def metadata_name(index: int) -> str:
    """Makes the name of the metadata column at `index`, which differs from the name of any JSON member that is a column."""
    return f"\0{index}"


def bad_operation(member: str, word: str) -> BadMessage:
    return BadMessage(Reason.BAD_VALUE, f"'{shorten(word)}' is no change that '{member}' can name")
