"""The Spark session: quiet, on this machine's loopback, its noise in a file."""

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

#: Where the log of this process's session is; None while there is no session of ours.
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
    """This process's session, started if there is none. Settings that need a new JVM, `log` and `jvm_option` apply only
    then; the option stands in the place of those that use the archive of classes. `launched` is the JVM, if it runs already,
    and was told its settings.
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
            # A cluster on which no executor starts ends the session in the middle of its start.
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
    """Workers on this machine run the Python that runs us, or they would import from another one. On those of a cluster it may be
    elsewhere, and the user's word counts.
    """
    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
        if is_local(master):
            os.environ[name] = sys.executable
        else:
            os.environ.setdefault(name, sys.executable)
    if is_fast(master):
        use_home()


def _start_jvm(conf: Mapping[str, str], folders: Folders) -> None:
    """Starts it in PySpark's way, unless it is there. It is told its settings by a file, which nobody else can read."""
    if has_gateway():
        return
    # Words that the user has for Spark's script count more than ours.
    words = os.environ.get(_SUBMIT_WORDS, "pyspark-shell")
    told = f"--properties-file {shlex.quote(str(write_properties(conf, folders)))} --load-spark-defaults {words}"
    with _environment({**start_variables(folders), _SUBMIT_WORDS: told}):
        gateway: Any = _launch_apart()
    folders.claim(gateway.proc.pid)
    use_gateway(gateway)


def _launch_apart() -> Any:
    """PySpark's own start, but for the signals that the JVM ignores: it decides on them itself, and nobody can say otherwise."""

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
    """By the JVM, which ends in order even if its Python process is killed; by this process where the JVM has been."""
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
    """
    >>> _first_cause("An error occurred while calling None.X.\\n: java.lang.IllegalStateException: It is stopped.\\nThis …")
    'It is stopped'
    """
    found = re.search(r"(?:Exception|Error): ([^\n]+)", text)
    return (found[1] if found else text.strip().split("\n")[0]).rstrip(".")


def _quieten() -> None:
    """PySpark would print errors of a query to standard error, as JSON, beside the sentence that we make of them."""
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger", "py4j"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # Py4j tells nobody in particular that a JVM has gone: it uses the root's logger.
    if _is_not_of_py4j not in logging.getLogger().filters:
        logging.getLogger().addFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


class _HeldSignals:
    """Holds Ctrl-C and SIGTERM back while the JVM starts, and hands them on afterwards.

    A start that is torn apart leaves a JVM behind: its main thread dies and another one keeps it alive. Spark also puts a
    handler for Ctrl-C in the place of its caller's, which is put back here.
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
    """Lets what is started inside write its errors to a file: the JVM inherits the descriptor, and its workers do."""

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
    """A session of the job's own on the same Spark: its settings do not touch anybody else's."""
    own = session.newSession()
    for key, value in {**_SQL_SETTINGS, **settings}.items():
        own.conf.set(key, value)
    return own


_SQL_SETTINGS = {
    # Flink's names are case-sensitive.
    "spark.sql.caseSensitive": "true",
    # A text that is no number, a division by zero and an overflow are errors, not NULL.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.streaming.metricsEnabled": "false",
    # Plans are made so that they are right (`spark/lower/window.py`); Spark's checks know only its own ways of making them.
    "spark.sql.streaming.unsupportedOperationCheck": "false",
    "spark.sql.streaming.statefulOperator.checkCorrectness.enabled": "false",
    # Spark's hash map keeps the state before the last batch too, for a batch that runs again. It is in files as well, which take
    # longer to read, and a table of millions of keys takes the garbage collector's time in every batch.
    "spark.sql.streaming.maxBatchesToRetainInMemory": "1",
    # RocksDB keeps changes batch by batch instead of whole files, and nobody looks a key up only to count it.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    # Spark's own 8 MB hold the blocks of a few 10,000 keys.
    "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB": "64",
    "spark.sql.timeType.enabled": "true",
    # A key that a map has twice has the value that comes last, as in Flink.
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # How long Spark waits before it asks again whether there is data.
    "spark.sql.streaming.pollingDelay": "50ms",
    "spark.sql.streaming.numRecentProgressUpdates": "50",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # A writer begins with the first rows while the others are on their way: with Spark's own 64 MB it waits for all of them.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(4 * 1024 * 1024),
    # The plan of a micro-batch is small and known: adapting it costs more than it brings.
    "spark.sql.adaptive.enabled": "false",
}
