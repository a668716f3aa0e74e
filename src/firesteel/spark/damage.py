"""A job's state whose files are damaged: found before the start where a look at a file tells, else from what Spark says of it.

Nothing of it is ever guessed: a job goes on with all of its state, or says which file is wrong and does not go on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from firesteel.errors import JobError
from firesteel.spark.state_file import find_damaged
from firesteel.storage.folder import Folder

_CURE = "Bring a copy back, or start over with --fresh."
_OTHER_VERSION = "Run the version of Firesteel that made it, or start over with --fresh, or with --fresh-state, which reads on from where the job stopped."

#: What Spark keeps in the folder of a query, by batch.
_LOGS = ("offsets", "commits")


def damage(folder: Folder | str, file: str, what: str = "cannot be read") -> JobError:
    """Makes the error for a file of the state in `folder`, named as it is found from there.

    >>> str(damage("/x/.firesteel/job", "1-dest/metadata", "is empty"))
    "The state in '/x/.firesteel/job' is damaged: '1-dest/metadata' is empty. Bring a copy back, or start over with --fresh."
    """
    return JobError(f"The state in '{folder}' is damaged: '{file}' {what}.", hint=_CURE)


def wrong_state(error: JobError, operator: str, query: str) -> JobError:
    """Makes the error for state of an operator of the state engine that is damaged, or of another version.

    >>> str(wrong_state(JobError("The state is damaged: its manifest is not what was written."), "Join", "1-dest"))
    "The state of 'Join' in '1-dest' is damaged: its manifest is not what was written. Bring a copy back, or start over with --fresh."
    """
    owner = f"The state of '{operator}'" + (f" in '{query}'" if query else "")
    head, _, rest = error.message.partition(" is damaged: ")
    return (
        JobError(f"{owner} is damaged: {rest}", hint=_CURE)
        if rest
        else JobError(f"{owner} cannot be used: {head}", hint=_OTHER_VERSION)
    )


def check_state(folder: Folder, queries: Iterable[str], *, laid_out: bool = False) -> None:
    """Raises `JobError` for the first file that Spark or we could not go on with. `laid_out`: each query says how its state is laid out."""
    for name in queries:
        for file, what in _mistakes(folder.child(name), laid_out):
            raise damage(folder, f"{name}/{file}", what)


def _mistakes(query: Folder, laid_out: bool) -> Iterator[tuple[str, str]]:
    planned, done = (_batches(query.child(log)) for log in _LOGS)
    if query.exists("metadata") or planned or done:
        yield from _object_mistakes(query, "metadata", "id")
    for batch in _needed(planned):
        yield from _log_mistakes(query, f"offsets/{batch}", least=3)
    if done and done[-1] > (planned[-1] if planned else -1):
        yield f"offsets/{done[-1]}", "is missing"
    if planned and planned[-1] > 0 and planned[-1] - 1 not in planned:
        yield f"offsets/{planned[-1] - 1}", "is missing"
    for batch in _needed(done):
        yield from _log_mistakes(query, f"commits/{batch}", least=2)
    if query.exists("layout.json") or (laid_out and planned):
        yield from _object_mistakes(query, "layout.json", "buckets")
    if query.exists("transactions.json"):
        yield from _object_mistakes(query, "transactions.json", "topic", "batch")
    for times in query.child("times").list():
        if times.endswith(".json"):
            yield from _object_mistakes(query, f"times/{times}")


def _batches(folder: Folder) -> list[int]:
    return sorted(int(name) for name in folder.list() if name.isdecimal())


def _needed(batches: list[int]) -> list[int]:
    """Spark and we read the last two; the others are kept for nobody."""
    return batches[-2:]


def _object_mistakes(query: Folder, file: str, *names: str) -> Iterator[tuple[str, str]]:
    text = _read(query, file)
    if isinstance(text, _Wrong):
        yield file, text.what
    elif not _is_object(text, names):
        yield file, "is cut or changed"


def _log_mistakes(query: Folder, file: str, least: int) -> Iterator[tuple[str, str]]:
    """Finds mistakes in an offset log: a version, Spark's own settings, and one line for each source, '-' where it has nothing yet."""
    text = _read(query, file)
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


def _read(query: Folder, file: str) -> str | _Wrong:
    try:
        text = query.read_text(file)
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
    # What Spark keeps about the variables of `transformWithState`.
    "MALFORMED_LOG_FILE",
    "OperatorStateMetadata",
    "TransformWithStateVariableInfo",
    "StateSchemaV3File",
    "/_stateSchema/",
    "Failed to read log file",
    "Incomplete log file",
    "block checksum mismatch",
)


def is_checksum_mismatch(text: str) -> bool:
    """Says whether RocksDB tells that a block of a file is not what was written."""
    return "checksum mismatch" in text


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


def shorten_damage(text: str) -> str | None:
    """As much of what Spark says as `explain_damage` needs; None where it says nothing of damaged state."""
    if explain_damage(text) is None:
        return None
    named = _NAMED.search(text.partition("=== Streaming Query ===")[0])
    sign = next(sign for sign in _SIGNS if sign in text)
    return f"{sign} {named[0]}" if named is not None else sign


def explain_damage(text: str, state: Folder | None = None) -> JobError | None:
    """Makes the error for what Spark says, with its stack; None where it says nothing of damaged state. `state` is the query's folder."""
    if not any(sign in text for sign in _SIGNS) or any(reason in text for reason in _OTHER_REASONS):
        return None
    if "STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY" in text and state is not None:
        return damage(*_job_and(state, "state"), "is empty or missing")
    message = text.partition("=== Streaming Query ===")[0]
    named = _NAMED.search(message)
    if named is not None:
        return damage(named[1], named[2].rstrip("."))
    if state is None:
        return JobError("The state of the job is damaged: Spark cannot read it.", hint=_CURE)
    broken = find_damaged(state.child("state"))
    if broken is None:
        return damage(*_job_and(state, "state"), "cannot be loaded")
    return damage(*_job_and(state, f"state/{broken}"), "is cut or changed")


def _job_and(query: Folder, file: str) -> tuple[str, str]:
    """Splits a path into the folder of the job and a query's file as it is found from there."""
    return str(query).removesuffix(f"/{query.name}"), f"{query.name}/{file}"
