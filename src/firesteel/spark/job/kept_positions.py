"""Reads where the sources of a stopped job stand, before its state is given up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from firesteel.spark.connector.port import Write
from firesteel.spark.connector.runtimes import NamedSinks, Runtimes
from firesteel.spark.sink.offset_log import last_committed, last_planned
from firesteel.spark.source.kept import Kept, parse_kept
from firesteel.storage.folder import Folder

#: Says whether the rows of a batch are written that is not known to be done: the folder of its query, and its number.
HasWritten = Callable[[Folder, int], bool]
#: Reads where the sources of a query stand: its folder, and the positions it has begun with.
ReadKept = Callable[[Folder, tuple[Kept, ...]], tuple[Kept, ...]]


def kept_reader(runtimes: Runtimes, sinks: NamedSinks) -> ReadKept:
    """Makes what reads where the sources of the queries stand that the INSERTs of a script go on from."""
    writes = {name: Write(name, number, sink) for number, (name, sink) in enumerate(sinks, start=1)}

    def has_written(query: Folder, batch: int) -> bool:
        name = next((one for one in writes if query_before(one, [query.name]) is not None), None)
        return name is not None and runtimes.has_written(writes[name], query, batch)

    return lambda query, before: read_kept(query, before, has_written)


def read_kept(query: Folder, before: tuple[Kept, ...], has_written: HasWritten) -> tuple[Kept, ...]:
    """Tells where a query's sources stand behind the last batch whose rows are written; where they began, if there is none.

    `before` are the positions that the query itself has begun with.
    """
    planned, done = last_planned(query), last_committed(query)
    if planned > done and has_written(query, planned):
        done = planned
    if done < 0:
        return before
    lines = query.read_text(f"offsets/{done}").split("\n")[2:]
    offsets = [json.loads(line) for line in lines if line.startswith("{")]
    return tuple(parse_kept({"source": number, **offset}) for number, offset in enumerate(offsets))


def query_before(name: str, queries: Iterable[str]) -> str | None:
    """Finds the query of the earlier script that an INSERT of the new one goes on from: of the same place, or into the same table.

    >>> query_before("1-dest", ["1-dest", "2-dest"]), query_before("2-a", ["1-a", "3-b"]), query_before("1-c", ["1-a"])
    ('1-dest', '1-a', None)
    """
    known = list(queries)
    if name in known:
        return name
    table = name.partition("-")[2]
    same = [one for one in known if one.partition("-")[2] == table]
    return same[0] if len(same) == 1 else None


def kept_for(names: Iterable[str], kept: Mapping[str, tuple[Kept, ...]]) -> dict[str, tuple[Kept, ...]]:
    """Gives the positions to the INSERTs of the new script, by name."""
    found = {name: query_before(name, kept) for name in names}
    return {name: kept[before] for name, before in found.items() if before is not None}
