"""Says what a job asks of a connector: a subclass of `Runtime`, found by the name in `ConnectorSpec.runtime`, and what it opens.

What is not abstract may be left as it is; of `open_source` and `open_sink` a connector has those of its side. The shortest models
are `blackhole.py` for a sink and `datagen/runtime.py` for a source.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firesteel.connectors.position import Partition, Positions
from firesteel.observe.shown import OnShown
from firesteel.observe.snapshot import Waiting
from firesteel.plan.node.relation import Scan, Sink
from firesteel.spark.sink.bad_record import BadRecords
from firesteel.spark.sink.batch import BatchEnd, BatchWriter
from firesteel.spark.source.scan import SourcePlace
from firesteel.spark.source.source_reader import SourceReader
from firesteel.spark.source.source_spec import SourceSpec
from firesteel.storage.folder import Folder

#: Connects what a worker will write with, while it still reads. It is pickled, and never raises.
WarmUp = Callable[[], None]


class Runtime:
    """A connector at work in one job, made before the job starts. `tables` are those of the job that it reads and writes."""

    def __init__(self, job: str, tables: Sequence[Read | Write]) -> None:
        self.job = job
        self.tables = tuple(tables)

    def check_outside(self, go_on: Callable[[], None]) -> None:
        """Raises what is missing outside: servers, topics, rights. Called once, before Spark starts. `go_on` is to be called between
        questions that take time: it raises when the job is to stop.
        """

    def check_earlier_runs(self, state: str) -> None:
        """Raises if an earlier run has written rows that this one would write again. Called when there is no state in `state`."""

    def has_written(self, write: Write, checkpoint: Folder, batch: int) -> bool:
        """Says whether the rows of a batch are written that was begun and is not known to be done. Nobody writes any of them later.

        `checkpoint` is the folder of the query that began it. False also where a table does not promise to have rows once only.
        """
        return False

    def open_source(self, scan: Scan, place: SourcePlace) -> OpenSource:
        """Opens a table to read, before the query starts."""
        raise NotImplementedError

    def open_sink(self, sink: Sink, place: SinkPlace) -> OpenSink:
        """Opens the table of an INSERT, before the query starts and before its sources are opened."""
        raise NotImplementedError

    def look(self) -> Waiting | None:
        """Says which server does not answer. Called several times a second while no batch ends: it must not wait."""
        return None

    def close(self) -> None:
        """Ends what runs in the background. Called when the job has ended, or could not start."""

    def release(self) -> None:
        """Closes what is kept for further jobs of this process. Called before the process ends."""


class OpenSource(ABC):
    """A table that a query reads, on the driver."""

    @abstractmethod
    def make_reader(self, spec: SourceSpec, warm_up: WarmUp | None) -> SourceReader:
        """Makes the reader that plans offsets and reads. Called once, before the query starts; `spec` is what is wanted of it."""

    def partitions(self) -> list[Partition]:
        """Lists the partitions whose event times are told apart. Called before `make_reader`, where the query waits for any."""
        return []

    @property
    def bad_records(self) -> BadRecords | None:
        """Gives what writes the bad records that the reader stages. Asked before the query starts; None: they are only counted."""
        return None

    def resume(self, positions: Positions) -> None:  # noqa: B027
        """Notes the positions behind a batch. Called before a query starts that goes on there."""

    def commit(self, positions: Positions) -> None:  # noqa: B027
        """Shows other programs the positions behind a batch. Called after each batch; it must not raise."""


class OpenSink(ABC):
    """A table that a query writes, on the driver."""

    #: Given to the readers of the query's sources, where that is worth while.
    warm_up: WarmUp | None = None

    @abstractmethod
    def make_writer(self, end: BatchEnd, sources: Sequence[OpenSource]) -> BatchWriter:
        """Makes what writes each batch: `AtLeastOnce`, or one of its own. Called once, before the query starts."""


@dataclass(frozen=True)
class Read:
    """A table that a query reads; `number` is its number among those the query reads."""

    query: str
    number: int
    scan: Scan


@dataclass(frozen=True)
class Write:
    """A table that a query writes; `number` is the query's number in the job, from 1."""

    query: str
    number: int
    sink: Sink


@dataclass(frozen=True)
class SinkPlace:
    """How a sink is opened. `is_local`: all tasks run on this machine. `on_shown` gets rows that are for a person."""

    query: str
    number: int
    drop_nulls: bool
    check_lengths: bool
    is_local: bool
    on_shown: OnShown
