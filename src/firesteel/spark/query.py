"""One INSERT as one streaming query."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from firesteel.errors import FiresteelError
from firesteel.kafka.dead_letter import DeadLetters
from firesteel.kafka.group import commit_positions
from firesteel.kafka.position import find_partitions, from_json
from firesteel.kafka.reader import consumer_for
from firesteel.kafka.transaction import TransactionLimits
from firesteel.observe.progress import Progress, SourceProgress
from firesteel.options.position import Unbounded
from firesteel.plan.delivery import is_exactly_once
from firesteel.plan.event_time import closing_node, watermarked_scans
from firesteel.plan.node import Scan, Sink, Values
from firesteel.spark.arrange import gather_keys
from firesteel.spark.bind import bind_exactly_once, bind_letters, bind_sink, bind_source
from firesteel.spark.cast import fit_length
from firesteel.spark.column import column
from firesteel.spark.delivery import AtLeastOnce, Gate, Written
from firesteel.spark.exactly_once import ExactlyOnce
from firesteel.spark.failure import explain_failure
from firesteel.spark.fault import planned_fault, reach
from firesteel.spark.lowering import lower_plan
from firesteel.spark.mark import SLOT, Times, emits_mark
from firesteel.spark.packed import make_source
from firesteel.spark.reject import count_rejects, counted_rejects
from firesteel.spark.source import REJECT, KafkaStreamReader, ReadSpec
from firesteel.spark.values import read_values
from firesteel.spark.watermark import times_name
from firesteel.spark.weight import observe_weights, observed_rows
from firesteel.types import CHARACTER

#: What Spark says when a Python process did not begin in time, and how often a query is started in all.
_NO_WORKER = "Python worker failed to connect back"
_MOST_STARTS = 5

#: How long a job that is to stop waits for the batch that is being written.
_PATIENCE = 20.0

#: Partitions that are told apart in event time; of a topic with more, several share one watermark.
_MOST_SLOTS = 256


class RunningQuery:
    """Starts the query, follows it, stops it. `on_progress` is called from the follower's thread, `on_end` from another one when
    a bounded query has read everything.
    """

    def __init__(
        self,
        session: SparkSession,
        name: str,
        sink: Sink,
        checkpoint: str,
        *,
        job: str,
        number: int,
        limits: TransactionLimits,
        interval_ms: int,
        drop_nulls: bool,
        trim_pad: bool,
        check_lengths: bool = False,
        on_progress: Callable[[Progress], None],
        on_end: Callable[[], None],
        idle_seconds: float = 0.0,
        cold: bool = False,
        in_rocksdb: bool = False,
    ) -> None:
        self.name = name
        self.sink = sink
        self._session = session
        self._on_progress = on_progress
        self._on_end = on_end
        self._job = job
        self._cold = cold
        self._in_rocksdb = in_rocksdb
        folder = Path(checkpoint)
        self._stage = folder / "dead"
        self._specs: list[ReadSpec] = []
        self._held = 0
        self._letters: dict[int, DeadLetters] = {}
        self._written: dict[int, Written] = {}
        self._gate = Gate()
        self._idle_seconds = idle_seconds
        self._waited = {id(scan) for scan in watermarked_scans(sink)}
        self._times: dict[int, Times] = {}
        self._folder = Path(checkpoint) / "times"
        self._seen = -1
        self._stopped = False
        self._lock = threading.Lock()
        self._parallelism = partitions = int(session.conf.get("spark.sql.shuffle.partitions") or 1)
        spec = dataclasses.replace(bind_sink(sink, drop_nulls=drop_nulls), check_lengths=check_lengths)
        # Who writes exactly once has a new writer for each batch.
        self._writer = None if is_exactly_once(sink.table) else (spec.config, spec.lossy)
        rows = lower_plan(sink, self._read_table, partitions)
        if trim_pad:
            rows = _fitted(rows, sink)
        rows = gather_keys(rows, sink, partitions)
        letters = tuple(self._letters.values())
        once = bind_exactly_once(sink, job, number, self._specs, limits)
        self._once = ExactlyOnce(spec, once, letters, folder, self._note_written, self._gate) if once else None
        writer = self._once or AtLeastOnce(spec, letters, self._stage, self._note_written, self._gate)
        mode = "append" if closing_node(sink) is not None else "update"
        stream = writer.place(rows).writeStream.outputMode(mode).foreachBatch(writer)
        stream = stream.queryName(name).option("checkpointLocation", checkpoint)
        if interval_ms:
            stream = stream.trigger(processingTime=f"{interval_ms} milliseconds")
        self._stream = stream
        self._starts = 0
        self._done = threading.Event()
        self._begun = threading.Event()
        self._query: StreamingQuery = self._start()
        self._begun.set()

    def _start(self) -> StreamingQuery:
        self._starts += 1
        query = self._stream.start()
        if all(not isinstance(spec.bound, Unbounded) for spec in self._specs):
            threading.Thread(target=self._await_end, args=(query,), name=f"{self.name}-end", daemon=True).start()
        return query

    def _read_table(self, scan: Scan | Values) -> DataFrame:
        if isinstance(scan, Values):
            # Below zero are the numbers of sources that read no topic.
            self._held += 1
            return read_values(self._session, f"firesteel-{self.name}-values-{self._held}", -self._held, scan)
        number = len(self._specs)
        spec = bind_source(scan, number, self._stage, self._parallelism, cold=self._cold, in_rocksdb=self._in_rocksdb)
        spec = dataclasses.replace(spec, writer=self._writer)
        if id(scan) in self._waited:
            spec = self._with_event_time(spec, number)
        self._specs.append(spec)
        letters = bind_letters(scan, number, self._job)
        if letters is not None:
            self._letters[number] = letters
        source = f"firesteel-{self.name}-{number}"
        self._session.dataSource.register(make_source(source, spec.schema, KafkaStreamReader(spec)))
        rows = self._session.readStream.format(source).load()
        if spec.slots:
            about = {"source": number, "slots": len(spec.slots)}
            rows = rows.withColumn(SLOT, column(SLOT).alias(SLOT, metadata=about))
        if spec.weighed:
            rows = observe_weights(rows, _weights(number))
        if not spec.tolerant:
            return rows
        # Counted by Spark itself, on whichever machine the rows are; the rows that only carry a reason end here.
        rows = count_rejects(rows, _observation(number), REJECT)
        return rows.where(column(REJECT).isNull()).drop(REJECT)

    def _with_event_time(self, spec: ReadSpec, number: int) -> ReadSpec:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = str(self._folder / f"{number}.json")
        found = find_partitions(consumer_for(spec.config), spec.subscription)[:_MOST_SLOTS]
        # A pattern that matches nothing yet has no partitions; the first to come is told apart from nobody.
        slots = tuple(found) or (("", 0),)
        self._times[number] = Times(path, slots)
        idle = self._idle_seconds if spec.idle_seconds is None else spec.idle_seconds
        return dataclasses.replace(spec, slots=slots, times=path, idle_seconds=idle)

    def _note_written(self, batch: int, written: Written) -> None:
        self._written[batch] = written
        if self._times:
            self._note_times()

    def _note_times(self) -> None:
        """The source is asked for the next batch as soon as this one is done: Spark's report of it would come too late."""
        self._begun.wait()
        metrics = self._query._jsq.streamingQuery().lastExecution().observedMetrics()
        for number, times in self._times.items():
            found = metrics.get(times_name(number))
            # Spark leaves out what stands above a source that has nothing to give.
            if found.isDefined():
                row = found.get()
                times.note({slot: None if row.isNullAt(slot) else row.getLong(slot) for slot in range(row.size())})

    def _await_end(self, query: StreamingQuery) -> None:
        """A bounded query has reached its end when there is nothing left to process."""
        try:
            query.processAllAvailable()
        except Exception:  # the query's own exception says why; `failure` reports it
            return
        self._done.set()
        self._on_end()

    @property
    def is_done(self) -> bool:
        """Whether a bounded query has read everything up to its bound."""
        return self._done.is_set()

    def failure(self) -> FiresteelError | None:
        """Why the query failed, if it did."""
        if self._stopped or self._query.isActive:
            return None
        error = self._query.exception()
        if error is None:
            return None
        if _NO_WORKER in str(error) and self._starts < _MOST_STARTS:
            # Spark waits ten seconds for a Python process to begin, which a machine with much to do may not grant.
            with self._lock:
                self._query = self._start()
            return None
        return explain_failure(str(error))

    def stop(self) -> None:
        failed = not self._stopped and not self._query.isActive and self._query.exception() is not None
        self._stopped = True
        torn = not self._gate.close(_PATIENCE)
        # Longer than `spark.sql.streaming.stopTimeout`: the session's end takes it along.
        with suppress(PySparkException):
            self._query.stop()
        if self._once is not None and (torn or failed):
            self._once.settle()

    def follow(self) -> None:
        """Reports every batch that has ended since the last call."""
        with self._lock:
            last = self._query._jsq.lastProgress()
            if last is None or last.batchId() <= self._seen:
                return
            for report in self._query._jsq.recentProgress():
                if report.batchId() <= self._seen:
                    continue
                progress = json.loads(report.json())
                if _is_whole(progress):
                    self._seen = progress["batchId"]
                    self._report(progress)

    def _report(self, progress: Mapping[str, Any]) -> None:
        batch = progress["batchId"]
        sources: dict[str, SourceProgress] = {}
        rejects: dict[tuple[str, str], int] = {}
        places: dict[str, str] = {}
        written = self._written.pop(batch, Written(0))
        reach(planned_fault(), "m8", batch)
        for place, source in enumerate(progress["sources"]):
            end = _offset(source["endOffset"] or {})
            number = end.get("source", place)
            if number < 0:
                continue
            spec = self._specs[number]
            refused, first = counted_rejects(progress, _observation(number))
            if first is not None:
                places.setdefault(spec.table, first)
            for reason, count in refused.items():
                rejects[spec.table, reason] = rejects.get((spec.table, reason), 0) + count
            before = sources.get(spec.table, SourceProgress(0, 0))
            marks = 1 if emits_mark(_offset(source["startOffset"] or {}), end) else 0
            given = observed_rows(progress, _weights(number)) if spec.weighed else int(source["numInputRows"])
            rows = max(0, given - sum(refused.values()) - marks)
            sources[spec.table] = SourceProgress(before.rows + rows, (before.lag or 0) + _lag(source))
            if spec.group is not None and number not in written.groups:
                commit_positions(spec.config, from_json(end["positions"]))
        self._on_progress(
            Progress(
                self.name,
                batch,
                int(progress["durationMs"].get("triggerExecution", 0)),
                time.time(),
                sources,
                {self.sink.table.name: written.rows},
                rejects,
                places,
                self._logged(written),
                _late(progress),
                written.skipped,
            )
        )

    def _logged(self, written: Written) -> dict[tuple[str, str], int]:
        logged: dict[tuple[str, str], int] = {}
        for number, count in written.letters.items():
            letters = self._letters[number]
            where = letters.table, letters.topic
            logged[where] = logged.get(where, 0) + count
        return logged

    def plan_text(self) -> str:
        """Spark's own physical plan of the last batch: for tests and for people who look closely."""
        text: str = self._query._jsq.explainInternal(False)
        return text


