"""Starts, follows and stops one INSERT as one streaming query."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from firesteel.connectors.position import from_json
from firesteel.errors import BrokerAwayError, FiresteelError
from firesteel.observe.snapshot import BucketState
from firesteel.spark.failure import describe, explain_failure, has_lost_process
from firesteel.spark.fault import planned_fault, reach
from firesteel.spark.internals import (
    last_batch,
    observed_in_running_batch,
    plan_of_last_batch,
    reports_since,
    status_of,
)
from firesteel.spark.job.query_plan import QueryEvents, QueryPlan
from firesteel.spark.job.report import is_whole, render_progress, source_offsets
from firesteel.spark.job.stream import Stream, make_stream
from firesteel.spark.lower.watermark import times_name
from firesteel.spark.sink.batch import Gate, Written
from firesteel.spark.sink.offset_log import last_committed, planned_batch

#: How often a query is started again, without a batch between, because a Python process of Spark's was lost.
_MOST_RESTARTS = 5

#: How long a query waits before it is started again because a broker was away: twice as long each time, up to the last.
_FIRST_PAUSE, _LAST_PAUSE = 0.5, 10.0

#: How often a query that runs one batch is looked at.
_LOOK = 0.05

#: What Spark says of a query that has nothing to do.
_IDLE = ("Waiting for data to arrive", "Waiting for next trigger")

#: What it says of one that looks for more.
_ASKING = "Getting offsets from"


class Query:
    """A query of a job. `start` makes its stream and starts it; the other methods are for one that was started."""

    def __init__(self, plan: QueryPlan, events: QueryEvents) -> None:
        self.plan = plan
        self.restarts = 0
        self._events = events
        self._written: dict[int, Written] = {}
        self._wakes: dict[str, Mapping[int, BucketState]] = {}
        self._gate = Gate()
        self._seen = -1
        self._closed = False
        self._idle = False
        self._next_start: float | None = None
        self._failed_at, self._failed_in_a_row = -2, 0
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._begun = threading.Event()
        self._stream: Stream
        self._query: StreamingQuery

    @property
    def name(self) -> str:
        return self.plan.name

    def start(self, session: SparkSession) -> None:
        self._stream = make_stream(session, self.plan, self._gate, self._note_written, self._events.on_shown)
        self._resume()
        self._query = self._started()
        self._begun.set()

    def finish_begun(self, session: SparkSession, go_on: Callable[[], None]) -> None:
        """Runs the batch that was begun, and nothing else. The query is over then."""
        self._stream = make_stream(session, self.plan, self._gate, self._note_written, self._events.on_shown, once=True)
        self._resume()
        self._query = self._stream.start()
        self._begun.set()
        try:
            while self._query.isActive:
                go_on()
                time.sleep(_LOOK)
            error = self._query.exception()
            if error is not None:
                raise explain_failure(describe(error), self.plan.checkpoint)
            self.follow()
        finally:
            self.close()
            self.end()

    def _started(self) -> StreamingQuery:
        query: StreamingQuery = self._stream.start()
        if all(spec.is_bounded for spec in self._stream.sources.specs):
            threading.Thread(target=self._await_end, args=(query,), name=f"{self.name}-end", daemon=True).start()
        return query

    def _resume(self) -> None:
        """Tells the sources where the query stood when it was stopped."""
        batch = last_committed(self.plan.checkpoint)
        if batch < 0:
            return
        positions = planned_batch(self.plan.checkpoint, batch).positions
        for number, source in enumerate(self._stream.sources.opened):
            if number in positions:
                source.resume(positions[number])

    def _note_written(self, batch: int, written: Written) -> None:
        self._written[batch] = written
        if self._stream.sources.times:
            self._note_times()

    def _note_times(self) -> None:
        """Notes the event times that the batch has seen. The source is asked for the next batch as soon as this one is done,
        which is before Spark reports it.
        """
        self._begun.wait()
        metrics = observed_in_running_batch(self._query)
        for number, times in self._stream.sources.times.items():
            found = metrics.get(times_name(number))
            # Spark leaves out what stands above a source that has nothing to give.
            if found.isDefined():
                row = found.get()
                times.note({slot: None if row.isNullAt(slot) else row.getLong(slot) for slot in range(row.size())})

    def _await_end(self, query: StreamingQuery) -> None:
        """Waits until there is nothing left to process: then a bounded query has reached its end."""
        try:
            query.processAllAvailable()
        except Exception:  # the query's own exception says why; `failure` reports it
            return
        self._done.set()
        self._events.on_end()

    @property
    def is_done(self) -> bool:
        """Checks whether a bounded query has read everything up to its bound."""
        return self._done.is_set()

    def failure(self) -> FiresteelError | None:
        """Gives the reason why the query failed, if it did. One that failed because of something that passes is started again."""
        if self._closed or self._query.isActive:
            return None
        error = self._query.exception()
        if error is None:
            return None
        failure = explain_failure(describe(error), self.plan.checkpoint)
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
        self._stream.writer.begin_again()
        with self._lock:
            self._query, self._next_start = self._started(), None

    @property
    def is_idle(self) -> bool:
        """Checks whether it has read everything there is, and waits for more."""
        status = status_of(self._query)
        # Between two triggers it asks the source whether there is more.
        self._idle = self._gate.is_free and (status in _IDLE or (self._idle and status.startswith(_ASKING)))
        return self._idle

    @property
    def source_tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(spec.table for spec in self._stream.sources.specs))

    # -- stopping --------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Lets no further batch begin."""
        self._closed = True
        self._gate.close()

    @property
    def is_settled(self) -> bool:
        """Checks whether the last batch is over: written, and kept by Spark as done, so that it is not repeated. Asked once no other
        begins.
        """
        if not self._gate.is_free:
            return False
        if self._gate.passed <= self._seen or not self._query.isActive:
            return True
        last = last_batch(self._query)
        return last is not None and last >= self._gate.passed

    def end(self) -> None:
        """Ends the query. A batch that is not over is torn off; what it left open outside is ended."""
        if not self._begun.is_set():
            return
        failed = self._query.exception() is not None if not self._query.isActive else False
        torn = not self._gate.is_free
        # It may take longer than `spark.sql.streaming.stopTimeout`: the session's end takes it along.
        with suppress(PySparkException):
            self._query.stop()
        if torn or failed:
            self._stream.writer.settle()

    def follow(self) -> None:
        """Reports every batch that has ended since the last call."""
        if not self._begun.is_set():
            return
        with self._lock:
            last = last_batch(self._query)
            if last is None or last <= self._seen:
                return
            for report in reports_since(self._query, self._seen):
                if is_whole(report):
                    self._seen = report["batchId"]
                    self._report(report)

    def _report(self, report: Mapping[str, Any]) -> None:
        batch = report["batchId"]
        written = self._written.pop(batch, Written(0))
        reach(planned_fault(), "m8", batch)
        progress = render_progress(self.name, self.plan.sink.table.name, report, self._stream.sources, written)
        for number, offset in source_offsets(report).items():
            if number not in written.committed:
                self._stream.sources.opened[number].commit(from_json(offset["positions"]))
        if self._stream.sources.alarm is not None:
            self._wakes.update(progress.states)
            wakes = [
                bucket.wake for kept in self._wakes.values() for bucket in kept.values() if bucket.wake is not None
            ]
            self._stream.sources.alarm.set(min(wakes, default=None))
        self._events.on_progress(progress)

    def plan_text(self) -> str:
        """Gives Spark's own physical plan of the last batch."""
        return plan_of_last_batch(self._query)
