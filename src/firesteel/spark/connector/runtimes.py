"""Finds the run times of a job's tables by the names that their connectors have, and asks all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from firesteel.catalog.table import Table
from firesteel.connectors.builtin import connector
from firesteel.observe.snapshot import Waiting
from firesteel.plan.node.relation import Sink, scans
from firesteel.spark.connector.port import Read, Runtime, Write
from firesteel.storage.folder import Folder

#: The INSERTs of a job, with the names of their queries.
NamedSinks = Sequence[tuple[str, Sink]]


class Runtimes:
    """The run times of a job: each is made once, with the tables that it runs."""

    def __init__(self, job: str, sinks: NamedSinks) -> None:
        tables: dict[str, list[Read | Write]] = {}
        for number, (query, sink) in enumerate(sinks, start=1):
            tables.setdefault(_name(sink.table), []).append(Write(query, number, sink))
            for place, scan in enumerate(scans(sink)):
                tables.setdefault(_name(scan.table), []).append(Read(query, place, scan))
        self._runtimes = {name: load_runtime(name)(job, used) for name, used in tables.items()}

    def of(self, table: Table) -> Runtime:
        """Gives the run time of one of the job's tables."""
        return self._runtimes[_name(table)]

    def check_outside(self, go_on: Callable[[], None]) -> None:
        for runtime in self._runtimes.values():
            runtime.check_outside(go_on)

    def check_earlier_runs(self, state: str) -> None:
        for runtime in self._runtimes.values():
            runtime.check_earlier_runs(state)

    def has_written(self, write: Write, checkpoint: Folder, batch: int) -> bool:
        return self.of(write.sink.table).has_written(write, checkpoint, batch)

    def look(self) -> Waiting | None:
        """Gives the server that has not answered for the longest time."""
        found = [waiting for runtime in self._runtimes.values() if (waiting := runtime.look()) is not None]
        return min(found, key=lambda waiting: waiting.since, default=None)

    def close(self) -> None:
        for runtime in self._runtimes.values():
            runtime.close()

    def release(self) -> None:
        for runtime in self._runtimes.values():
            runtime.release()


def load_runtime(name: str) -> type[Runtime]:
    """Loads a run time by its name, as `kafka.runtime:KafkaRuntime` below this package."""
    module, _, what = name.partition(":")
    loaded: type[Runtime] = getattr(import_module(f"{__package__}.{module}"), what)
    return loaded


def _name(table: Table) -> str:
    spec = connector(table.connector)
    assert spec is not None, table.connector
    return spec.runtime
