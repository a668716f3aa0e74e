"""Shows the download of Kafka: a progress bar on a terminal, a few plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from firesteel.dev.broker.jars import KAFKA_VERSION, Watcher

if TYPE_CHECKING:
    from rich.progress import Progress

_TITLE = f"Fetching Kafka {KAFKA_VERSION}"


@contextmanager
def shown_download(stream: IO[str] | None = None) -> Iterator[Watcher]:
    """Makes a watcher for `kafka_jars` that prints nothing until a download starts."""
    out = stream or sys.stderr
    if not out.isatty():
        yield _PlainLines(out)
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


class _PlainLines:
    """Prints one line at the start, and one at the start of each step."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._doing: str | None = None

    def __call__(self, doing: str, done: int, total: int) -> None:
        if self._doing is None:
            print(f"{_TITLE} (once, about a minute)", file=self._out, flush=True)
        if doing != self._doing:
            print(f"  {doing} …", file=self._out, flush=True)
            self._doing = doing


class _Bar:
    def __init__(self) -> None:
        self._progress: Progress | None = None

    def __call__(self, doing: str, done: int, total: int) -> None:
        if self._progress is None:
            self._progress = _progress()
            self._progress.add_task("")
            self._progress.start()
        self._progress.update(self._progress.task_ids[0], description=doing, completed=done, total=total)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def _progress() -> Progress:
    # Imported late: a start from the cache does not need it.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn(_TITLE),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
