"""Opens the Spark session: quiet, on loopback only, with its log in a file."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import SparkSession

from firesteel.errors import OutsideError, UsageError
from firesteel.java import find_java
from firesteel.spark.internals import (
    has_gateway,
    jvm_of,
    launch_gateway,
    silence_accumulators,
    use_gateway,
    write_no_checksums,
)
from firesteel.spark.place import open_log
from firesteel.spark.start.callback import guard_callbacks
from firesteel.spark.start.cluster import check_master
from firesteel.spark.start.configuration import (
    PROPERTIES,
    configuration,
    named_folders,
    start_variables,
    write_properties,
)
from firesteel.spark.start.early_jvm import Launched
from firesteel.spark.start.fast import hasten, is_fast
from firesteel.spark.start.jvm import find_jvm, stand_apart
from firesteel.spark.start.log import keep_small
from firesteel.spark.start.master import is_local
from firesteel.spark.start.scratch import PRIVATE, Folders, make_folders, sweep
from firesteel.spark.start.spark_home import use_home

#: The log of this process's session; None if there is no session of ours.
_log: Path | None = None


def session_log() -> Path | None:
    return _log


def open_session(
    master: str | None,
    settings: Mapping[str, str],
    log: Path,
    jvm_option: str | None = None,
    launched: Launched | None = None,
) -> SparkSession:
    """Returns this process's session, and starts it if there is none. `settings` that need a new JVM, `log` and
    `jvm_option` only apply in that case; the option replaces those for the archive of classes. `launched` is the JVM if
    it runs already, and has its settings.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    find_java()
    check_master(master)
    _quieten()
    _choose_python(master)
    folders = launched.folders if launched is not None else make_folders(named_folders(settings))
    conf = (
        launched.conf
        if launched is not None
        else configuration(master, settings, folders, jvm_option if is_fast(master) or jvm_option else "")
    )
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    global _log
    _log = log
    with _HeldSignals(), _Redirected(_log), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if launched is not None:
                launched.connect()
            _start_jvm(conf, folders)
            session = builder.getOrCreate()
        except (PySparkException, Py4JError) as error:
            # If no executor starts, the cluster ends the session while it is starting.
            raise OutsideError(
                f"Spark does not start at '{master or 'local'}': {_first_cause(str(error))}.",
                hint=f"Spark's log: {log}",
            ) from None
    if is_local(master):
        write_no_checksums(session)
    if is_fast(master):
        hasten(session, log)
    keep_small(log)
    guard_callbacks(session)
    _remove_at_end(session, folders)
    parents = [folder.parent for folder in folders.all()]
    threading.Thread(target=sweep, args=(parents,), name="firesteel-sweep", daemon=True).start()
    silence_accumulators(session)
    return session


def _choose_python(master: str | None) -> None:
    """Makes workers on this machine run our Python, or they would import from another one. On a cluster Python may be
    elsewhere, and the user's choice counts.
    """
    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
        if is_local(master):
            os.environ[name] = sys.executable
        else:
            os.environ.setdefault(name, sys.executable)
    if is_fast(master):
        use_home()


def _start_jvm(conf: Mapping[str, str], folders: Folders) -> None:
    """Starts the JVM in PySpark's way, unless there is one. It gets its settings in a file that nobody else can read."""
    if has_gateway():
        return
    # Arguments that the user sets for Spark's script override ours.
    words = os.environ.get(_SUBMIT_WORDS, "pyspark-shell")
    arguments = f"--properties-file {shlex.quote(str(write_properties(conf, folders)))} --load-spark-defaults {words}"
    with _environment({**start_variables(folders), _SUBMIT_WORDS: arguments}):
        gateway: Any = _launch_apart()
    folders.claim(gateway.proc.pid)
    use_gateway(gateway)


def _launch_apart() -> Any:
    """Starts the JVM as PySpark does, but ignoring signals, which PySpark has no setting for."""

    def start(command: list[str], **words: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, **{**words, "umask": PRIVATE, "preexec_fn": stand_apart})

    return launch_gateway(start)


_SUBMIT_WORDS = "PYSPARK_SUBMIT_ARGS"


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _remove_at_end(session: SparkSession, folders: Folders) -> None:
    """Makes the JVM remove the folders, which ends in order even if its Python process is killed. This process removes
    them if the JVM has ended.
    """
    atexit.register(_remove_left, folders)
    jvm = jvm_of(session)
    (folders.scratch / PROPERTIES).unlink(missing_ok=True)
    for folder in folders.all():
        jvm.org.apache.spark.util.ShutdownHookManager.registerShutdownDeleteDir(jvm.java.io.File(str(folder)))


