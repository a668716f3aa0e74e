"""One INSERT as one streaming query."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from firesteel.changelog.hidden import REJECT, SLOT
from firesteel.errors import BrokerAwayError, FiresteelError
from firesteel.kafka.dead_letter import DeadLetters
from firesteel.kafka.group import GroupPositions, GroupReader, commit_positions
from firesteel.kafka.position import Partition, from_json
from firesteel.kafka.transaction import TransactionLimits
from firesteel.observe.progress import Progress, SourceProgress
from firesteel.observe.shown import OnShown
from firesteel.options.position import Unbounded
from firesteel.plan.fact.delivery import is_exactly_once
from firesteel.plan.fact.event_time import closing_node, watermarked_scans
from firesteel.plan.node.relation import Scan, Sink, Values
from firesteel.spark.column import column
from firesteel.spark.connector.kafka import bind_exactly_once, bind_letters, dead_letter_topic
from firesteel.spark.connector.port import runtime_of
from firesteel.spark.failure import describe, explain_failure, has_lost_process
from firesteel.spark.fault import planned_fault, reach
from firesteel.spark.internals import (
    last_batch,
    observed_in_running_batch,
    plan_of_last_batch,
    reports_since,
    status_of,
)
from firesteel.spark.lower.cast import fit_length
from firesteel.spark.lower.plan import lower_plan
from firesteel.spark.lower.watermark import times_name
from firesteel.spark.sink.at_least_once import AtLeastOnce, Gate, Written
from firesteel.spark.sink.exactly_once import ExactlyOnce
from firesteel.spark.sink.layout import gather_keys
from firesteel.spark.sink.offset_log import last_committed, planned_batch
from firesteel.spark.sink.write_task import WriteSpec
from firesteel.spark.source.equal_rows import observe_weights, observed_rows
from firesteel.spark.source.event_time import Times, emits_mark
from firesteel.spark.source.packed_reader import make_source
from firesteel.spark.source.reject import count_rejects, counted_rejects
from firesteel.spark.source.stream_reader import ReadSpec
from firesteel.spark.source.tally import take_tally
from firesteel.spark.source.values import read_values
from firesteel.storage.folder import Folder
from firesteel.types import CHARACTER

#: How often a query is started again, without a batch between, because a Python process of Spark's was lost.
_MOST_RESTARTS = 5

#: How long a query waits before it is started again because a broker was away: twice as long each time, up to the last.
_FIRST_PAUSE, _LAST_PAUSE = 0.5, 10.0

#: What Spark says of a query that has nothing to do.
_IDLE = ("Waiting for data to arrive", "Waiting for next trigger")

#: Partitions that are told apart in event time; of a topic with more, several share one watermark.
_MOST_SLOTS = 256


class RunningQuery:
    """Starts the query, follows it, stops it. `most_bytes` is the largest message that each topic takes. `on_progress` is called from the follower's thread, `on_end` from another one when
    a bounded query has read everything.
    """

    def __init__(
        self,
        session: SparkSession,
        name: str,
        sink: Sink,
        checkpoint: Folder,
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
        on_shown: OnShown,
        groups: GroupPositions,
        most_bytes: Mapping[str, int],
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
        self._checkpoint = checkpoint
        self._specs: list[ReadSpec] = []
        self._held = 0
        self._letters: dict[int, DeadLetters] = {}
        self._written: dict[int, Written] = {}
        self._gate = Gate()
        self._idle_seconds = idle_seconds
        self._waited = {id(scan) for scan in watermarked_scans(sink)}
        self._times: dict[int, Times] = {}
        self._folder = checkpoint.child("times")
        self._seen = -1
        self._closed = False
        self.restarts = 0
        self._next_start: float | None = None
        self._failed_at, self._failed_in_a_row = -2, 0
        self._lock = threading.Lock()
        self._parallelism = partitions = int(session.conf.get("spark.sql.shuffle.partitions") or 1)
        self._most_bytes = most_bytes
        least = min((most_bytes[topic] for topic in sink.table.topics if topic in most_bytes), default=None)
        runtime = runtime_of(sink.table)
        spec = runtime.open_sink(sink, drop_nulls=drop_nulls, check_lengths=check_lengths, most_bytes=least)
        # Who writes exactly once has a new writer for each batch.
        kept = isinstance(spec, WriteSpec) and not is_exactly_once(sink.table)
        self._writer = (spec.config, spec.lossy) if kept and isinstance(spec, WriteSpec) else None
        rows = lower_plan(sink, self._read_table, partitions)
        if trim_pad:
            rows = _fitted(rows, sink)
        rows = gather_keys(rows, sink, partitions)
        letters = tuple(self._letters.values())
        self._groups = groups
        # The offsets of a group that others move too cannot be part of a transaction of this query's.
        alone = [spec for spec in self._specs if spec.group is not None and groups.is_alone(self._reader(spec))]
        once = bind_exactly_once(sink, job, number, alone, limits)
        self._note_committed()
        self._once: ExactlyOnce | None = None
        if once is not None and isinstance(spec, WriteSpec):
            self._once = ExactlyOnce(spec, once, letters, checkpoint, self._note_written, self._gate)
        is_local = (session.sparkContext.master or "").startswith("local")
        writing = runtime.make_writing(spec, is_local=is_local, on_shown=on_shown)
        writer = self._once or AtLeastOnce(spec, writing, letters, checkpoint, self._note_written, self._gate)
        mode = "append" if closing_node(sink) is not None else "update"
        stream = writer.place(rows).writeStream.outputMode(mode).foreachBatch(writer)
        stream = stream.queryName(name).option("checkpointLocation", checkpoint.uri)
        if interval_ms:
            stream = stream.trigger(processingTime=f"{interval_ms} milliseconds")
        self._stream = stream
        self._done = threading.Event()
        self._begun = threading.Event()
        self._query: StreamingQuery = self._start()
        self._begun.set()

    def _start(self) -> StreamingQuery:
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
        runtime = runtime_of(scan.table)
        spec = runtime.open_source(
            scan, number, self._checkpoint, self._parallelism, cold=self._cold, in_rocksdb=self._in_rocksdb
        )
        spec = dataclasses.replace(spec, writer=self._writer)
        if id(scan) in self._waited:
            spec = self._with_event_time(spec, number, runtime.partitions(spec))
        self._specs.append(spec)
        letters = bind_letters(scan, number, self._job, self._most_bytes.get(dead_letter_topic(scan.table) or ""))
        if letters is not None:
            self._letters[number] = letters
        source = f"firesteel-{self.name}-{number}"
        self._session.dataSource.register(make_source(source, spec.schema, runtime.make_reader(spec)))
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

    def _with_event_time(self, spec: ReadSpec, number: int, found: list[Partition]) -> ReadSpec:
        # A pattern that matches nothing yet has no partitions; the first to come is told apart from nobody.
        slots = tuple(found[:_MOST_SLOTS]) or (("", 0),)
        self._times[number] = Times(self._folder, number, slots)
        idle = self._idle_seconds if spec.idle_seconds is None else spec.idle_seconds
        return dataclasses.replace(spec, slots=slots, times=self._folder, idle_seconds=idle)

    def _reader(self, spec: ReadSpec) -> GroupReader:
        return GroupReader(self.name, spec.number, spec.config, spec.subscription)

    def _note_committed(self) -> None:
        """Where the query stood when it was stopped: another one that reads with the same group may be ahead."""
        batch = last_committed(self._checkpoint)
        if batch < 0:
            return
        positions = planned_batch(self._checkpoint, batch).positions
        for spec in self._specs:
            if spec.group is not None and spec.number in positions:
                self._groups.note(self._reader(spec), positions[spec.number])

    def _note_written(self, batch: int, written: Written) -> None:
        self._written[batch] = written
        if self._times:
            self._note_times()

    def _note_times(self) -> None:
        """The source is asked for the next batch as soon as this one is done: Spark's report of it would come too late."""
        self._begun.wait()
        metrics = observed_in_running_batch(self._query)
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
        """Why the query failed, if it did. One that failed because of something that passes is started again."""
        if self._closed or self._query.isActive:
            return None
        error = self._query.exception()
        if error is None:
            return None
        failure = explain_failure(describe(error), self._checkpoint)
        now = time.monotonic()
        if self._next_start is None:
            if self._failed_at != self._seen:
                # It has worked since it failed last.
                self._failed_at, self._failed_in_a_row = self._seen, 0
            self._failed_in_a_row += 1
            lost = has_lost_process(describe(error)) and self._failed_in_a_row <= _MOST_RESTARTS
            if not lost and not isinstance(failure, BrokerAwayError):
                return failure
            self._next_start = now + min(_FIRST_PAUSE * 2 ** (self._failed_in_a_row - 1), _LAST_PAUSE)
        elif now >= self._next_start:
            self.restarts += 1
            self._start_again()
        return None

    def _start_again(self) -> None:
        if self._once is not None:
            self._once.begin_again()
        with self._lock:
            self._query, self._next_start = self._start(), None

    @property
    def is_idle(self) -> bool:
        """Whether it has read everything there is, and waits for more."""
        return status_of(self._query) in _IDLE and self._gate.is_free

    @property
    def source_tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(spec.table for spec in self._specs))

    # -- stopping --------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """From now on no batch begins."""
        self._closed = True
        self._gate.close()

    @property
    def is_settled(self) -> bool:
        """Whether the last batch is over: written, and kept by Spark as done, so that it is not repeated. Asked once no other
        begins.
        """
        if not self._gate.is_free:
            return False
        if self._gate.passed <= self._seen or not self._query.isActive:
            return True
        last = last_batch(self._query)
        return last is not None and last >= self._gate.passed

    def end(self) -> None:
        """Ends the query. A batch that is not over is torn off; what it left open in Kafka is ended."""
        failed = self._query.exception() is not None if not self._query.isActive else False
        torn = not self._gate.is_free
        # It may take longer than `spark.sql.streaming.stopTimeout`: the session's end takes it along.
        with suppress(PySparkException):
            self._query.stop()
        if self._once is not None and (torn or failed):
            self._once.settle()

    def follow(self) -> None:
        """Reports every batch that has ended since the last call."""
        with self._lock:
            last = last_batch(self._query)
            if last is None or last <= self._seen:
                return
            for progress in reports_since(self._query, self._seen):
                if _is_whole(progress):
                    self._seen = progress["batchId"]
                    self._report(progress)

    def _report(self, progress: Mapping[str, Any]) -> None:
        batch = progress["batchId"]
        sources: dict[str, SourceProgress] = {}
        rejects: dict[tuple[str, str], int] = {}
        places: dict[str, str] = {}
        changed: dict[tuple[str, str], int] = {}
        empty: dict[str, int] = {}
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
            tally = take_tally(spec.tally, number, int(end.get("sequence", 0)))
            for name, count in tally.changed.items():
                changed[spec.table, name] = changed.get((spec.table, name), 0) + count
            empty[spec.table] = empty.get(spec.table, 0) + tally.empty
            before = sources.get(spec.table, SourceProgress(0, 0))
            marks = 1 if emits_mark(_offset(source["startOffset"] or {}), end) else 0
            given = observed_rows(progress, _weights(number)) if spec.weighed else int(source["numInputRows"])
            rows = max(0, given - sum(refused.values()) - marks)
            sources[spec.table] = SourceProgress(before.rows + rows, (before.lag or 0) + _lag(source))
            if spec.group is not None and number not in written.groups:
                commit_positions(spec.config, self._groups.note(self._reader(spec), from_json(end["positions"])))
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
                changed,
                empty,
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
        return plan_of_last_batch(self._query)


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
