"""Checks a cluster before a job starts on it: is its master reachable, has it executors, have they Firesteel?

Firesteel is installed on every machine of a cluster, not sent there: most of what a worker needs is compiled code.
"""

from __future__ import annotations

import os
import platform
import socket
import sys
import time
from collections.abc import Iterable, Iterator

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import SparkSession

from firesteel.errors import JobError, OutsideError, UsageError
from firesteel.spark.internals import executors
from firesteel.spark.start.master import addresses, is_local, is_master
from firesteel.spark.worker import explain_worker, install_hint

#: How long a master may take to answer, and a cluster to start an executor for the job.
_ANSWER_SECONDS = 5.0
_EXECUTOR_SECONDS = 60.0

#: Where Spark looks for the files that describe a YARN cluster.
_YARN_VARIABLES = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")


def check_master(master: str | None) -> None:
    """Checks that the master can be reached. Spark itself would try for a minute, and only report it in its log."""
    if master is not None and not is_master(master):
        raise UsageError(
            f"'{master}' is no address of a Spark master.",
            hint="Write 'local[4]', 'spark://host:7077', 'yarn' or 'k8s://https://host:port'.",
        )
    if master == "yarn" and not any(os.environ.get(name) for name in _YARN_VARIABLES):
        raise OutsideError(
            "Where the YARN cluster is cannot be told: neither HADOOP_CONF_DIR nor YARN_CONF_DIR is set.",
            hint="Set one of them to the folder that holds yarn-site.xml and core-site.xml.",
        )
    found = addresses(master or "")
    if not found:
        return
    reasons = []
    for host, port in found:
        try:
            socket.create_connection((host, port), timeout=_ANSWER_SECONDS).close()
            return
        except OSError as error:
            reasons.append(error.strerror or str(error))
    raise OutsideError(
        f"No Spark master answers at '{master}': {reasons[0]}.", hint="Check the address and that the master runs."
    )


def check_workers(session: SparkSession) -> None:
    """Checks which Firesteel and which Python the executors have. On one machine they have ours."""
    context = session.sparkContext
    if is_local(context.master):
        _choose_python(context)
        return
    _await_executor(session)
    tasks = max(2, context.defaultParallelism)
    try:
        found = set(context.parallelize(range(tasks), tasks).mapPartitions(_versions).collect())
    except (PySparkException, Py4JError) as error:
        raise explain_worker(str(error)) or JobError(f"Spark's workers do not answer: {error}") from None
    others = sorted(versions for versions in found if versions != _own())
    if others:
        theirs, ours = others[0], _own()
        raise OutsideError(
            f"Spark's workers have Firesteel {theirs[0]} on Python {theirs[1]}, and here it is Firesteel {ours[0]} on"
            f" Python {ours[1]}.",
            hint=install_hint(),
        )


def _choose_python(context: SparkContext) -> None:
    """Lets the workers run our Python, unless the session's maker has chosen one: by default they would run the first
    `python3` of the PATH.
    """
    chosen = os.environ.get("PYSPARK_PYTHON") or context.getConf().get("spark.pyspark.python")
    if context.pythonExec == _DEFAULT_PYTHON and not chosen:
        context.pythonExec = sys.executable


#: PySpark's default.
_DEFAULT_PYTHON = "python3"


def _await_executor(session: SparkSession) -> None:
    """Waits until the job has an executor. Without a free one, Spark would wait for ever."""
    deadline = time.monotonic() + _EXECUTOR_SECONDS
    # The count includes the driver.
    while executors(session) < 2:
        if time.monotonic() > deadline:
            raise OutsideError(
                f"The Spark cluster at '{session.sparkContext.master}' gave the job no executor within"
                f" {_EXECUTOR_SECONDS:.0f} s.",
                hint="Check that it has workers with free cores, and memory for 'spark.executor.memory' (1 GB by default).",
            )
        time.sleep(0.2)


def _versions(_: Iterable[int]) -> Iterator[tuple[str, str]]:
    yield _own()


def _own() -> tuple[str, str]:
    # Imported late: every Python process of Spark loads this module, and few need this.
    from importlib.metadata import version

    return version("firesteel"), ".".join(platform.python_version_tuple()[:2])
