"""Reads the row and the old values of its changed columns, as Canal and Maxwell send them, one message at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from firesteel.formats.cdc.envelope import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Change, DataEnvelope
from firesteel.formats.cdc.message import Changed, ItemReader, bad_operation
from firesteel.formats.cdc.metadata import Item
from firesteel.formats.codec import Reason
from firesteel.formats.json.exact import BadField, BadMessage
from firesteel.formats.json.tree import TreeReader, parse_tree
from firesteel.types import STRING, Field

#: A row, and the fields that were ignored in it; None for a null.
_Row = tuple[list[object], list[BadField]] | None


class DataReader:
    """Reads messages. `filters` are patterns that members of the message must match in full; other messages give no row."""

    def __init__(
        self,
        envelope: DataEnvelope,
        fields: Sequence[Field],
        items: Sequence[Item],
        reader: TreeReader,
        ignore: bool,
        filters: Mapping[str, re.Pattern[str]],
    ) -> None:
        self._envelope = envelope
        self._names = [field.name for field in fields]
        self._row = reader.row(fields)
        self._string = reader.converter(STRING)
        self._text = reader.text
        self._items = ItemReader(items, reader)
        self._ignore = ignore
        self._filters = filters

    def read(self, message: bytes) -> Changed:
        """Decodes a message. Raises BadMessage."""
        root = parse_tree(message)
        if not isinstance(root, dict):
            raise BadMessage(Reason.MALFORMED, "the message is not a JSON object")
        if not self._passes(root):
            return Changed()
        envelope = self._envelope
        data = self._rows(root, envelope.data)
        old = self._rows(root, envelope.old)
        operation = self._string(root.get(envelope.operation))
        if operation is None:
            raise BadMessage(Reason.MISSING_FIELD, f"the message has no '{envelope.operation}'")
        members, bad = self._items.members(root, root)
        rows: list[tuple[int, list[object]]]
        match envelope.changes.get(str(operation)):
            case Change.NONE:
                return Changed()
            case Change.INSERT:
                rows, ignored = self._all(INSERT, data)
            case Change.DELETE:
                rows, ignored = self._all(DELETE, data)
            case Change.UPDATE:
                rows, ignored = self._updates(data, old, root.get(envelope.old))
            case _:
                raise bad_operation(envelope.operation, str(operation))
        return Changed(rows, self._items.values(members), ignored + bad) if rows else Changed()

    def _passes(self, root: dict[str, object]) -> bool:
        for member, pattern in self._filters.items():
            if member not in root:
                raise BadMessage(Reason.MISSING_FIELD, f"the message has no '{member}'")
            value = root[member]
            # In Flink, the text of an object or array is empty here, and that of null is 'null'.
            text = "" if isinstance(value, (dict, list)) else "null" if value is None else self._text(value)
            if not pattern.fullmatch(text):
                return False
        return True

    def _rows(self, root: dict[str, object], name: str) -> list[_Row] | None:
        value = root.get(name)
        if value is None:
            return None
        if not self._envelope.many:
            return [self._one(value, name)]
        if isinstance(value, list):
            return [self._one(element, name) for element in value]
        if self._ignore:
            return None
        raise BadMessage(Reason.MALFORMED, f"'{name}' is not a JSON array")

    def _one(self, value: object, name: str) -> _Row:
        if isinstance(value, dict):
            return self._row.read(value)
        if value is None or self._ignore:
            return None
        raise BadMessage(Reason.MALFORMED, f"'{name}' holds what is not a JSON object")

    def _all(self, kind: int, data: list[_Row] | None) -> tuple[list[tuple[int, list[object]]], list[BadField]]:
        rows: list[tuple[int, list[object]]] = []
        bad: list[BadField] = []
        for row, ignored in map(self._needed, self._list(data, self._envelope.data)):
            rows.append((kind, row))
            bad += ignored
        return rows, bad

    def _updates(
        self, data: list[_Row] | None, old: list[_Row] | None, tree: object
    ) -> tuple[list[tuple[int, list[object]]], list[BadField]]:
        rows: list[tuple[int, list[object]]] = []
        bad: list[BadField] = []
        images = self._list(data, self._envelope.data)
        # A column counts as changed in every row if its name is anywhere in `old`, at any depth.
        changed = set(member_names(tree))
        before_images = self._list(old, self._envelope.old) if images else []
        for index, image in enumerate(images):
            after, ignored_after = self._needed(image)
            if index >= len(before_images):
                raise BadMessage(Reason.MISSING_FIELD, f"'{self._envelope.old}' has fewer rows than the update")
            before, ignored_before = self._needed(before_images[index])
            before = [
                after[column] if value is None and name not in changed else value
                for column, (name, value) in enumerate(zip(self._names, before, strict=True))
            ]
            rows += [(UPDATE_BEFORE, before), (UPDATE_AFTER, after)]
            bad += ignored_before + ignored_after
        return rows, bad

    def _list(self, rows: list[_Row] | None, name: str) -> list[_Row]:
        if rows is None:
            raise BadMessage(Reason.MISSING_FIELD, f"the message has no rows in '{name}'")
        return rows

    def _needed(self, row: _Row) -> tuple[list[object], list[BadField]]:
        if row is None:
            raise BadMessage(Reason.MISSING_FIELD, "a row of the message is null")
        return row


def member_names(tree: object) -> Iterator[str]:
    """Yields the name of every member in a tree."""
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case dict() as members:
                yield from members
                waiting += members.values()
            case list() as elements:
                waiting += elements
