"""A job's state whose files are damaged: found before the start where a look at a file tells, else from what Spark says of it.

Nothing of it is ever guessed: a job goes on with all of its state, or says which file is wrong and does not go on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from firesteel.errors import JobError

_CURE = "Bring a copy back, or start over with --fresh."

#: What Spark keeps in the folder of a query, by batch.
_LOGS = ("offsets", "commits")


def damage(folder: Path | str, file: Path | str, what: str = "cannot be read") -> JobError:
    """The error for a file of the state in `folder`, named as it is found from there.

    >>> str(damage("/x/.firesteel/job", "1-dest/metadata", "is empty"))
    "The state in '/x/.firesteel/job' is damaged: '1-dest/metadata' is empty. Bring a copy back, or start over with --fresh."
    """
    path = Path(file)
    shown = path.relative_to(folder) if path.is_relative_to(folder) else path
    return JobError(f"The state in '{folder}' is damaged: '{shown}' {what}.", hint=_CURE)


def check_state(folder: Path, queries: Iterable[str]) -> None:
    """Raises `JobError` for the first file that Spark or we could not go on with."""
    for name in queries:
        query = folder / name
        if query.is_dir():
            for file, what in _mistakes(query):
                raise damage(folder, file, what)


def _mistakes(query: Path) -> Iterator[tuple[Path, str]]:
    planned, done = (_batches(query / log) for log in _LOGS)
    metadata = query / "metadata"
    if metadata.exists() or planned or done:
        yield from _object_mistakes(metadata, "id")
    for batch in _needed(planned):
        yield from _log_mistakes(query / "offsets" / str(batch), least=3)
    if done and done[-1] > (planned[-1] if planned else -1):
        yield query / "offsets" / str(done[-1]), "is missing"
    if planned and planned[-1] > 0 and planned[-1] - 1 not in planned:
        yield query / "offsets" / str(planned[-1] - 1), "is missing"
    for batch in _needed(done):
        yield from _log_mistakes(query / "commits" / str(batch), least=2)
    ledger = query / "transactions.json"
    if ledger.exists():
        yield from _object_mistakes(ledger, "topic", "batch")
    for times in sorted((query / "times").glob("*.json")):
        yield from _object_mistakes(times)


def _batches(folder: Path) -> list[int]:
    try:
        return sorted(int(path.name) for path in folder.iterdir() if path.name.isdecimal())
    except OSError:
        return []


def _needed(batches: list[int]) -> list[int]:
    """Spark and we read the last two; the others are kept for nobody."""
    return batches[-2:]


def _object_mistakes(file: Path, *names: str) -> Iterator[tuple[Path, str]]:
    text = _read(file)
    if isinstance(text, _Wrong):
        yield file, text.what
    elif not _is_object(text, names):
        yield file, "is cut or changed"


def _log_mistakes(file: Path, least: int) -> Iterator[tuple[Path, str]]:
    """A version, Spark's own settings, and one line for each source, '-' where it has nothing yet."""
    text = _read(file)
    if isinstance(text, _Wrong):
        yield file, text.what
        return
    version, *lines = text.split("\n")
    whole = re.fullmatch(r"v\d+", version) is not None and 1 + len(lines) >= least
    if not whole or not all(line == "-" or _is_object(line, ()) for line in lines):
        yield file, "is cut or changed"


class _Wrong:
    def __init__(self, what: str) -> None:
        self.what = what


def _read(file: Path) -> str | _Wrong:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return _Wrong("is missing")
    except UnicodeDecodeError:
        return _Wrong("is cut or changed")
    except OSError as error:
        return _Wrong(f"cannot be read ({error.strerror or error})")
    return text if text.strip() else _Wrong("is empty")


def _is_object(text: str, names: tuple[str, ...]) -> bool:
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and all(name in found for name in names)


#: Pieces of what Spark says when it cannot use what it finds.
_SIGNS = (
    "CANNOT_LOAD_STATE_STORE",
    "STATE_STORE_INVALID_",
    "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY",
    "STREAMING_CHECKPOINT_MISSING_METADATA_FILE",
    "StateSchemaCompatibilityChecker$.readSchemaFile",
    "Failed to read log file",
    "Incomplete log file",
)

#: What keeps Spark from reading files that are whole.
_OTHER_REASONS = (
    "No space left on device",
    "Permission denied",
    "AccessControlException",
    "Too many open files",
    "Input/output error",
    "OutOfMemoryError",
    "InterruptedException",
    "ClosedByInterruptException",
    "TaskKilledException",
)

_NAMED = re.compile(r"(?:file:)?(/[^\n]*?)/(\d+-[\w.-]+/(?:metadata|(?:state|offsets|commits)/[\w.-]+(?:/[\w.-]+)*))")


def explain_damage(text: str, state: Path | None = None) -> JobError | None:
    """The error for what Spark says, with its stack; None where it says nothing of damaged state. `state` is the query's folder."""
    if not any(sign in text for sign in _SIGNS) or any(reason in text for reason in _OTHER_REASONS):
        return None
    if "STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY" in text and state is not None:
        return damage(state.parent, state / "state", "is empty or missing")
    message = text.partition("=== Streaming Query ===")[0]
    named = _NAMED.search(message)
    if named is not None:
        return damage(named[1], named[2].rstrip("."))
    if state is None:
        return JobError("The state of the job is damaged: Spark cannot read it.", hint=_CURE)
    return damage(state.parent, state / "state", "cannot be loaded")
