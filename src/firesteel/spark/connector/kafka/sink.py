"""Opens a Kafka table to write: its options become what a worker needs, and its guarantee what writes each batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from firesteel.catalog.connector import guarantee, has_key
from firesteel.connectors.kafka.client.librdkafka import Role
from firesteel.connectors.kafka.options import SINK_PARTITIONER
from firesteel.connectors.kafka.options_upsert import SINK_BUFFER_FLUSH_MAX_ROWS
from firesteel.connectors.kafka.partitioner import Custom, Default, Partitioner
from firesteel.connectors.kafka.transaction.transaction import TransactionLimits
from firesteel.connectors.kafka.write.choose_partition import find_class
from firesteel.connectors.kafka.write.writer import connect_early, fit_batches
from firesteel.connectors.spec import DeliveryGuarantee
from firesteel.options.legacy import SINK_IGNORE_RETRACTION, UpdateMode
from firesteel.options.table import SINK_PARALLELISM
from firesteel.plan.fact.delivery import is_exactly_once
from firesteel.plan.fact.retraction import is_in_order
from firesteel.plan.node.relation import Sink
from firesteel.spark.connector.kafka.exactly_once import ExactlyOnce, ExactlyOnceSpec, same_cluster
from firesteel.spark.connector.kafka.source import KafkaSource
from firesteel.spark.connector.kafka.table import (
    client_of,
    metadata_keys,
    subscription,
    transaction_prefix,
    transaction_timeout,
)
from firesteel.spark.connector.kafka.write_spec import ChangeRule, Encoding, Target, WriteSpec
from firesteel.spark.connector.kafka.write_task import make_write_task
from firesteel.spark.connector.port import OpenSink, OpenSource, SinkPlace
from firesteel.spark.fault import fault_file
from firesteel.spark.lower.function.python import send_along
from firesteel.spark.sink.at_least_once import AtLeastOnce, Writing
from firesteel.spark.sink.batch import BatchEnd, BatchWriter
from firesteel.spark.sink.checked_rows import SinkColumns
from firesteel.spark.sink.layout import Layout


class KafkaSink(OpenSink):
    """A topic, or several, as one query writes it. `most_bytes`: the largest message that its topics take."""

    def __init__(
        self, sink: Sink, place: SinkPlace, job: str, most_bytes: int | None, limits: TransactionLimits
    ) -> None:
        self._sink = sink
        self._place = place
        self._job = job
        self._limits = limits
        self._spec = bind_sink(sink, place, most_bytes)
        if not is_exactly_once(sink.table):
            # Who writes exactly once has a new writer for each batch.
            target = self._spec.target
            self.warm_up = partial(connect_early, target.config, lossy=target.lossy)

    def make_writer(self, end: BatchEnd, sources: Sequence[OpenSource]) -> BatchWriter:
        if is_exactly_once(self._sink.table):
            # The offsets of a group that others move too cannot be part of a transaction of this query's.
            alone = [one for one in sources if isinstance(one, KafkaSource) and one.has_group_of_its_own]
            return ExactlyOnce(self._spec, self._bind_exactly_once(alone), end)
        key = self._sink.table.key_format
        layout = Layout(self._sink.table.options.get(SINK_PARALLELISM), key.columns if key else ())
        return AtLeastOnce(layout, Writing(make_write_task(self._spec, fault_file())), end)

    def _bind_exactly_once(self, sources: Iterable[KafkaSource]) -> ExactlyOnceSpec:
        table, config = self._sink.table, client_of(self._sink.table, Role.PRODUCER)
        return ExactlyOnceSpec(
            prefix=transaction_prefix(table, self._job),
            number=self._place.number,
            reader=client_of(table, Role.CONSUMER),
            timeout_ms=transaction_timeout(table) or self._limits.default_timeout_ms,
            groups={
                source.number: source.input.config for source in sources if same_cluster(source.input.config, config)
            },
            retention=self._limits.retention_seconds,
        )


def bind_sink(sink: Sink, place: SinkPlace, most_bytes: int | None = None) -> WriteSpec:
    """Makes what a worker needs to write the table."""
    table, options = sink.table, sink.table.options
    ignore_deletes: bool | None = options.get(SINK_IGNORE_RETRACTION)
    return WriteSpec(
        SinkColumns(table.name, sink.fields, place.drop_nulls, place.check_lengths),
        Target(
            fit_batches(client_of(table, Role.PRODUCER), most_bytes),
            subscription(table),
            _with_class(options.get(SINK_PARTITIONER) or Default()),
            lossy=guarantee(table) is DeliveryGuarantee.NONE,
        ),
        Encoding(table.value_format, table.key_format, metadata_keys(table, written=True)),
        ChangeRule(
            upsert=has_key(table),
            net=not is_in_order(sink),
            retract=table.update_mode is UpdateMode.RETRACT,
            ignore_deletes=bool(ignore_deletes),
            gathered_keys=max(0, options.get(SINK_BUFFER_FLUSH_MAX_ROWS) or 0),
        ),
    )


def _with_class(partitioner: Partitioner) -> Partitioner:
    """Takes the user's class along with the writer of the rows: it lies beside the script, and the workers need not have it."""
    if not isinstance(partitioner, Custom):
        return partitioner
    loaded = find_class(partitioner)
    send_along(partitioner.module)
    return replace(partitioner, loaded=loaded)
