"""Reads messages by way of trees, one at a time, as Flink does with `decode.json-parser.enabled` = `false`."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.formats.codec import Reason
from firesteel.formats.json.exact import BadField, BadMessage
from firesteel.formats.json.settings import JsonSettings
from firesteel.formats.json.tree import TreeReader, parse_tree
from firesteel.types import Field


class TreeRowReader:
    """Reads as `exact.RowReader` does, by the rules for trees: the last value of a repeated name counts."""

    def __init__(self, fields: Sequence[Field], settings: JsonSettings, table: Sequence[Field]) -> None:
        self._row = TreeReader(settings, table).row(fields)
        self._ignore = settings.ignore_parse_errors
        self._needed = [field.name for field in fields] if settings.fail_on_missing_field else []

    def read(self, message: bytes) -> tuple[list[list[object]], list[BadField]]:
        """Reads a message. Returns its rows, and the fields that had to be ignored. Raises BadMessage."""
        root = parse_tree(message)
        rows: list[list[object]] = []
        bad: list[BadField] = []
        for element in root if isinstance(root, list) else [root]:
            if element is None:
                continue
            if not isinstance(element, dict):
                broken = "the message is neither a JSON object nor an array of objects"
                if not (self._ignore and isinstance(root, list)):
                    raise BadMessage(Reason.MALFORMED, broken)
                bad.append(BadField(None, broken, Reason.MALFORMED))
                continue
            for name in self._needed:
                if name not in element:
                    raise BadMessage(Reason.MISSING_FIELD, f"the message has no field '{name}'", name)
            row, ignored = self._row.read(element)
            rows.append(row)
            bad += ignored
        return rows, bad
