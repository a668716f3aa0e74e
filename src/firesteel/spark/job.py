"""A job: all INSERTs of a script, running together, with one state and one end."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from firesteel.catalog.table import Table
from firesteel.errors import FiresteelError, JobError, UsageError
from firesteel.java import find_java
from firesteel.kafka.admin import check_broker, check_topics, create_topic
from firesteel.kafka.partition import check_partitioner
from firesteel.kafka.past import find_past
from firesteel.kafka.properties import Role, client_config
from firesteel.kafka.transaction import TransactionLimits, check_timeout, find_limits
from firesteel.observe.progress import Progress, apply
from firesteel.observe.snapshot import JobSnapshot, State
from firesteel.options.kafka import SINK_PARTITIONER, TOPIC_PATTERN
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
from firesteel.plan.delivery import is_exactly_once
from firesteel.plan.fingerprint import render_state
from firesteel.plan.node import Sink, scans
from firesteel.spark.bind import dead_letter_topic, transaction_prefix
from firesteel.spark.checkpoint import Checkpoint
from firesteel.spark.cluster import check_workers
from firesteel.spark.launch import Launched
from firesteel.spark.place import job_name, log_file, safe_name, spark_settings, state_folder
from firesteel.spark.query import RunningQuery
from firesteel.spark.session import active, job_session, open_session, session_log

_PROVIDERS = {
    StateBackend.HASHMAP: "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    StateBackend.ROCKSDB: "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}

#: How often the queries are looked at.
_TICK = 0.1


class Job:
    """A job that runs. `wait` returns when it has ended and raises when it failed; `stop` ends it."""

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
        self.checkpoint = Checkpoint(state_folder(analysis, folder, self.name))
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        #: Something has happened that the watcher need not wait for.
        self._news = threading.Event()
        self._ended = threading.Event()
        self._failure: FiresteelError | None = None
        self._queries: list[RunningQuery] = []
        self._limits: dict[str, TransactionLimits] = {}
        warnings = tuple(problem.message for problem in analysis.warnings)
        self._snapshot = JobSnapshot(
            self.name, started=time.time(), checkpoint=str(self.checkpoint.folder), warnings=warnings
        )
        self._check_outside()
        if not fresh and not self.checkpoint.exists:
            self._check_past()
        self._cold = session is None and SparkSession.getActiveSession() is None
        if self._cold:
            find_java()
        plans = {name: render_state(sink) for name, sink in self._named_sinks()}
        self.resumed = self.checkpoint.open(plans, fresh=fresh)
        try:
            self._session = self._open(master, session, launched)
            with active(self._session):
                self._start()
        except BaseException:
            self.checkpoint.close()
            raise

    # -- starting --------------------------------------------------------------------------------------------------

    def _named_sinks(self) -> list[tuple[str, Sink]]:
        return [
            (f"{number}-{safe_name(sink.table.name)}", sink) for number, sink in enumerate(self.analysis.sinks, start=1)
        ]

    def _check_outside(self) -> None:
        """Brokers, topics and the user's own classes, before anything is started."""
        needed: dict[tuple[tuple[str, str], ...], set[str]] = {}
        for sink in self.analysis.sinks:
            check_partitioner(sink.table.options.get(SINK_PARTITIONER) or Default())
            for table in (sink.table, *(scan.table for scan in scans(sink))):
                config = tuple(sorted(client_config(table.options.properties, Role.ADMIN).items()))
                needed.setdefault(config, set()).update(table.topics)
        for config, topics in needed.items():
            check_broker(dict(config))
            check_topics(dict(config), sorted(topics))
        for name, sink in self._named_sinks():
            if is_exactly_once(sink.table):
                self._limits[name] = _check_limits(sink.table)
            for scan in scans(sink):
                _prepare_letters(scan.table)

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
        shared = session or open_session(master, asked, log_file(self.checkpoint.folder), launched=launched)
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

    def _start(self) -> None:
        interval = self.analysis.setting(CHECKPOINTING_INTERVAL) or self.analysis.setting(MINI_BATCH_ALLOW_LATENCY)
        drop_nulls = self.analysis.setting(NOT_NULL_ENFORCER) is NotNullEnforcer.DROP
        idle = self.analysis.setting(SOURCE_IDLE_TIMEOUT)
        lengths = self.analysis.setting(TYPE_LENGTH_ENFORCER)
        try:
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
                        idle_seconds=idle.total_seconds() if idle else 0.0,
                        cold=self._cold,
                        in_rocksdb=self._backend is StateBackend.ROCKSDB,
                    )
                )
        except BaseException:
            for query in self._queries:
                query.stop()
            raise
        self._watcher = threading.Thread(target=self._watch, name=f"{self.name}-watch", daemon=True)
        self._watcher.start()

    # -- running ---------------------------------------------------------------------------------------------------

    def _note(self, progress: Progress) -> None:
        with self._lock:
            self._snapshot = apply(self._snapshot, progress)

    def _watch(self) -> None:
        try:
            while not self._stopping.is_set():
                self._news.wait(_TICK)
                self._news.clear()
                for query in self._queries:
                    query.follow()
                    failure = query.failure()
                    if failure is not None:
                        raise failure
                if all(query.is_done for query in self._queries):
                    break
            if self._stopping.is_set():
                self._set_state(State.STOPPING)
        except FiresteelError as failure:
            self._failure = failure
        except Exception as error:
            self._failure = JobError(f"The job cannot be followed any more: {error}")
        finally:
            self._end()

    def _end(self) -> None:
        for query in self._queries:
            query.stop()
        for query in self._queries:
            try:
                query.follow()
            except Exception:
                # The last report is lost, the job is not.
                continue
        self.checkpoint.close()
        stopped = State.STOPPED if self._stopping.is_set() else State.FINISHED
        self._set_state(State.FAILED if self._failure else stopped)
        self._ended.set()

    def _set_state(self, state: State) -> None:
        error = self._failure.message if self._failure and state is State.FAILED else None
        with self._lock:
            self._snapshot = dataclasses.replace(self._snapshot, state=state, updated=time.time(), error=error)

    # -- for those who hold it -------------------------------------------------------------------------------------

    def snapshot(self) -> JobSnapshot:
        """What is known about the job now."""
        with self._lock:
            if self._snapshot.state in (State.STARTING, State.RUNNING):
                return dataclasses.replace(self._snapshot, updated=time.time())
            return self._snapshot

    def stop(self, timeout: float | None = 60.0) -> None:
        """Ends the job; started again, it goes on where it stopped."""
        self._stopping.set()
        self._news.set()
        self._ended.wait(timeout)

    def wait(self, timeout: float | None = None, on_tick: Callable[[JobSnapshot], None] | None = None) -> bool:
        """Waits for the end: True when the job has ended, False when the time is up. Raises what made it fail."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._ended.wait(0.2):
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


def _check_limits(table: Table) -> TransactionLimits:
    limits = find_limits(client_config(table.options.properties, Role.ADMIN))
    asked = client_config(table.options.properties, Role.PRODUCER).get("transaction.timeout.ms")
    check_timeout(limits, int(asked) if asked else None)
    return limits


def _prepare_letters(table: Table) -> None:
    """The topic of a table's bad records, made if it is not there. It cannot be one that the table reads."""
    topic = dead_letter_topic(table)
    if topic is None:
        return
    pattern = table.options.get(TOPIC_PATTERN)
    if pattern is not None and pattern.fullmatch(topic):
        raise UsageError(
            f"'error-handling.log.target' of '{table.name}' is '{topic}', which its 'topic-pattern' matches: bad records"
            " would be read again for ever.",
            hint="Choose a topic that the pattern does not match.",
        )
    config = client_config(table.options.properties, Role.ADMIN)
    create_topic(config, topic, ignore_existing=True)
