"""Finds where each row of a batch goes and what it carries beside key and value: its topic, headers and timestamp."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.connectors.kafka.offset import Subscription
from firesteel.connectors.kafka.write.outgoing import Headers
from firesteel.errors import JobError


class Destinations:
    """`metadata` maps the written metadata columns to their keys: `topic`, `timestamp`, `headers`, `header-list`."""

    def __init__(self, table: str, topics: Subscription, metadata: Mapping[str, str]) -> None:
        self._table = table
        self._topics = topics
        self._columns = {key: name for name, key in metadata.items()}

    def topics(self, rows: pa.RecordBatch) -> str | list[str]:
        """Gives the table's one topic, or the one that each row chooses among those the table allows."""
        if self._topics.pattern is None and len(self._topics.topics) == 1:
            return self._topics.topics[0]
        chosen = self._values(rows, "topic")
        return [self._allowed(one) for one in chosen or [None] * rows.num_rows]

    def headers(self, rows: pa.RecordBatch) -> list[Headers | None] | None:
        maps, lists = self._values(rows, "headers"), self._values(rows, "header-list")
        if maps is None and lists is None:
            return None
        found = maps if maps is not None else [_pairs(entries) for entries in lists or ()]
        # A header without a name cannot be written.
        return [[(name, value) for name, value in one if name is not None] if one else None for one in found]

    def timestamps(self, rows: pa.RecordBatch) -> list[int] | None:
        """Gives timestamps in milliseconds; 0 lets the client set it."""
        moments = self._values(rows, "timestamp")
        return None if moments is None else [moment or 0 for moment in moments]

    def _values(self, rows: pa.RecordBatch, key: str) -> list[Any] | None:
        if key not in self._columns:
            return None
        column = rows.column(self._columns[key])
        if pa.types.is_timestamp(column.type):
            column = (
                pc.floor_temporal(column, unit="millisecond").cast(pa.timestamp("ms", column.type.tz)).cast(pa.int64())
            )
        values: list[Any] = column.to_pylist()
        return values

    def _allowed(self, chosen: str | None) -> str:
        if chosen is None:
            raise JobError(f"A row for '{self._table}' has no topic.", hint="Fill the column that writes 'topic'.")
        pattern = self._topics.pattern
        allowed = re.fullmatch(pattern, chosen) if pattern is not None else chosen in self._topics.topics
        if not allowed:
            raise JobError(
                f"A row for '{self._table}' is to go to '{chosen}', and the table allows {self._topics}.",
                hint="Add the topic to the table, or mend the column that writes 'topic'.",
            )
        return chosen


def _pairs(entries: list[dict[str, Any]] | None) -> Headers | None:
    return [(entry["key"], entry["value"]) for entry in entries] if entries is not None else None
