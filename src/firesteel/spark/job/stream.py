"""From a query's plan to Spark's stream: its sources are opened, its operators lowered, its writer made. Nothing runs yet."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from firesteel.changelog.hidden import REJECT, SLOT
from firesteel.connectors.kafka.group import GroupReader
from firesteel.connectors.kafka.write.bad_record import DeadLetters
from firesteel.connectors.position import Partition
from firesteel.observe.shown import OnShown
from firesteel.plan.fact.delivery import is_exactly_once
from firesteel.plan.fact.event_time import closing_node, watermarked_scans
from firesteel.plan.node.relation import Scan, Sink, Values
from firesteel.spark.column import column
from firesteel.spark.connector.kafka.exactly_once import ExactlyOnce
from firesteel.spark.connector.kafka.runtime import bind_exactly_once, bind_letters, dead_letter_topic
from firesteel.spark.connector.kafka.stream_reader import ReadSpec
from firesteel.spark.connector.kafka.write_task import WriteSpec
from firesteel.spark.connector.port import runtime_of
from firesteel.spark.job.query_plan import QueryPlan
from firesteel.spark.lower.cast import fit_length
from firesteel.spark.lower.plan import lower_plan
from firesteel.spark.sink.at_least_once import AtLeastOnce, Gate, Written
from firesteel.spark.sink.layout import gather_keys
from firesteel.spark.source.equal_rows import observe_weights
from firesteel.spark.source.event_time import Times
from firesteel.spark.source.packed_reader import make_source
from firesteel.spark.source.reject import count_rejects
from firesteel.spark.source.values import read_values
from firesteel.types import CHARACTER

#: Partitions that are told apart in event time; of a topic with more, several share one watermark.
_MOST_CHANNELS = 256


class Sources:
    """The sources of a query, opened one after the other while its plan is lowered."""

    def __init__(self, session: SparkSession, plan: QueryPlan, writer: tuple[Any, bool] | None) -> None:
        self.specs: list[ReadSpec] = []
        self.letters: dict[int, DeadLetters] = {}
        self.times: dict[int, Times] = {}
        self._session = session
        self._plan = plan
        self._writer = writer
        self._parallelism = parallelism_of(session)
        self._waited = {id(scan) for scan in watermarked_scans(plan.sink)}
        self._held = 0

    def read(self, scan: Scan | Values) -> DataFrame:
        """The rows of a leaf of the plan."""
        plan = self._plan
        if isinstance(scan, Values):
            # Below zero are the numbers of sources that read no topic.
            self._held += 1
            return read_values(self._session, f"firesteel-{plan.name}-values-{self._held}", -self._held, scan)
        number, runtime, settings = len(self.specs), runtime_of(scan.table), plan.settings
        spec = runtime.open_source(
            scan, number, plan.checkpoint, self._parallelism, cold=settings.cold, in_rocksdb=settings.in_rocksdb
        )
        spec = dataclasses.replace(spec, writer=self._writer)
        if id(scan) in self._waited:
            spec = self._with_event_time(spec, number, runtime.partitions(spec))
        self.specs.append(spec)
        letters = bind_letters(scan, number, plan.job, plan.most_bytes.get(dead_letter_topic(scan.table) or ""))
        if letters is not None:
            self.letters[number] = letters
        source = f"firesteel-{plan.name}-{number}"
        self._session.dataSource.register(make_source(source, spec.schema, runtime.make_reader(spec)))
        rows = self._session.readStream.format(source).load()
        if spec.slots:
            about = {"source": number, "slots": len(spec.slots)}
            rows = rows.withColumn(SLOT, column(SLOT).alias(SLOT, metadata=about))
        if spec.weighed:
            rows = observe_weights(rows, weights_name(number))
        if not spec.tolerant:
            return rows
        # Counted by Spark itself, on whichever machine the rows are; the rows that only carry a reason end here.
        rows = count_rejects(rows, rejects_name(number), REJECT)
        return rows.where(column(REJECT).isNull()).drop(REJECT)

    def _with_event_time(self, spec: ReadSpec, number: int, found: list[Partition]) -> ReadSpec:
        # A pattern that matches nothing yet has no partitions; the first to come is told apart from nobody.
        channels = tuple(found[:_MOST_CHANNELS]) or (("", 0),)
        folder = self._plan.checkpoint.child("times")
        self.times[number] = Times(folder, number, channels)
        idle = self._plan.settings.idle_seconds if spec.idle_seconds is None else spec.idle_seconds
        return dataclasses.replace(spec, slots=channels, times=folder, idle_seconds=idle)


@dataclasses.dataclass(frozen=True)
class Stream:
    """A stream that is ready to start. `once` writes it, if it is written exactly once."""

    start: Callable[[], Any]
    sources: Sources
    once: ExactlyOnce | None


def make_stream(
    session: SparkSession, plan: QueryPlan, gate: Gate, on_written: Callable[[int, Written], None], on_shown: OnShown
) -> Stream:
    """`on_written` is called when a batch is written, `on_shown` with rows for a person."""
    sink, settings, checkpoint = plan.sink, plan.settings, plan.checkpoint
    runtime, partitions = runtime_of(sink.table), parallelism_of(session)
    spec = runtime.open_sink(
        sink,
        drop_nulls=settings.drop_nulls,
        check_lengths=settings.check_lengths,
        most_bytes=plan.most_bytes_of_sink,
    )
    # Who writes exactly once has a new writer for each batch.
    keeps = isinstance(spec, WriteSpec) and not is_exactly_once(sink.table)
    sources = Sources(session, plan, (spec.config, spec.lossy) if keeps and isinstance(spec, WriteSpec) else None)
    rows = lower_plan(sink, sources.read, partitions)
    if settings.trim_pad:
        rows = _fitted(rows, sink)
    rows = gather_keys(rows, sink, partitions)
    letters = tuple(sources.letters.values())
    # The offsets of a group that others move too cannot be part of a transaction of this query's.
    alone = [
        spec for spec in sources.specs if spec.group is not None and plan.groups.is_alone(group_reader(plan, spec))
    ]
    transactions = bind_exactly_once(sink, plan.job, plan.number, alone, plan.limits)
    once: ExactlyOnce | None = None
    if transactions is not None and isinstance(spec, WriteSpec):
        once = ExactlyOnce(spec, transactions, letters, checkpoint, on_written, gate)
    is_local = (session.sparkContext.master or "").startswith("local")
    writing = runtime.make_writing(spec, is_local=is_local, on_shown=on_shown)
    writer = once or AtLeastOnce(spec, writing, letters, checkpoint, on_written, gate)
    mode = "append" if closing_node(sink) is not None else "update"
    stream = writer.place(rows).writeStream.outputMode(mode).foreachBatch(writer)
    stream = stream.queryName(plan.name).option("checkpointLocation", checkpoint.uri)
    if settings.interval_ms:
        stream = stream.trigger(processingTime=f"{settings.interval_ms} milliseconds")
    return Stream(stream.start, sources, once)


def group_reader(plan: QueryPlan, spec: ReadSpec) -> GroupReader:
    return GroupReader(plan.name, spec.number, spec.config, spec.subscription)


def parallelism_of(session: SparkSession) -> int:
    return int(session.conf.get("spark.sql.shuffle.partitions") or 1)


def rejects_name(number: int) -> str:
    """The name under which a source's refused records are counted."""
    return f"firesteel-source-{number}"


def weights_name(number: int) -> str:
    """The name under which the rows are counted that a source's rows stand for."""
    return f"firesteel-weights-{number}"


def _fitted(rows: DataFrame, sink: Sink) -> DataFrame:
    """Text cut and filled to the length of the sink's column, where the job asks for it."""
    lengths = {field.name: field.type for field in sink.fields if isinstance(field.type, CHARACTER)}
    return rows.withColumns({name: fit_length(column(name), wanted) for name, wanted in lengths.items()})
