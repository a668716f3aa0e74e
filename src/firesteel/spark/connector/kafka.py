"""From a plan's tables to what a worker needs to read or write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pyspark.sql.datasource import DataSourceStreamReader

from firesteel.catalog.connector import place_names
from firesteel.catalog.table import Metadata, Table
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.connectors.kafka.client.librdkafka import Role, client_config
from firesteel.connectors.kafka.offset import Partition, Subscription, find_partitions
from firesteel.connectors.kafka.options import (
    GROUP_ID,
    SCAN_DISCOVERY_INTERVAL,
    SCAN_HEADER_FILTER,
    SCAN_MAX_ROWS_PER_BATCH,
    SINK_DELIVERY_GUARANTEE,
    SINK_PARTITIONER,
    SINK_TRANSACTIONAL_ID_PREFIX,
    TOPIC_PATTERN,
)
from firesteel.connectors.kafka.options_upsert import SINK_BUFFER_FLUSH_MAX_ROWS
from firesteel.connectors.kafka.partitioner import Custom, Default, Partitioner
from firesteel.connectors.kafka.read.reader import consumer_for
from firesteel.connectors.kafka.start import bound, start_position
from firesteel.connectors.kafka.transaction.transaction import TransactionLimits
from firesteel.connectors.kafka.write.bad_record import USUAL_BYTES, DeadLetters
from firesteel.connectors.kafka.write.choose_partition import find_class
from firesteel.connectors.kafka.write.writer import fit_batches
from firesteel.connectors.spec import DeliveryGuarantee
from firesteel.formats.json.options import IGNORE_PARSE_ERRORS
from firesteel.observe.shown import OnShown
from firesteel.options.error_handling import ERROR_HANDLING_LOG_TARGET, ERROR_HANDLING_MODE, ErrorMode
from firesteel.options.legacy import SINK_IGNORE_RETRACTION, UpdateMode
from firesteel.options.table import SCAN_PARALLELISM, SINK_PARALLELISM
from firesteel.options.watermark import SCAN_WATERMARK_IDLE_TIMEOUT
from firesteel.plan.fact.delivery import is_exactly_once
from firesteel.plan.fact.retraction import is_in_order
from firesteel.plan.node.relation import Scan, Sink
from firesteel.spark.fault import fault_file
from firesteel.spark.lower.function.python import send_along
from firesteel.spark.sink.at_least_once import STAGE, SinkSpec, Writing
from firesteel.spark.sink.exactly_once import ExactlyOnceSpec, same_cluster
from firesteel.spark.sink.write_task import WriteSpec, make_write_task
from firesteel.spark.source.stream_reader import KafkaStreamReader, ReadSpec
from firesteel.storage.folder import Folder

#: When everything has yet to be compiled, a batch of so many rows: the first results are there sooner.
_FIRST_ROWS = 20_000


def topics(table: Table) -> tuple[Mapping[str, str], tuple[str, ...]] | None:
    return client_config(table.options.properties, Role.ADMIN), place_names(table)


def open_source(
    scan: Scan, number: int, checkpoint: Folder, parallelism: int, *, cold: bool, in_rocksdb: bool
) -> ReadSpec:
    return bind_source(scan, number, checkpoint, parallelism, cold=cold, in_rocksdb=in_rocksdb)


def partitions(spec: ReadSpec) -> list[Partition]:
    return find_partitions(consumer_for(spec.config), spec.subscription)


def make_reader(spec: ReadSpec) -> DataSourceStreamReader:
    return KafkaStreamReader(spec)


def open_sink(sink: Sink, *, drop_nulls: bool, check_lengths: bool, most_bytes: int | None) -> SinkSpec:
    spec = bind_sink(sink, drop_nulls=drop_nulls, most_bytes=most_bytes)
    return replace(spec, check_lengths=check_lengths)


def make_writing(spec: SinkSpec, *, is_local: bool, on_shown: OnShown) -> Writing:
    assert isinstance(spec, WriteSpec)
    return Writing(make_write_task(spec, fault_file()))


def bind_source(
    scan: Scan, number: int, checkpoint: Folder, parallelism: int, *, cold: bool, in_rocksdb: bool
) -> ReadSpec:
    """`cold`: Spark has just been started. `in_rocksdb`: that is where the state is kept."""
    table, options = scan.table, scan.table.options
    max_rows = options.get(SCAN_MAX_ROWS_PER_BATCH) or 1
    metadata = {column.name: column.key for column in table.columns if isinstance(column, Metadata)}
    interval = options.get(SCAN_DISCOVERY_INTERVAL)
    idle = options.get(SCAN_WATERMARK_IDLE_TIMEOUT)
    return ReadSpec(
        table=table.name,
        config=client_config(options.properties, Role.CONSUMER),
        subscription=subscription(table),
        start=start_position(table.connector, options),
        bound=bound(options),
        group=options.get(GROUP_ID),
        value=table.value_format,
        key=table.key_format,
        fields=scan.fields,
        metadata={field.name: metadata[field.name] for field in scan.fields if field.name in metadata},
        tolerant=_is_tolerant(table),
        changes=scan.changelog != INSERT_ONLY,
        upsert=table.connector == "upsert-kafka",
        ordered=scan.ordered,
        weighed=scan.combined,
        as_stored=in_rocksdb,
        max_rows=max_rows,
        first_rows=min(_FIRST_ROWS, max_rows) if cold else max_rows,
        discovery_seconds=interval.total_seconds() if interval else 0.0,
        tasks=options.get(SCAN_PARALLELISM) or parallelism,
        number=number,
        stage=checkpoint.child(STAGE) if dead_letter_topic(table) else None,
        tally=checkpoint.child("tally"),
        idle_seconds=idle.total_seconds() if idle is not None else None,
        header_filter=options.get(SCAN_HEADER_FILTER),
    )


def bind_letters(scan: Scan, number: int, job: str, most_bytes: int | None = None) -> DeadLetters | None:
    table = scan.table
    topic = dead_letter_topic(table)
    if topic is None:
        return None
    config = fit_batches(client_config(table.options.properties, Role.PRODUCER), most_bytes)
    return DeadLetters(number, table.name, job, topic, config, most_bytes or USUAL_BYTES)


def dead_letter_topic(table: Table) -> str | None:
    """The topic that gets the table's bad records, if one does."""
    if table.options.get(ERROR_HANDLING_MODE) is not ErrorMode.LOG:
        return None
    return table.options.get(ERROR_HANDLING_LOG_TARGET)


