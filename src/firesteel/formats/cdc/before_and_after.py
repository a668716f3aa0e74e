"""Reads the row before and the row after a change, as Debezium and GoldenGate send them, one message at a time."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.formats.cdc.envelope import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, Change, ImageEnvelope
from firesteel.formats.cdc.message import Changed, ItemReader, bad_operation
from firesteel.formats.cdc.metadata import Item
from firesteel.formats.codec import Reason
from firesteel.formats.json.exact import BadField, BadMessage
from firesteel.formats.json.tree import TreeReader, parse_tree
from firesteel.types import STRING, Field


class ImageReader:
    def __init__(
        self, envelope: ImageEnvelope, fields: Sequence[Field], items: Sequence[Item], reader: TreeReader, ignore: bool
    ) -> None:
        self._envelope = envelope
        self._row = reader.row(fields)
        self._string = reader.converter(STRING)
        self._items = ItemReader(items, reader)
        self._ignore = ignore

    def read(self, message: bytes) -> Changed:
        """Decodes a message. Raises BadMessage."""
        envelope = self._envelope
        root = self._root(parse_tree(message))
        inside = root
        if envelope.payload is not None:
            payload = root.get(envelope.payload)
            if not isinstance(payload, dict):
                raise BadMessage(Reason.MISSING_FIELD, f"the message has no object '{envelope.payload}'")
            inside = payload
        before, bad_before = self._image(inside, envelope.before)
        after, bad_after = self._image(inside, envelope.after)
        operation = self._string(inside.get(envelope.operation))
        if operation is None:
            raise BadMessage(Reason.MISSING_FIELD, f"the message has no '{envelope.operation}'")
        members, bad = self._items.members(inside, root)
        metadata = self._items.values(members)
        match envelope.changes.get(str(operation)):
            case Change.INSERT:
                return Changed([(INSERT, self._needed(after))], metadata, bad_after + bad)
            case Change.UPDATE:
                _check_before(before, "update")
                rows = [(UPDATE_BEFORE, self._needed(before)), (UPDATE_AFTER, self._needed(after))]
                return Changed(rows, metadata, bad_before + bad_after + bad)
            case Change.DELETE:
                _check_before(before, "delete")
                return Changed([(DELETE, self._needed(before))], metadata, bad_before + bad)
        raise bad_operation(envelope.operation, str(operation))

    def _root(self, tree: object) -> dict[str, object]:
        """Returns the message's only object. An array of one object is read as that object."""
        if isinstance(tree, dict):
            return tree
        if isinstance(tree, list):
            rest = [element for element in tree if element is not None and not isinstance(element, dict)]
            objects = [element for element in tree if isinstance(element, dict)]
            if len(objects) == 1 and (self._ignore or not rest):
                return objects[0]
        raise BadMessage(Reason.MALFORMED, "the message is not a JSON object")

    def _image(self, inside: dict[str, object], name: str) -> tuple[list[object] | None, list[BadField]]:
        image = inside.get(name)
        if isinstance(image, dict):
            return self._row.read(image)
        if image is not None and not self._ignore:
            raise BadMessage(Reason.MALFORMED, f"'{name}' is not a JSON object")
        return None, []

    def _needed(self, image: list[object] | None) -> list[object]:
        if image is None:
            raise BadMessage(Reason.MISSING_FIELD, f"the message has no row in '{self._envelope.after}'")
        return image


def _check_before(before: list[object] | None, change: str) -> None:
    if before is None:
        raise BadMessage(
            Reason.MISSING_FIELD,
            f"the 'before' of the {change} is null. If Debezium reads the row from Postgres, set the table's REPLICA "
            "IDENTITY to FULL",
        )
