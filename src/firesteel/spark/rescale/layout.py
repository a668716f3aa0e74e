"""Says how the state of a query is laid out: in how many tasks and buckets, and whether it was on its way to others.

A move is a batch of its own. Before anything of it is written, `layout.json` says from which batch on there are how many buckets, so that
the batch's commit moves everything at once, and a move that was not committed is found and undone.

>>> bucket_count(1), bucket_count(2), bucket_count(3)
(1, 2, 3)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from firesteel.errors import JobError, UsageError
from firesteel.spark.layout import Layout
from firesteel.spark.sink.offset_log import last_committed, last_planned
from firesteel.storage.folder import Folder

_FILE = "layout.json"
_TASKS = "spark.sql.shuffle.partitions"
_PROVIDER = "spark.sql.streaming.stateStore.providerClass"


@dataclass(frozen=True)
class KeptLayout:
    """What a checkpoint says. `batch` is the last one that is done, -1 before the first; `is_begun`: another one has to be finished first.

    `has_state`: there is something to move, as far as one can tell. `settings` are those of Spark's that stay as they are for the life of the state.
    """

    layout: Layout
    batch: int
    is_begun: bool
    has_state: bool
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def is_in_rocksdb(self) -> bool:
        return "RocksDB" in self.settings.get(_PROVIDER, "")


def bucket_count(tasks: int) -> int:
    """Chooses the number of buckets of state that begins in so many tasks."""
    return tasks


def wanted_layout(kept: Layout, tasks: int) -> Layout:
    """Chooses the layout for another number of tasks: buckets stay as they are where each task gets as many as the others.

    >>> wanted_layout(Layout(4, 4), 2), wanted_layout(Layout(2, 4), 4), wanted_layout(Layout(2, 2), 3)
    (Layout(tasks=2, buckets=4), Layout(tasks=4, buckets=4), Layout(tasks=3, buckets=3))
    """
    return Layout(tasks, kept.buckets if kept.buckets % tasks == 0 else bucket_count(tasks))


def read_layout(query: Folder) -> KeptLayout | None:
    """Reads how the state of a query is laid out; None where none of its batches was planned."""
    planned, done = last_planned(query), last_committed(query)
    if planned < 0:
        return None
    settings = _settings(query, max(done, 0))
    tasks = int(settings[_TASKS])
    moves = _moves(query)
    # State of the version before has as many buckets as tasks.
    buckets = next((count for batch, count in sorted(moves.items(), reverse=True) if batch <= max(done, 0)), tasks)
    return KeptLayout(Layout(tasks, buckets), done, planned > done, done < 0 or bool(_operators(query)), settings)


def store_format(queries: Iterable[Folder], *, in_rocksdb: bool) -> int:
    """Tells in which format Spark keeps the state of a job: its own, which it keeps for ever, else the one for state that begins.

    In the second one, attempts of a batch write files of their own, and the commit says whose count. Spark has it for RocksDB only.
    """
    for query in queries:
        done = last_committed(query)
        if done >= 0:
            return 2 if query.read_text(f"commits/{done}").startswith("v2") else 1
    return 2 if in_rocksdb else 1


def note_start(query: Folder, buckets: int) -> None:
    """Notes the number of buckets of state that begins."""
    query.write_text(_FILE, json.dumps({"buckets": {"0": buckets}}))


def begin_move(query: Folder, batch: int, target: Layout) -> None:
    """Notes that the batch moves the state, and plans it: its sources stand where they stood before."""
    before = read_layout(query)
    assert before is not None
    moves = _moves(query) or {0: before.layout.buckets}
    _write(query, {**moves, batch: target.buckets})
    version, head, *sources = query.read_text(f"offsets/{batch - 1}").split("\n")
    metadata = json.loads(head)
    metadata["conf"][_TASKS] = str(target.tasks)
    query.write_text(f"offsets/{batch}", "\n".join([version, json.dumps(metadata, separators=(",", ":")), *sources]))


def finish_move(query: Folder, batch: int, target: Layout, store_ids: dict[str, Any] | None) -> None:
    """Commits the batch that has moved the state. `store_ids` are the names that Spark gave to what it has written, if it gives any."""
    for operator in _operators(query):
        _note_tasks(query.child(f"state/{operator}/_metadata"), batch, target.tasks)
    text = query.read_text(f"commits/{batch - 1}")
    if store_ids is not None:
        version, _, body = text.partition("\n")
        text = f"{version}\n{json.dumps({**json.loads(body), 'stateUniqueIds': store_ids}, separators=(',', ':'))}"
    query.write_text(f"commits/{batch}", text)


def undo_move(query: Folder) -> bool:
    """Removes what a move has left that was not committed. False: there was none."""
    moves, done = _moves(query), last_committed(query)
    torn = [batch for batch in moves if batch > max(done, 0)]
    for batch in torn:
        written = re.compile(rf"(?:.*/)?{batch + 1}(?:_[^/]*)?\.(?:zip|changelog|delta|snapshot)(?:\.crc)?")
        state = query.child("state")
        for name in state.files():
            if written.fullmatch(name) or name.endswith(f"/_metadata/v2/{batch}"):
                state.delete(name)
        query.delete(f"offsets/{batch}")
    if torn:
        _write(query, {batch: count for batch, count in moves.items() if batch not in torn})
    return bool(torn)


def check_rescale(query: Folder, tasks: int | None) -> None:
    """Raises where the state cannot be moved to so many tasks. Spark need not run."""
    kept = read_layout(query)
    if tasks is None or kept is None or kept.is_in_rocksdb or kept.layout.tasks == tasks or not _operators(query):
        return
    raise UsageError(
        f"The state of '{query.name}' is in the hash maps of {_tasks(kept.layout.tasks)}, which cannot be dealt to {tasks}:"
        " Spark deals only what is in RocksDB.",
        hint=f"SET 'parallelism.default' = '{kept.layout.tasks}', or start over with --fresh and"
        " 'state.backend.type' = 'rocksdb'.",
    )


def _tasks(count: int) -> str:
    return f"{count} task{'' if count == 1 else 's'}"


def _operators(query: Folder) -> list[str]:
    return [name for name in query.child("state").list() if name.isdecimal()]


def _settings(query: Folder, batch: int) -> dict[str, str]:
    try:
        found = json.loads(query.read_text(f"offsets/{batch}").split("\n")[1])["conf"]
        return {**found, _TASKS: str(int(found[_TASKS]))}
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise JobError(
            f"The settings of batch {batch} cannot be read from 'offsets/{batch}' in '{query}': {error}.",
            hint="Start over with --fresh, unless the file can be brought back.",
        ) from None


def _moves(query: Folder) -> dict[int, int]:
    try:
        return {int(batch): int(count) for batch, count in json.loads(query.read_text(_FILE))["buckets"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise JobError(
            f"'{_FILE}' in '{query}' cannot be read: {error}.",
            hint="Start over with --fresh, unless the file can be brought back.",
        ) from None


def _write(query: Folder, moves: dict[int, int]) -> None:
    query.write_text(_FILE, json.dumps({"buckets": {str(batch): count for batch, count in moves.items()}}))


def _note_tasks(metadata: Folder, batch: int, tasks: int) -> None:
    """Tells Spark's notes about an operator, where there is one for each batch."""
    earlier = [int(name) for name in metadata.child("v2").list() if name.isdecimal() and int(name) < batch]
    if not earlier:
        return
    version, body = metadata.read_text(f"v2/{max(earlier)}").split("\n", 1)
    found = json.loads(body)
    for store in found["stateStoreInfo"]:
        store["numPartitions"] = tasks
    metadata.write_text(f"v2/{batch}", f"{version}\n{json.dumps(found, separators=(',', ':'))}")
