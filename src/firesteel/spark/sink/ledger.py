"""What a checkpoint remembers of its transactions, beside the marker that Kafka keeps: the topic of the marker, and the
last batch that is known to have left one. A marker that is gone although it was there can be told from one that never was."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import JobError

_FILE = "transactions.json"


@dataclass(frozen=True)
class Entry:
    """`age` is how long ago this was noted, in seconds."""

    topic: str
    batch: int | None
    age: float = 0.0


class Ledger:
    def __init__(self, checkpoint: Path) -> None:
        self._path = checkpoint / _FILE

    def read(self) -> Entry | None:
        try:
            found = json.loads(self._path.read_text())
            return Entry(found["topic"], found["batch"], max(0.0, time.time() - self._path.stat().st_mtime))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError) as error:
            raise JobError(
                f"'{self._path}' cannot be read: {error}.", hint="Start over with --fresh, or remove that file."
            ) from None

    def note(self, entry: Entry) -> None:
        temporary = self._path.with_name(f"{_FILE}.new")
        temporary.write_text(json.dumps({"topic": entry.topic, "batch": entry.batch}))
        temporary.replace(self._path)
