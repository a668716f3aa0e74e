"""What a sink's topic holds, as JSON values with exact numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from firesteel.dev.record import read_records


def upserted(cluster: dict[str, str], topic: str) -> list[dict[str, Any]]:
    """The rows that are left in an upsert topic: the last of each key, unless it was deleted."""
    rows: dict[bytes | None, bytes] = {}
    for record in read_records(cluster, topic):
        if record.value is None:
            rows.pop(record.key, None)
        else:
            rows[record.key] = record.value
    return [_parse(value) for value in rows.values()]


def changes(cluster: dict[str, str], topic: str) -> Iterator[dict[str, Any]]:
    """The changes in a topic of debezium-json, in their order."""
    for record in read_records(cluster, topic):
        assert record.value is not None
        yield _parse(record.value)


def _parse(value: bytes) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(value, parse_float=Decimal)
    return parsed
