"""Makes Spark's stream of a query's plan: opens its sources, lowers its operators, makes its writer. Nothing runs yet."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from firesteel.catalog.connector import is_bounded
from firesteel.catalog.table import Table
from firesteel.changelog.hidden import REJECT, SLOT, WEIGHT
from firesteel.observe.shown import OnShown
from firesteel.options.watermark import SCAN_WATERMARK_IDLE_TIMEOUT
from firesteel.plan.fact.event_time import closing_node, watermarked_scans
from firesteel.plan.fact.keyed import clocked_scans
from firesteel.plan.node.relation import Node, Scan, Sink, Values, scans
from firesteel.spark.blob import ROWS
from firesteel.spark.column import column
from firesteel.spark.connector.port import OpenSource, SinkPlace, WarmUp
from firesteel.spark.job.planned_watermark import PlannedWatermark
from firesteel.spark.job.query_plan import QueryPlan
from firesteel.spark.lower.cast import fit_length
from firesteel.spark.lower.plan import lower_plan
from firesteel.spark.lower.watermark import kept_back
from firesteel.spark.sink.bad_record import BadRecords
from firesteel.spark.sink.batch import BatchEnd, BatchWriter, Gate, Written
from firesteel.spark.sink.layout import gather_keys
from firesteel.spark.source.alarm import Alarm
from firesteel.spark.source.equal_rows import observe_weights
from firesteel.spark.source.event_time import EventTime, Times
from firesteel.spark.source.packed_reader import make_source
from firesteel.spark.source.reject import count_rejects
from firesteel.spark.source.scan import SourcePlace, source_spec
from firesteel.spark.source.source_spec import SourceSpec
from firesteel.spark.source.values import read_values
from firesteel.state.block import Packing
from firesteel.types import CHARACTER

#: Partitions that are told apart in event time; of a topic with more, several share one watermark.
_MOST_CHANNELS = 256


class Sources:
    """The sources of a query, opened one after the other while its plan is lowered."""

    def __init__(self, session: SparkSession, plan: QueryPlan, warm_up: WarmUp | None) -> None:
        """Takes `warm_up` from the query's sink, for the readers."""
        self.specs: list[SourceSpec] = []
        self.opened: list[OpenSource] = []
        self.times: dict[int, Times] = {}
        self._session = session
        self._plan = plan
        self._warm_up = warm_up
        self._parallelism = parallelism_of(session)
        self._waited = {id(scan) for scan, _ in watermarked_scans(plan.sink)}
        self._clocked = {id(scan) for scan in clocked_scans(plan.sink)}
        self._numbers: dict[int, list[int]] = {}
        #: Where operators are woken by the clock.
        ends = all(is_bounded(scan.table) for scan in scans(plan.sink))
        self.alarm = Alarm(plan.checkpoint.child("times"), ends=ends) if self._clocked else None
        self._held = 0

    @property
    def bad_records(self) -> tuple[BadRecords, ...]:
        """Gives what writes the bad records of those sources that keep them."""
        return tuple(found for source in self.opened if (found := source.bad_records) is not None)

    def can_pack(self, scan: Scan) -> bool:
        """Says whether the reader of a table can pack its rows: it must not have to show how event time moves."""
        return id(scan) not in self._waited

    def read(self, scan: Scan | Values, packings: tuple[Packing, ...] = ()) -> DataFrame:
        """Gives the rows of a leaf of the plan, packed by their reader where that is asked for."""
        if isinstance(scan, Values):
            # Below zero are the numbers of sources that read no table.
            self._held += 1
            return read_values(self._session, f"firesteel-{self._plan.name}-values-{self._held}", -self._held, scan)
        spec, source = self._open(scan)
        if packings:
            # The order of Spark's store is of no use to the state engine.
            spec = dataclasses.replace(
                spec, packings=packings, columns=dataclasses.replace(spec.columns, as_stored=False)
            )
        spec = dataclasses.replace(spec, alarm=self.alarm if id(scan) in self._clocked else None)
        self._numbers.setdefault(id(scan), []).append(spec.number)
        self.specs.append(spec)
        self.opened.append(source)
        name = f"firesteel-{self._plan.name}-{spec.number}"
        reader = source.make_reader(spec, self._warm_up)
        self._session.dataSource.register(make_source(name, spec.schema, reader))
        return _observed(self._session.readStream.format(name).load(), spec)

    def watermark(self, node: Node) -> PlannedWatermark:
        """Gives what tells the watermark of a node's rows, when its tables have been read."""
        behind = [(number, delay) for scan, delay in watermarked_scans(node) for number in self._numbers[id(scan)]]
        waits = closing_node(node) is not None
        return PlannedWatermark(self._plan.checkpoint, tuple(behind), kept_back(node) // 1000 if waits else None)

    def _open(self, scan: Scan) -> tuple[SourceSpec, OpenSource]:
        plan, settings = self._plan, self._plan.settings
        place = SourcePlace(
            plan.name,
            len(self.specs),
            plan.checkpoint,
            self._parallelism,
            settings.cold,
            settings.in_rocksdb,
            plan.kept,
        )
        source = plan.runtimes.of(scan.table).open_source(scan, place)
        spec = source_spec(scan, place)
        if id(scan) not in self._waited:
            return spec, source
        # A pattern that matches nothing yet has no partitions; the first to come is told apart from nobody.
        channels = tuple(source.partitions()[:_MOST_CHANNELS]) or (("", 0),)
        folder = plan.checkpoint.child("times")
        self.times[spec.number] = Times(folder, spec.number, channels)
        moved = EventTime(channels, folder, idle_seconds(scan.table, settings.idle_seconds))
        return dataclasses.replace(spec, event_time=moved), source


def _observed(rows: DataFrame, spec: SourceSpec) -> DataFrame:
    """Counts what the job reports of a source. The rows that only carry a reason end here."""
    if spec.event_time is not None:
        about = {"source": spec.number, "slots": len(spec.event_time.channels)}
        rows = rows.withColumn(SLOT, column(SLOT).alias(SLOT, metadata=about))
    if spec.packings or spec.columns.combined:
        rows = observe_weights(rows, weights_name(spec.number), ROWS if spec.packings else WEIGHT)
    if not spec.columns.tolerant:
        return rows
    # Counted by Spark itself, on whichever machine the rows are.
    rows = count_rejects(rows, rejects_name(spec.number), REJECT)
    return rows.where(column(REJECT).isNull()).drop(REJECT)


def idle_seconds(table: Table, usual: float) -> float:
    """Tells after how long a partition of the table without records holds nobody's event time back: `usual` is the job's."""
    own = table.options.get(SCAN_WATERMARK_IDLE_TIMEOUT)
    return usual if own is None else own.total_seconds()


@dataclasses.dataclass(frozen=True)
class Stream:
    """A stream that is ready to start, and what writes its batches."""

    start: Callable[[], Any]
    sources: Sources
    writer: BatchWriter


def make_stream(
    session: SparkSession,
    plan: QueryPlan,
    gate: Gate,
    on_written: Callable[[int, Written], None],
    on_shown: OnShown,
    *,
    once: bool = False,
) -> Stream:
    """Makes the stream of a query. `on_written` is called when a batch is written, `on_shown` with rows for a person.

    `once`: it ends after one batch, which is the one that was begun if there is any.
    """
    sink, settings, checkpoint = plan.sink, plan.settings, plan.checkpoint
    partitions = plan.layout.tasks
    is_local = (session.sparkContext.master or "").startswith("local")
    place = SinkPlace(plan.name, plan.number, settings.drop_nulls, settings.check_lengths, is_local, on_shown)
    target = plan.runtimes.of(sink.table).open_sink(sink, place)
    sources = Sources(session, plan, target.warm_up)
    rows = lower_plan(sink, sources, plan.layout)
    if settings.trim_pad:
        rows = _fitted(rows, sink)
    rows = gather_keys(rows, sink, partitions)
    writer = target.make_writer(BatchEnd(checkpoint, sources.bad_records, on_written, gate), sources.opened)
    mode = "append" if closing_node(sink) is not None else "update"
    stream = writer.place(rows).writeStream.outputMode(mode).foreachBatch(writer)
    stream = stream.queryName(plan.name).option("checkpointLocation", checkpoint.uri)
    if once:
        stream = stream.trigger(once=True)
    elif settings.interval_ms:
        stream = stream.trigger(processingTime=f"{settings.interval_ms} milliseconds")
    return Stream(stream.start, sources, writer)


def parallelism_of(session: SparkSession) -> int:
    return int(session.conf.get("spark.sql.shuffle.partitions") or 1)


def rejects_name(number: int) -> str:
    """Gives the name under which a source's refused records are counted."""
    return f"firesteel-source-{number}"


def weights_name(number: int) -> str:
    """Gives the name under which the rows are counted that a source's rows stand for."""
    return f"firesteel-weights-{number}"


def _fitted(rows: DataFrame, sink: Sink) -> DataFrame:
    """Cuts and fills text to the length of the sink's column."""
    lengths = {field.name: field.type for field in sink.fields if isinstance(field.type, CHARACTER)}
    return rows.withColumns({name: fit_length(column(name), wanted) for name, wanted in lengths.items()})
