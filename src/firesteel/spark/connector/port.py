"""What the run time asks of a connector: a module `firesteel.spark.connector.<name>` with these functions.

It is loaded by the name that `ConnectorSpec.runtime` has, so a check of a script loads none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast

from pyspark.sql.datasource import DataSourceStreamReader

from firesteel.catalog.table import Table
from firesteel.connectors.builtin import connector
from firesteel.connectors.position import Partition
from firesteel.observe.shown import OnShown
from firesteel.plan.node.relation import Scan, Sink
from firesteel.spark.connector.kafka.stream_reader import ReadSpec
from firesteel.spark.sink.at_least_once import SinkSpec, Writing
from firesteel.storage.folder import Folder


class Runtime(Protocol):
    def topics(self, table: Table) -> tuple[Mapping[str, str], tuple[str, ...]] | None:
        """The topics that have to be there before the job starts, and the settings of the client that reaches them. None:
        the table needs nothing outside.
        """
        ...

    def open_source(
        self, scan: Scan, number: int, checkpoint: Folder, parallelism: int, *, cold: bool, in_rocksdb: bool
    ) -> ReadSpec:
        """`number` is the table's among those that the query reads. `cold`: Spark has just been started."""
        ...

    def partitions(self, spec: ReadSpec) -> list[Partition]:
        """Those whose event times are told apart."""
        ...

    def make_reader(self, spec: ReadSpec) -> DataSourceStreamReader: ...

    def open_sink(self, sink: Sink, *, drop_nulls: bool, check_lengths: bool, most_bytes: int | None) -> SinkSpec: ...

    def make_writing(self, spec: SinkSpec, *, is_local: bool, on_shown: OnShown) -> Writing:
        """`is_local`: all tasks run on this machine. `on_shown` gets rows that are for a person."""
        ...


def runtime_of(table: Table) -> Runtime:
    spec = connector(table.connector)
    assert spec is not None, table.connector
    return cast(Runtime, import_module(f"{__package__}.{spec.runtime}"))
