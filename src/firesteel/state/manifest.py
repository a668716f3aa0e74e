"""The manifest of a bucket: which segments make up its tables, and the few small things that an operator keeps.

A table is a list of levels, oldest first. A level is one sorted run of parts, or several runs that are being merged from their
lowest first number upwards: what has been merged stands in `done`, and in the runs only rows above `bound` still count.

>>> manifest = Manifest()
>>> manifest.own["sequence"] = 7
>>> read_manifest(write_manifest(manifest)).own
{'sequence': 7}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from firesteel.state.damage import DamagedState, ForeignFormat

#: 2: hashes of keys are made by `state/hash.py`.
FORMAT = 2
_MARK = b"firesteel-state"


@dataclass(frozen=True)
class Part:
    """One segment: its name, size, pieces, the range of its first number, and when its rows were last touched."""

    name: str
    rows: int
    bytes: int
    pieces: int
    first: int
    last: int
    oldest: int | None = None
    newest: int | None = None


Run = list[Part]


@dataclass
class Level:
    """One sorted run, or a merge of several that is on its way. `bottom`: nothing older lies below the merge."""

    runs: list[Run]
    merging: bool = False
    done: Run = field(default_factory=list)
    bound: int | None = None
    bottom: bool = False

    @property
    def parts(self) -> Iterator[Part]:
        """Gives all parts, oldest first."""
        yield from self.done
        for run in self.runs:
            yield from run

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)


@dataclass
class TableEntry:
    """A table's levels; rows whose first number is at most `floor` are forgotten.

    `ttl` is the time to live that its operator has given it, and `swept` the clock when old rows were last sought. `timed`: its first number
    is a time.
    """

    levels: list[Level] = field(default_factory=list)
    floor: int | None = None
    ttl: int | None = None
    swept: int | None = None
    timed: bool = False

    @property
    def parts(self) -> Iterator[Part]:
        for level in self.levels:
            yield from level.parts


@dataclass
class Manifest:
    """All tables of a bucket. `batches` counts those that wrote something: it makes the names of their segments."""

    batches: int = 0
    tables: dict[str, TableEntry] = field(default_factory=dict)
    own: dict[str, Any] = field(default_factory=dict)

    def names(self) -> set[str]:
        """Gives the names of all segments."""
        return {part.name for entry in self.tables.values() for part in entry.parts}


def write_manifest(manifest: Manifest) -> bytes:
    """Turns a manifest into bytes: one line with format and checksum, then JSON."""
    body = json.dumps(manifest, default=vars, separators=(",", ":")).encode()
    return b"%s %d %s\n%s" % (_MARK, FORMAT, _digest(FORMAT, body), body)


def read_manifest(data: bytes) -> Manifest:
    """Reads a manifest, or says that it is damaged or of another version."""
    head, _, body = bytes(data).partition(b"\n")
    words = head.split(b" ")
    if len(words) != 3 or words[0] != _MARK or not words[1].isdigit() or words[2] != _digest(int(words[1]), body):
        raise DamagedState("The state is damaged: its manifest is not what was written.")
    if int(words[1]) != FORMAT:
        raise ForeignFormat(f"The state's manifest has format {int(words[1])}, this version reads {FORMAT}.")
    content = json.loads(body)
    tables = {name: _table(entry) for name, entry in content["tables"].items()}
    return Manifest(content["batches"], tables, content["own"])


def _table(entry: dict[str, Any]) -> TableEntry:
    levels = [
        Level(
            [[Part(**part) for part in run] for run in level["runs"]],
            level["merging"],
            [Part(**part) for part in level["done"]],
            level["bound"],
            level["bottom"],
        )
        for level in entry["levels"]
    ]
    return TableEntry(levels, entry["floor"], entry["ttl"], entry["swept"], entry.get("timed", False))


def _digest(version: int, body: bytes) -> bytes:
    return blake2b(b"%d " % version + body, digest_size=16).hexdigest().encode()
