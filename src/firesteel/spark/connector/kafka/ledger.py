"""Remembers a query's transactions in its checkpoint, beside the marker that Kafka keeps: the topic of the marker, and the
last batch that is known to have left one.

So a marker that is gone can be told from one that never was.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from firesteel.errors import JobError
from firesteel.storage.folder import Folder

_FILE = "transactions.json"


@dataclass(frozen=True)
class Entry:
    """`age` is how long ago this was noted, in seconds."""

    topic: str
    batch: int | None
    age: float = 0.0


class Ledger:
    def __init__(self, checkpoint: Folder) -> None:
        self._folder = checkpoint

    def read(self) -> Entry | None:
        try:
            found = json.loads(self._folder.read(_FILE))
            return Entry(found["topic"], found["batch"], self._folder.age(_FILE))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError) as error:
            raise JobError(
                f"'{_FILE}' in '{self._folder}' cannot be read: {error}.",
                hint="Start over with --fresh, or remove that file.",
            ) from None

    def note(self, entry: Entry) -> None:
        self._folder.write_text(_FILE, json.dumps({"topic": entry.topic, "batch": entry.batch}))
