"""Contains everything that only makes a start faster. `FIRESTEEL_PLAIN_START=1` turns all of it off.

- The JVM starts first, while Python loads its modules (`early_jvm.py`), from a home without slow parts
  (`spark_home.py`) and with an archive of its classes (`class_archive.py`).
- Spark's Python processes are forked from one that has all modules loaded (`fork_server.py`), and the first is started
  early.

None of it is required: without it, on a cluster, and in a session that is passed to Firesteel, Spark starts in
PySpark's own way.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.spark.start.early_jvm import Launched, launch
from firesteel.spark.start.fork_program import start_fork_server
from firesteel.spark.start.master import is_local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SWITCH = "FIRESTEEL_PLAIN_START"


def is_fast(master: str | None) -> bool:
    return is_local(master) and os.environ.get(SWITCH) != "1"


def prepare(master: str | None, settings: Mapping[str, str], log: Path) -> Launched | None:
    """Starts the JVM before slow modules are loaded. Returns None if PySpark will start it later."""
    return launch(master, settings, log) if is_fast(master) else None


def hasten(session: SparkSession, log: Path) -> None:
    """Lets the Python processes of a session that has just started be forked."""
    from firesteel.spark.internals import look_for_no_sources

    server = start_fork_server(log)
    if server is not None:
        session.sparkContext.pythonExec = server.program
    threading.Thread(target=_wake_workers, args=(session,), name="firesteel-wake", daemon=True).start()
    look_for_no_sources(session)


def _wake_workers(session: SparkSession) -> None:
    """Starts the process that Python workers are forked from while the job is being planned. It takes as long as
    reading the first rows.
    """
    with suppress(Exception):
        cores = session.sparkContext.defaultParallelism
        session.range(cores, numPartitions=cores).mapInArrow(lambda batches: batches, "id long").collect()
