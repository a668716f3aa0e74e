"""Says what a batch is to the one who writes it: the gate it passes, what finishing it needs, and what it wrote."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from pyspark.sql import DataFrame

from firesteel.errors import JobError
from firesteel.spark.failure import short_failure
from firesteel.spark.sink.bad_record import BadRecords
from firesteel.storage.folder import Folder


@dataclass(frozen=True)
class Written:
    """What a batch wrote: rows, and bad records by the number of the source they come from.

    `skipped`: it had been written by an earlier attempt. `committed` are the sources whose positions were committed with the rows.
    """

    rows: int
    bad_records: Mapping[int, int] = field(default_factory=dict)
    skipped: bool = False
    committed: frozenset[int] = frozenset()


class StoppingError(JobError):
    """No batch begins any more: the job is being stopped."""


class Gate:
    """What every batch of a query passes. Closed, it lets the batch that is being written end, and no other begin."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        #: The last batch that was written.
        self.passed = -1

    @contextmanager
    def passing(self, batch: int) -> Iterator[None]:
        """Holds the gate while a batch is written."""
        with self._lock:
            if self._closed:
                raise StoppingError("The job is being stopped.")
            try:
                yield
            except Exception as error:
                # Spark and py4j copy the text, Java's stack and all, and read it with regular expressions that it overflows.
                raise short_failure(error) from None
            self.passed = batch

    def close(self) -> None:
        """Lets no further batch begin."""
        self._closed = True

    @property
    def is_free(self) -> bool:
        """Checks that no batch is being written."""
        return not self._lock.locked()


@dataclass(frozen=True)
class BatchEnd:
    """What finishing a batch needs, whatever it is written to: `checkpoint` is the folder of the query, `bad_records` are written with
    the batch, and `on_written` is called when all of it is there.
    """

    checkpoint: Folder
    bad_records: tuple[BadRecords, ...]
    on_written: Callable[[int, Written], None]
    gate: Gate


class BatchWriter(Protocol):
    """Writes each batch of a query: it is called by `foreachBatch`, on the driver, with the batch and its number.

    A batch that runs again has the number and the rows of its first run. It is done when the call returns, and passes the gate.
    """

    def place(self, rows: DataFrame) -> DataFrame:
        """Adds what can be planned with the stream instead of with each batch. Called once, with the stream's rows."""
        ...

    def __call__(self, batch: DataFrame, batch_id: int) -> None: ...

    def begin_again(self) -> None:
        """Notes what is planned already. Called when the query is started once more in the same job, because of an error that passes."""
        ...

    def settle(self) -> None:
        """Ends what a batch may have left open that was interrupted or failed. Called when the query has ended."""
        ...