def _fitted(rows: DataFrame, sink: Sink) -> DataFrame:
    """Text cut and filled to the length of the sink's column, where the job asks for it."""
    lengths = {field.name: field.type for field in sink.fields if isinstance(field.type, CHARACTER)}
    return rows.withColumns({name: fit_length(column(name), wanted) for name, wanted in lengths.items()})


def _is_whole(progress: Mapping[str, Any]) -> bool:
    """A report of a batch, not of a moment in which there was nothing to do."""
    return "addBatch" in progress["durationMs"] and bool(progress["sources"])


def _observation(number: int) -> str:
    return f"firesteel-source-{number}"


def _weights(number: int) -> str:
    return f"firesteel-weights-{number}"


def _late(progress: Mapping[str, Any]) -> int:
    """Rows that came after their window was closed, as Spark counts them: rows of one group that come in one task are one."""
    return sum(
        int(state["numRowsDroppedByWatermark"])
        for state in progress.get("stateOperators") or ()
        # The rows of COUNT(DISTINCT) go two ways, and are late on both.
        if state["operatorName"] != "dedupe"
    )


def _offset(value: Any) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(value) if isinstance(value, str) else value
    return parsed


def _lag(source: Mapping[str, Any]) -> int:
    latest, end = source.get("latestOffset"), source.get("endOffset")
    if not latest or not end:
        return 0
    last, now = from_json(_offset(latest)["positions"]), from_json(_offset(end)["positions"])
    return sum(max(0, offset - now.get(partition, 0)) for partition, offset in last.items())
