"""Runs a job: all INSERTs of a script together, with one state and one end."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from firesteel.errors import FiresteelError, UsageError
from firesteel.java import find_java
from firesteel.observe.progress import Progress, apply, rest
from firesteel.observe.shown import OnShown, print_rows
from firesteel.observe.snapshot import JobSnapshot, State
from firesteel.options.setting import LOCAL_TIME_ZONE, STATE_BACKEND_TYPE, StateBackend
from firesteel.plan.analyze import Analysis
from firesteel.plan.fact.keyed import uses_engine
from firesteel.plan.node.relation import Sink
from firesteel.plan.show.fingerprint import render_state
from firesteel.spark.connector.runtimes import Runtimes
from firesteel.spark.failure import explained
from firesteel.spark.internals import active
from firesteel.spark.job.checkpoint import Checkpoint, Fresh
from firesteel.spark.job.kept_positions import kept_reader
from firesteel.spark.job.move import asked_tasks, laid_out, usual_layout
from firesteel.spark.job.query import Query
from firesteel.spark.job.query_plan import QueryEvents, QueryPlan, query_settings
from firesteel.spark.memory import memory_settings
from firesteel.spark.place import job_name, log_file, safe_name, spark_settings, state_folder
from firesteel.spark.rescale.layout import check_rescale, store_format
from firesteel.spark.start.cluster import check_workers
from firesteel.spark.start.early_jvm import Launched
from firesteel.spark.start.jvm import kill_jvm
from firesteel.spark.start.lost_jvm import check_jvm, explain_lost_jvm
from firesteel.spark.start.session import job_session, open_session, session_log
from firesteel.storage.local import LocalFolder

_PROVIDERS = {
    StateBackend.HASHMAP: "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    StateBackend.ROCKSDB: "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}

#: How often the queries are looked at.
_TICK = 0.1

#: How long a stop lets the running batch end, if nobody says otherwise: service managers wait for 30 s and more.
STOP_SECONDS = 25.0
#: How much longer ending may take before the JVM is killed.
_GRACE = 4.0

#: A job that has ended no batch for so long may be waiting for a broker.
_QUIET_SECONDS = 3.0


class Job:
    """A job. `begin` starts it and returns when it runs; `wait` returns when it has ended and raises when it failed; `stop` ends
    it, from any thread and at any time.
    """

    def __init__(
        self,
        analysis: Analysis,
        *,
        name: str | None = None,
        folder: Path,
        fresh: Fresh = False,
        master: str | None = None,
        session: SparkSession | None = None,
        launched: Launched | None = None,
    ) -> None:
        analysis.raise_errors()
        if not analysis.sinks:
            raise UsageError(f"'{analysis.source.name}' has no INSERT INTO, so there is nothing to run.")
        self.analysis = analysis
        self.name = job_name(analysis, name)
        self._state = state_folder(analysis, folder, self.name)
        self.checkpoint = Checkpoint(LocalFolder(str(self._state)))
        self.resumed = False
        #: To how many tasks the state was dealt anew before the job went on.
        self.moved_to: int | None = None
        self._tasks: int | None = None
        self._fresh = fresh
        self._master = master
        self._given = session
        self._launched = launched
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._stop_by = 0.0
        #: Something has happened that the watcher need not wait for.
        self._news = threading.Event()
        self._ended = threading.Event()
        self._ending = threading.Lock()
        self._failure: FiresteelError | None = None
        #: Gets the rows of `print` tables, from the thread of a batch.
        self.on_shown: OnShown = print_rows
        self._queries: list[Query] = []
        self._runtimes = Runtimes(self.name, self._named_sinks())
        warnings = tuple(problem.message for problem in analysis.warnings)
        self._snapshot = JobSnapshot(
            self.name, started=time.time(), checkpoint=str(self.checkpoint.folder), warnings=warnings
        )

    # -- starting --------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Starts the job and returns when its queries run. Raises what stands in its way, and has left nothing behind then."""
        try:
            self._begin()
        except _StoppedEarly:
            self._abandon_start()
            self._finish(State.STOPPED)
        except BaseException as error:
            self._abandon_start()
            self._failure = error if isinstance(error, FiresteelError) else None
            self._finish(State.FAILED)
            raise

    def _begin(self) -> None:
        self._say("looks for the brokers")
        self._runtimes.check_outside(self._go_on)
        self._go_on()
        if self._fresh is not True and not self.checkpoint.exists:
            self._runtimes.check_earlier_runs(str(self.checkpoint.folder))
        self._cold = self._given is None and SparkSession.getActiveSession() is None
        if self._cold:
            find_java()
        plans = {name: render_state(sink) for name, sink in self._named_sinks()}
        self.resumed = self.checkpoint.open(
            plans, fresh=self._fresh, read_kept=kept_reader(self._runtimes, self._named_sinks())
        )
        self._tasks = asked_tasks(self.analysis)
        for name in plans:
            check_rescale(self.checkpoint.query_folder(name), self._tasks)
        self._go_on()
        self._say("starts Spark")
        try:
            self._session = self._open(self._master, self._given, self._launched)
            self._go_on()
            self._say("goes on where it stopped" if self.resumed else "starts its queries")
            with active(self._session):
                self._start()
        except (Py4JError, OSError) as error:
            raise explain_lost_jvm(error) from None

    def _go_on(self) -> None:
        if self._stopping.is_set():
            raise _StoppedEarly

    def _abandon_start(self) -> None:
        for query in self._queries:
            query.close()
        for query in self._queries:
            with suppress(Exception):
                query.end()
        if self._launched is not None:
            self._launched.abandon()

    def _named_sinks(self) -> list[tuple[str, Sink]]:
        return [
            (f"{number}-{safe_name(sink.table.name)}", sink) for number, sink in enumerate(self.analysis.sinks, start=1)
        ]

    def _open(self, master: str | None, session: SparkSession | None, launched: Launched | None) -> SparkSession:
        asked = spark_settings(self.analysis)
        shared = session or open_session(master, asked, log_file(self._state), launched=launched)
        check_workers(shared)
        queries = [self.checkpoint.query_folder(name) for name, _ in self._named_sinks()]
        form = store_format(queries, in_rocksdb=self._backend is StateBackend.ROCKSDB)
        settings = {
            **memory_settings(self.analysis, shared),
            "spark.sql.shuffle.partitions": str(self._tasks or shared.sparkContext.defaultParallelism),
            "spark.sql.streaming.stateStore.providerClass": _PROVIDERS[self._backend],
            "spark.sql.streaming.stateStore.checkpointFormatVersion": str(form),
            "spark.sql.session.timeZone": self.analysis.setting(LOCAL_TIME_ZONE) or "UTC",
            **{key: value for key, value in asked.items() if key.startswith("spark.sql.")},
        }
        return job_session(shared, settings)

    @property
    def _backend(self) -> StateBackend:
        if any(map(uses_engine, self.analysis.sinks)):
            # The state engine keeps its blobs there: Spark's hash map would hold all of them in memory, and its files in one.
            return StateBackend.ROCKSDB
        return self.analysis.setting(STATE_BACKEND_TYPE) or StateBackend.HASHMAP

    @explained()
    def _start(self) -> None:
        settings = query_settings(self.analysis, cold=self._cold, in_rocksdb=self._backend is StateBackend.ROCKSDB)
        events = QueryEvents(self._note, self._news.set, lambda shown: self.on_shown(shown))
        for number, (name, sink) in enumerate(self._named_sinks(), start=1):
            folder = self.checkpoint.query_folder(name)
            layout, kept = usual_layout(self._session), self.checkpoint.kept(name)
            plan = QueryPlan(name, number, sink, folder, settings, self._runtimes, layout, kept)
            query = Query(laid_out(self._session, plan, events, self._tasks, self._note_move, self._go_on), events)
            self._queries.append(query)
            query.start(self._session)
            self._go_on()
        threading.Thread(target=self._watch, name=f"{self.name}-watch", daemon=True).start()

    # -- running ---------------------------------------------------------------------------------------------------

    def _note(self, progress: Progress) -> None:
        with self._lock:
            self._snapshot = apply(self._snapshot, progress)

    def _say(self, doing: str) -> None:
        """Notes what the job turns to."""
        with self._lock:
            self._snapshot = dataclasses.replace(self._snapshot, doing=doing, updated=time.time())

    def _note_move(self, tasks: int) -> None:
        self.moved_to = tasks
        self._say(f"deals its state anew to {tasks} task{'' if tasks == 1 else 's'}")

    def _watch(self) -> None:
        state = State.FAILED
        try:
            self._follow()
            if self._stopping.is_set():
                self._stop_queries()
                state = State.STOPPED
            else:
                state = State.FINISHED
        except FiresteelError as failure:
            self._failure = failure
        except Exception as error:
            self._failure = explain_lost_jvm(error)
        finally:
            self._end(state)

    def _follow(self) -> None:
        """Follows the queries until all are done, one has failed, or the job is to stop."""
        while not self._stopping.is_set():
            self._news.wait(_TICK)
            self._news.clear()
            check_jvm()
            for query in self._queries:
                query.follow()
                failure = query.failure()
                if failure is not None:
                    raise failure
            if all(query.is_done for query in self._queries):
                return
            self._look_around()

    def _look_around(self) -> None:
        """Reports what is known when no batch ends: that the job is idle, or waits for a server."""
        now = time.time()
        with self._lock:
            known = self._snapshot
        if known.last_batch is None or now - known.last_batch > _QUIET_SECONDS:
            resting = [query for query in self._queries if query.is_idle]
            idle = len(resting) == len(self._queries)
            # A source that cannot reach its broker looks as if it had nothing to read.
            trouble = self._runtimes.look()
            read = [(query.name, table) for query in resting for table in query.source_tables]
            with self._lock:
                self._snapshot = rest(self._snapshot, () if trouble else read, idle, trouble)
        elif known.waiting is not None:
            with self._lock:
                self._snapshot = dataclasses.replace(self._snapshot, waiting=None)
        restarts = sum(query.restarts for query in self._queries)
        if restarts != known.restarts:
            with self._lock:
                self._snapshot = dataclasses.replace(self._snapshot, restarts=restarts)

    # -- ending ----------------------------------------------------------------------------------------------------

    def _stop_queries(self) -> None:
        """Lets every batch that has begun end, with Spark's note that it is done, while there is time."""
        self._set_state(State.STOPPING)
        self._say("lets the running batch end")
        for query in self._queries:
            query.close()
        waiting = list(self._queries)
        while waiting and time.monotonic() < self._stop_by:
            waiting = [query for query in waiting if not query.is_settled]
            if waiting:
                check_jvm()
                time.sleep(0.02)
        if waiting:
            with self._lock:
                self._snapshot = dataclasses.replace(self._snapshot, torn=len(waiting))

    def _end(self, state: State) -> None:
        """Ends the queries. Whatever happens here, the job has ended afterwards."""
        try:
            for query in self._queries:
                query.close()
            for query in self._queries:
                # The last report of a query may be lost, the job is not.
                with suppress(Exception):
                    query.end()
                with suppress(Exception):
                    query.follow()
        finally:
            self._finish(state)

    def _finish(self, state: State) -> None:
        """Releases the lock and wakes everybody who waits. The first call decides how the job has ended."""
        with self._ending:
            if self._ended.is_set():
                return
            try:
                self._runtimes.close()
                with suppress(OSError):
                    self.checkpoint.close()
                self._set_state(state)
            finally:
                self._ended.set()

    def _set_state(self, state: State) -> None:
        error = self._failure.message if self._failure and state is State.FAILED else None
        with self._lock:
            self._snapshot = dataclasses.replace(
                self._snapshot, state=state, updated=time.time(), error=error, doing="", waiting=None
            )

    # -- for those who hold it -------------------------------------------------------------------------------------

    def snapshot(self) -> JobSnapshot:
        """Gives what is known about the job now."""
        with self._lock:
            if not self._snapshot.state.is_over:
                return dataclasses.replace(self._snapshot, updated=time.time())
            return self._snapshot

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """Ends the job; started again, it goes on where it stopped. The batch that runs ends first, or is torn off when the time
        is up: then it is repeated. Returns when the job has ended.
        """
        self.request_stop(timeout)
        self._ended.wait()

    def request_stop(self, timeout: float = STOP_SECONDS) -> None:
        """Ends the job as `stop` does, and returns at once."""
        by = time.monotonic() + timeout
        self._stop_by = min(by, self._stop_by) if self._stopping.is_set() else by
        self._stopping.set()
        self._news.set()
        guard = threading.Timer(timeout + _GRACE, self.tear)
        guard.daemon = True
        guard.start()

    def tear(self) -> None:
        """Ends the job at once, whatever it is doing. A batch that has not ended is repeated when the job is started again."""
        if self._ended.is_set():
            return
        self._stopping.set()
        with self._lock:
            self._snapshot = dataclasses.replace(self._snapshot, torn=max(1, self._snapshot.torn))
        if self._given is None:
            if self._launched is not None:
                self._launched.abandon()
            kill_jvm()
        self._finish(State.STOPPED)

    def wait(self, timeout: float | None = None, on_tick: Callable[[JobSnapshot], None] | None = None) -> bool:
        """Waits for the end: True when the job has ended, False when the time is up. Raises what made it fail."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._ended.wait(0.2 if deadline is None else min(0.2, max(0.0, deadline - time.monotonic()))):
            if on_tick is not None:
                on_tick(self.snapshot())
            if deadline is not None and time.monotonic() >= deadline:
                return False
        if self._failure is not None:
            raise self._failure
        return True

    def release(self) -> None:
        """Closes the connections that are kept for further jobs of this process. It is called before the process ends."""
        self._runtimes.release()

    @property
    def failure(self) -> FiresteelError | None:
        return self._failure

    @property
    def log(self) -> Path | None:
        """Gives the path of Spark's own log."""
        return session_log()

    def spark_plans(self) -> dict[str, str]:
        """Gives Spark's physical plan of each query's last batch, by query."""
        return {query.name: query.plan_text() for query in self._queries}


class _StoppedEarly(Exception):
    """The job was to stop before it ran."""
