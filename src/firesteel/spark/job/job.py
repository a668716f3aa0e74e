"""A job: all INSERTs of a script, running together, with one state and one end."""

from __future__ import annotations

import dataclasses
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.sql import SparkSession

from firesteel.catalog.table import Table
from firesteel.errors import FiresteelError, JobError, UsageError
from firesteel.java import find_java
from firesteel.kafka.admin import check_broker, check_topics, create_topic, most_bytes
from firesteel.kafka.group import GroupPositions, GroupReader
from firesteel.kafka.partition import check_partitioner
from firesteel.kafka.past import find_past
from firesteel.kafka.properties import Role, client_config
from firesteel.kafka.transaction import TransactionLimits, check_timeout, find_limits
from firesteel.kafka.watch import BrokerWatch
from firesteel.observe.progress import Progress, apply, rest
from firesteel.observe.shown import OnShown, print_rows
from firesteel.observe.snapshot import JobSnapshot, State, Waiting
from firesteel.options.kafka import GROUP_ID, SINK_PARTITIONER, TOPIC_PATTERN
from firesteel.options.partitioner import Default
from firesteel.options.setting import (
    CHECKPOINTING_INTERVAL,
    LOCAL_TIME_ZONE,
    MINI_BATCH_ALLOW_LATENCY,
    NOT_NULL_ENFORCER,
    PARALLELISM_DEFAULT,
    RESOURCE_PARALLELISM,
    SOURCE_IDLE_TIMEOUT,
    STATE_BACKEND_TYPE,
    TYPE_LENGTH_ENFORCER,
    LengthEnforcer,
    NotNullEnforcer,
    StateBackend,
)
from firesteel.plan.analyze import Analysis
from firesteel.plan.fact.delivery import is_exactly_once
from firesteel.plan.node.relation import Sink, scans
from firesteel.plan.show.fingerprint import render_state
from firesteel.spark.connector.kafka import dead_letter_topic, subscription, transaction_prefix
from firesteel.spark.connector.port import runtime_of
from firesteel.spark.failure import explained
from firesteel.spark.internals import active
from firesteel.spark.job.checkpoint import Checkpoint
from firesteel.spark.job.query import RunningQuery
from firesteel.spark.place import job_name, log_file, safe_name, spark_settings, state_folder
from firesteel.spark.start.cluster import check_workers
from firesteel.spark.start.death import explain_end
from firesteel.spark.start.early_jvm import Launched
from firesteel.spark.start.jvm import find_jvm, kill_jvm
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
        fresh: bool = False,
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
        self._queries: list[RunningQuery] = []
        self._limits: dict[str, TransactionLimits] = {}
        #: The largest message that a topic takes, where it is known.
        self._most_bytes: dict[str, int] = {}
        self._brokers: BrokerWatch | None = None
        #: The topics of the job, by the configuration of the client that reaches them.
        self._needed: dict[tuple[tuple[str, str], ...], set[str]] = {}
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
        self._check_outside()
        self._go_on()
        if not self._fresh and not self.checkpoint.exists:
            self._check_past()
        self._cold = self._given is None and SparkSession.getActiveSession() is None
        if self._cold:
            find_java()
        plans = {name: render_state(sink) for name, sink in self._named_sinks()}
        self.resumed = self.checkpoint.open(plans, fresh=self._fresh)
        self._go_on()
        self._say("starts Spark")
        try:
            self._session = self._open(self._master, self._given, self._launched)
            self._go_on()
            self._say("goes on where it stopped" if self.resumed else "starts its queries")
            with active(self._session):
                self._start()
        except (Py4JError, OSError) as error:
            raise self._lost_jvm(error) from None

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

    def _group_readers(self) -> list[GroupReader]:
        return [
            GroupReader(
                name, number, client_config(scan.table.options.properties, Role.CONSUMER), subscription(scan.table)
            )
            for name, sink in self._named_sinks()
            for number, scan in enumerate(scans(sink))
            if scan.table.options.get(GROUP_ID) is not None
        ]

    def _check_outside(self) -> None:
        """Brokers, topics and the user's own classes, before anything is started."""
        needed = self._needed
        for sink in self.analysis.sinks:
            check_partitioner(sink.table.options.get(SINK_PARTITIONER) or Default())
            for table in (sink.table, *(scan.table for scan in scans(sink))):
                outside = runtime_of(table).topics(table)
                if outside is not None:
                    config, topics = outside
                    needed.setdefault(tuple(sorted(config.items())), set()).update(topics)
        for client, names in needed.items():
            check_broker(dict(client))
            check_topics(dict(client), sorted(names))
            self._go_on()
        for name, sink in self._named_sinks():
            if is_exactly_once(sink.table):
                self._limits[name] = _check_limits(sink.table)
            written = runtime_of(sink.table).topics(sink.table)
            if written is not None:
                self._most_bytes |= most_bytes(dict(written[0]), written[1])
            for scan in scans(sink):
                topic = _prepare_letters(scan.table)
                if topic is not None:
                    self._most_bytes |= most_bytes(client_config(scan.table.options.properties, Role.ADMIN), [topic])

    def _check_past(self) -> None:
        """Who has lost the state of a job would write all of its rows a second time, and not know it."""
        for number, sink in enumerate(self.analysis.sinks, start=1):
            table = sink.table
            if not is_exactly_once(table) or not table.topics:
                continue
            admin, reader = (client_config(table.options.properties, role) for role in (Role.ADMIN, Role.CONSUMER))
            past = find_past(admin, reader, transaction_prefix(table, self.name), number, table.topics[0])
            if past is not None:
                moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(past.millis / 1000))
                raise UsageError(
                    f"This job has written to '{table.topics[0]}' until {moment} (batch {past.batch}), exactly once, and"
                    f" its state is not in '{self.checkpoint.folder}'.",
                    hint="Bring the state back, or start over with --fresh, which writes everything again. Another job"
                    " of the same name wants another 'sink.transactional-id-prefix'.",
                )

    def _open(self, master: str | None, session: SparkSession | None, launched: Launched | None) -> SparkSession:
        asked = spark_settings(self.analysis)
        shared = session or open_session(master, asked, log_file(self._state), launched=launched)
        check_workers(shared)
        asked_tasks = self.analysis.setting(RESOURCE_PARALLELISM) or self.analysis.setting(PARALLELISM_DEFAULT)
        parallelism = asked_tasks or shared.sparkContext.defaultParallelism
        settings = {
            "spark.sql.shuffle.partitions": str(parallelism),
            "spark.sql.streaming.stateStore.providerClass": _PROVIDERS[self._backend],
            "spark.sql.session.timeZone": self.analysis.setting(LOCAL_TIME_ZONE) or "UTC",
            **{key: value for key, value in asked.items() if key.startswith("spark.sql.")},
        }
        return job_session(shared, settings)

    @property
    def _backend(self) -> StateBackend:
        return self.analysis.setting(STATE_BACKEND_TYPE) or StateBackend.HASHMAP

    @explained()
    def _start(self) -> None:
        interval = self.analysis.setting(CHECKPOINTING_INTERVAL) or self.analysis.setting(MINI_BATCH_ALLOW_LATENCY)
        drop_nulls = self.analysis.setting(NOT_NULL_ENFORCER) is NotNullEnforcer.DROP
        idle = self.analysis.setting(SOURCE_IDLE_TIMEOUT)
        lengths = self.analysis.setting(TYPE_LENGTH_ENFORCER)
        groups = GroupPositions(self._group_readers())
        for number, (name, sink) in enumerate(self._named_sinks(), start=1):
            self._queries.append(
                RunningQuery(
                    self._session,
                    name,
                    sink,
                    self.checkpoint.query_folder(name),
                    job=self.name,
                    number=number,
                    limits=self._limits.get(name, TransactionLimits()),
                    interval_ms=int(interval.total_seconds() * 1000) if interval else 0,
                    drop_nulls=drop_nulls,
                    trim_pad=lengths is LengthEnforcer.TRIM_PAD,
                    check_lengths=lengths is LengthEnforcer.ERROR,
                    on_progress=self._note,
                    on_end=self._news.set,
                    on_shown=lambda shown: self.on_shown(shown),
                    groups=groups,
                    most_bytes=self._most_bytes,
                    idle_seconds=idle.total_seconds() if idle else 0.0,
                    cold=self._cold,
                    in_rocksdb=self._backend is StateBackend.ROCKSDB,
                )
            )
            self._go_on()
        self._brokers = BrokerWatch(self._needed)
        threading.Thread(target=self._watch, name=f"{self.name}-watch", daemon=True).start()

    # -- running ---------------------------------------------------------------------------------------------------

    def _note(self, progress: Progress) -> None:
        with self._lock:
            self._snapshot = apply(self._snapshot, progress)

    def _say(self, doing: str) -> None:
        """The job turns to something else."""
        with self._lock:
            self._snapshot = dataclasses.replace(self._snapshot, doing=doing, updated=time.time())

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
            self._failure = self._lost_jvm(error)
        finally:
            self._end(state)

    def _follow(self) -> None:
        """Until all queries are done, one has failed, or the job is to stop."""
        while not self._stopping.is_set():
            self._news.wait(_TICK)
            self._news.clear()
            self._check_jvm()
            for query in self._queries:
                query.follow()
                failure = query.failure()
                if failure is not None:
                    raise failure
            if all(query.is_done for query in self._queries):
                return
            self._look_around()

    def _look_around(self) -> None:
        """What there is to say when no batch ends."""
        now = time.time()
        with self._lock:
            known = self._snapshot
        if known.last_batch is None or now - known.last_batch > _QUIET_SECONDS:
            resting = [query for query in self._queries if query.is_idle]
            idle = len(resting) == len(self._queries)
            # A source that cannot reach its broker looks as if it had nothing to read.
            absence = self._brokers.look() if self._brokers is not None else None
            trouble = Waiting(absence.since, absence.broker, absence.why) if absence is not None else None
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

    def _check_jvm(self) -> None:
        process = find_jvm()
        if process is not None and process.poll() is not None:
            raise JobError(explain_end(session_log(), process.returncode))

    def _lost_jvm(self, error: Exception) -> FiresteelError:
        """The error to show when a call to the JVM fails: mostly it has ended, which shows a moment later."""
        process = find_jvm()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
            if process.poll() is not None:
                return JobError(explain_end(session_log(), process.returncode))
        if isinstance(error, Py4JNetworkError | OSError):
            return JobError("Spark's JVM does not answer any more: it has ended, or its SparkContext was stopped.")
        return JobError(f"The job cannot be followed any more: {_first_line(error)}")

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
                self._check_jvm()
                time.sleep(0.02)
        if waiting:
            with self._lock:
                self._snapshot = dataclasses.replace(self._snapshot, torn=len(waiting))

    def _end(self, state: State) -> None:
        """Whatever happens here, the job has ended afterwards."""
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
        """The lock goes, and everybody who waits is told. The first who says how it ended is right."""
        with self._ending:
            if self._ended.is_set():
                return
            try:
                if self._brokers is not None:
                    self._brokers.stop()
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
        """What is known about the job now."""
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
        """As `stop`, and returns at once."""
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

    @property
    def failure(self) -> FiresteelError | None:
        return self._failure

    @property
    def log(self) -> Path | None:
        """Where Spark's own log is."""
        return session_log()

    def spark_plans(self) -> dict[str, str]:
        """Spark's physical plan of each query's last batch, by query."""
        return {query.name: query.plan_text() for query in self._queries}


class _StoppedEarly(Exception):
    """The job was to stop before it ran."""


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _check_limits(table: Table) -> TransactionLimits:
    limits = find_limits(client_config(table.options.properties, Role.ADMIN))
    asked = client_config(table.options.properties, Role.PRODUCER).get("transaction.timeout.ms")
    check_timeout(limits, int(asked) if asked else None)
    return limits


def _prepare_letters(table: Table) -> str | None:
    """The topic of a table's bad records, made if it is not there. It cannot be one that the table reads."""
    topic = dead_letter_topic(table)
    if topic is None:
        return None
    pattern = table.options.get(TOPIC_PATTERN)
    if pattern is not None and pattern.fullmatch(topic):
        raise UsageError(
            f"'error-handling.log.target' of '{table.name}' is '{topic}', which its 'topic-pattern' matches: bad records"
            " would be read again for ever.",
            hint="Choose a topic that the pattern does not match.",
        )
    config = client_config(table.options.properties, Role.ADMIN)
    create_topic(config, topic, ignore_existing=True)
    return topic