def bind_sink(sink: Sink, *, drop_nulls: bool, most_bytes: int | None = None) -> WriteSpec:
    """`most_bytes`: the largest message that its topics take."""
    table, options = sink.table, sink.table.options
    ignore_deletes: bool | None = options.get(SINK_IGNORE_RETRACTION)
    return WriteSpec(
        table=table.name,
        config=fit_batches(client_config(options.properties, Role.PRODUCER), most_bytes),
        topics=subscription(table),
        metadata={
            column.name: column.key for column in table.columns if isinstance(column, Metadata) and not column.virtual
        },
        value=table.value_format,
        key=table.key_format,
        fields=sink.fields,
        partitioner=_with_class(options.get(SINK_PARTITIONER) or Default()),
        upsert=table.connector == "upsert-kafka",
        drop_nulls=drop_nulls,
        ignore_deletes=bool(ignore_deletes),
        net=not is_in_order(sink),
        retract=table.update_mode is UpdateMode.RETRACT,
        gathered_keys=max(0, options.get(SINK_BUFFER_FLUSH_MAX_ROWS) or 0),
        tasks=options.get(SINK_PARALLELISM),
        lossy=options.get(SINK_DELIVERY_GUARANTEE) is DeliveryGuarantee.NONE,
    )


def _with_class(partitioner: Partitioner) -> Partitioner:
    """A class that lies beside the script travels with the rows' writer: the workers need not have it."""
    if not isinstance(partitioner, Custom):
        return partitioner
    loaded = find_class(partitioner)
    send_along(partitioner.module)
    return replace(partitioner, loaded=loaded)


def bind_exactly_once(
    sink: Sink, job: str, number: int, sources: Iterable[ReadSpec], limits: TransactionLimits
) -> ExactlyOnceSpec | None:
    """`number` is the sink's among those of the job."""
    table = sink.table
    if not is_exactly_once(table):
        return None
    config = client_config(table.options.properties, Role.PRODUCER)
    asked = config.get("transaction.timeout.ms")
    return ExactlyOnceSpec(
        prefix=transaction_prefix(table, job),
        number=number,
        reader=client_config(table.options.properties, Role.CONSUMER),
        timeout_ms=int(asked) if asked else limits.default_timeout_ms,
        groups={
            source.number: source.config
            for source in sources
            if source.group is not None and same_cluster(source.config, config)
        },
        retention=limits.retention_seconds,
    )


def transaction_prefix(table: Table, job: str) -> str:
    return table.options.get(SINK_TRANSACTIONAL_ID_PREFIX) or job


def subscription(table: Table) -> Subscription:
    pattern = table.options.get(TOPIC_PATTERN)
    return Subscription(place_names(table), pattern.pattern if pattern is not None else None)


def _is_tolerant(table: Table) -> bool:
    """Whether bad records are counted and left out, instead of stopping the job."""
    mode = table.options.get(ERROR_HANDLING_MODE)
    if mode is ErrorMode.IGNORE or mode is ErrorMode.LOG:
        return True
    formats = [bound for bound in (table.value_format, table.key_format) if bound is not None]
    ignored: list[bool | None] = [bound.options.get(IGNORE_PARSE_ERRORS) for bound in formats]
    return any(ignored)
