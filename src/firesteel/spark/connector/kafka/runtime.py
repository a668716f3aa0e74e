"""Runs Kafka's tables in a job: what its sources and sinks share is found before the job starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from firesteel.catalog.connector import place_names
from firesteel.connectors.kafka.admin import close_clients
from firesteel.connectors.kafka.client.librdkafka import Role
from firesteel.connectors.kafka.group import GroupPositions, GroupReader
from firesteel.connectors.kafka.options import GROUP_ID
from firesteel.connectors.kafka.transaction.transaction import TransactionLimits
from firesteel.connectors.kafka.watch import BrokerWatch
from firesteel.observe.snapshot import Waiting
from firesteel.plan.node.relation import Scan, Sink
from firesteel.spark.connector.kafka.earlier_batch import has_written
from firesteel.spark.connector.kafka.outside import Outside, check_earlier_runs, check_outside
from firesteel.spark.connector.kafka.sink import KafkaSink
from firesteel.spark.connector.kafka.source import KafkaSource, bind_bad_records
from firesteel.spark.connector.kafka.table import client_of, dead_letter_topic, subscription
from firesteel.spark.connector.port import Read, Runtime, SinkPlace, Write
from firesteel.spark.source.scan import SourcePlace
from firesteel.storage.folder import Folder


class KafkaRuntime(Runtime):
    def __init__(self, job: str, tables: Sequence[Read | Write]) -> None:
        super().__init__(job, tables)
        self._outside = Outside()
        self._watch: BrokerWatch | None = None
        self._groups = GroupPositions([])

    def check_outside(self, go_on: Callable[[], None]) -> None:
        self._outside = check_outside(self.tables, go_on)
        self._watch = BrokerWatch(self._outside.topics)
        self._groups = GroupPositions([_group_reader(used) for used in self.tables if _has_group(used)])

    def check_earlier_runs(self, state: str) -> None:
        check_earlier_runs(self.job, self.tables, state)

    def has_written(self, write: Write, checkpoint: Folder, batch: int) -> bool:
        limits = self._outside.limits.get(write.query, TransactionLimits())
        return has_written(self.job, write, limits, checkpoint, batch)

    def open_source(self, scan: Scan, place: SourcePlace) -> KafkaSource:
        topic = dead_letter_topic(scan.table)
        most = self._outside.most_bytes.get(topic) if topic is not None else None
        return KafkaSource(scan, place, self._groups, bind_bad_records(scan.table, place.number, self.job, most))

    def open_sink(self, sink: Sink, place: SinkPlace) -> KafkaSink:
        limits = self._outside.limits.get(place.query, TransactionLimits())
        return KafkaSink(sink, place, self.job, self._outside.most_bytes_of(place_names(sink.table)), limits)

    def look(self) -> Waiting | None:
        absence = self._watch.look() if self._watch is not None else None
        return Waiting(absence.since, absence.broker, absence.why) if absence is not None else None

    def close(self) -> None:
        if self._watch is not None:
            self._watch.stop()

    def release(self) -> None:
        close_clients()


def _has_group(used: Read | Write) -> TypeGuard[Read]:
    return isinstance(used, Read) and used.scan.table.options.get(GROUP_ID) is not None


def _group_reader(read: Read) -> GroupReader:
    table = read.scan.table
    return GroupReader(read.query, read.number, client_of(table, Role.CONSUMER), subscription(table))