def _remove_left(folders: Folders) -> None:
    process = find_jvm()
    if process is not None and process.poll() is not None:
        folders.remove()


def _first_cause(text: str) -> str:
    """Finds the first cause in the text of an error.

    >>> _first_cause("An error occurred while calling None.X.\\n: java.lang.IllegalStateException: It is stopped.\\nThis …")
    'It is stopped'
    """
    found = re.search(r"(?:Exception|Error): ([^\n]+)", text)
    return (found[1] if found else text.strip().split("\n")[0]).rstrip(".")


def _quieten() -> None:
    """Keeps PySpark from printing errors of a query to standard error, as JSON, beside our message."""
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger", "py4j"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # Py4j logs a lost JVM with the root logger.
    if _is_not_of_py4j not in logging.getLogger().filters:
        logging.getLogger().addFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


class _HeldSignals:
    """Delays Ctrl-C and SIGTERM while the JVM starts, and passes them on afterwards.

    An interrupted start leaves a JVM behind: its main thread ends and another one keeps it alive. Spark also replaces
    the caller's handler for Ctrl-C, which is restored here.
    """

    _NUMBERS = (signal.SIGINT, signal.SIGTERM)

    def __enter__(self) -> None:
        self._received: list[int] = []
        self._before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for number in self._NUMBERS:
                self._before[number] = signal.signal(number, lambda got, frame: self._received.append(got))

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for number in self._received:
            signal.raise_signal(number)


class _Redirected:
    """Redirects standard error to a file inside the block: the JVM and its workers inherit the descriptor."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        sys.stderr.flush()
        try:
            file = open_log(self._path)
        except OSError as error:
            raise UsageError(f"Spark's log cannot be written to '{self._path}': {error.strerror or error}.") from None
        self._kept = os.dup(2)
        os.dup2(file, 2)
        os.close(file)

    def __exit__(self, *_: object) -> None:
        sys.stderr.flush()
        os.dup2(self._kept, 2)
        os.close(self._kept)


def job_session(session: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """Returns a session of the job's own on the same Spark, whose settings do not affect others."""
    own = session.newSession()
    for key, value in {**_SQL_SETTINGS, **settings}.items():
        own.conf.set(key, value)
    return own


_SQL_SETTINGS = {
    # Flink's names are case-sensitive.
    "spark.sql.caseSensitive": "true",
    # A text that is not a number, a division by zero and an overflow are errors, not NULL.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.streaming.metricsEnabled": "false",
    # Our plans are correct (`spark/lower/window.py`), but Spark's checks only accept plans in its own form.
    "spark.sql.streaming.unsupportedOperationCheck": "false",
    "spark.sql.streaming.statefulOperator.checkCorrectness.enabled": "false",
    # Keep only one version of the state in memory. By default Spark's hash map also keeps the one before the last
    # batch, for a batch that runs again. That version is in files too, which take longer to read, but for a table of
    # millions of keys it costs garbage collection in every batch.
    "spark.sql.streaming.maxBatchesToRetainInMemory": "1",
    # A job goes on from its last batches only. Spark's default keeps what was written in a hundred: many times what is alive.
    "spark.sql.streaming.minBatchesToRetain": "10",
    # RocksDB then stores the changes of each batch instead of whole files, and no key is looked up only to count it.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    # Spark's default of 8 MB holds the blocks of a few 10,000 keys.
    "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB": "64",
    "spark.sql.timeType.enabled": "true",
    # The last value of a repeated key in a map counts, as in Flink.
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # How long Spark waits before it looks for data again.
    "spark.sql.streaming.pollingDelay": "50ms",
    "spark.sql.streaming.numRecentProgressUpdates": "50",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # With smaller batches a writer starts with the first rows while others are computed. With Spark's default of 64 MB
    # it waits for all of them.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(4 * 1024 * 1024),
    # The plan of a micro-batch is small and known: adapting it takes longer than it saves.
    "spark.sql.adaptive.enabled": "false",
    # A union whose inputs are dealt alike would run both in one task, where Spark takes the state of the second for that of the first.
    "spark.sql.unionOutputPartitioning": "false",
}
