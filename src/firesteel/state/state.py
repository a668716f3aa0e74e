"""The state of one bucket of one operator during one batch: its tables and the operator's own small things."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from firesteel.state.cache import Cache
from firesteel.state.durable import Durable
from firesteel.state.manifest import Manifest, TableEntry, read_manifest, write_manifest
from firesteel.state.store import Counts, Shape, Store
from firesteel.state.table import SortedTable

_NAME = re.compile(r"[a-z][a-z0-9_]*")
#: So many milliseconds are between batches that have nothing to do but to go on with a merge of rows that expire.
_PAUSE = 1000


@dataclass(frozen=True)
class Now:
    """The moment of a batch, the same in each of its attempts: its number, the watermark and the clock, in milliseconds since 1970.

    `watermark` is None before the first one.
    """

    batch: int
    clock: int
    watermark: int | None = None


@dataclass(frozen=True)
class TableReport:
    """What a table holds: rows (those included that a merge will leave out), bytes in the store, segments, merges on their way.

    `oldest`: when the row was written that was not written again for the longest time, as far as it is known.
    """

    rows: int
    bytes: int
    segments: int
    merging: int
    oldest: int | None


class State:
    """A bucket's tables. Reads see what earlier batches have left; writes are kept by `commit`, all or none of them."""

    def __init__(self, durable: Durable, cache: Cache, now: Now, shape: Shape | None = None) -> None:
        self._durable, self._now = durable, now
        loaded = durable.load()
        self._before = None if loaded is None else bytes(loaded)
        self._manifest = Manifest() if self._before is None else read_manifest(self._before)
        cache.keep_only(self._manifest.names())
        self._store = Store(durable, cache, self._manifest.batches + 1, shape or Shape())
        self._tables: dict[str, SortedTable] = {}

    @property
    def own(self) -> dict[str, Any]:
        """Small things that an operator keeps beside its tables, as JSON has them."""
        return self._manifest.own

    @property
    def counts(self) -> Counts:
        """Counts what this batch has read, written, merged and let expire."""
        return self._store.counts

    def table(self, name: str, ttl: int | None = None) -> SortedTable:
        """Gives a table by its name, which is made the first time. `ttl`: milliseconds that a row stays without being written again."""
        if name not in self._tables:
            if not _NAME.fullmatch(name):
                raise ValueError(f"'{name}' is not a name of a table.")
            entry = self._manifest.tables.setdefault(name, TableEntry())
            entry.ttl = ttl
            self._tables[name] = SortedTable(name, entry, self._store, self._now.clock, ttl)
        return self._tables[name]

    def tables(self) -> dict[str, int | None]:
        """Names the tables, and gives their times to live."""
        return {name: entry.ttl for name, entry in self._manifest.tables.items()}

    def wake(self) -> int | None:
        """Tells when rows that were not written again are to be cleared away next, behind `commit`; None: nothing ends by itself."""
        due = []
        for entry in self._manifest.tables.values():
            if entry.ttl is None or not entry.levels:
                continue
            if any(level.merging for level in entry.levels):
                due.append(self._now.clock + _PAUSE)
            else:
                due.append((self._now.clock if entry.swept is None else entry.swept) + entry.ttl)
        return min(due, default=None)

    def flush(self) -> None:
        """Makes what was written visible to the rest of the batch."""
        for table in self._tables.values():
            table.flush()

    def commit(self) -> None:
        """Writes the batch's segments, removes what was merged, and saves the manifest if anything has changed.

        Merges go on and rows expire in batches without rows, too, also in tables that the operator did not look at.
        """
        for name, entry in list(self._manifest.tables.items()):
            if entry.ttl is not None or any(level.merging for level in entry.levels):
                self.table(name, entry.ttl)
        for table in self._tables.values():
            table.commit()
        self._store.remove_retired(self._manifest.names())
        tables = self._manifest.tables.items()
        self._manifest.tables = {name: entry for name, entry in tables if entry.levels or entry.floor is not None}
        if self._before is not None and write_manifest(self._manifest) == self._before:
            return
        self._manifest.batches += 1
        self._before = write_manifest(self._manifest)
        self._durable.save(self._before)

    def report(self) -> dict[str, TableReport]:
        """Tells what each table holds."""
        return {name: _report(entry) for name, entry in self._manifest.tables.items()}


def _report(entry: TableEntry) -> TableReport:
    parts = list(entry.parts)
    return TableReport(
        sum(part.rows for part in parts),
        sum(part.bytes for part in parts),
        len(parts),
        sum(level.merging for level in entry.levels),
        min((part.oldest for part in parts if part.oldest is not None), default=None),
    )
