"""What is said when a cluster is not ready. `make cluster` has the job that runs on one."""

from __future__ import annotations

import time

import pytest

from firesteel.dev.broker.port import free_port
from firesteel.errors import OutsideError
from firesteel.spark.failure import explain_failure
from firesteel.spark.start.cluster import check_master
from firesteel.spark.start.master import is_loopback


def test_a_master_that_is_not_there() -> None:
    master = f"spark://127.0.0.1:{free_port()}"
    started = time.monotonic()
    with pytest.raises(OutsideError, match=rf"No Spark master answers at '{master}': Connection refused"):
        check_master(master)
    assert time.monotonic() - started < 2


def test_workers_that_cannot_import_a_module_are_told_as_that() -> None:
    text = "PythonException: Traceback …\nModuleNotFoundError: No module named 'firesteel.spark'\n at org.apache.spark"
    error = explain_failure(text)
    assert isinstance(error, OutsideError)
    assert error.message == "Spark's workers cannot import 'firesteel'."
    assert error.hint and error.hint.startswith("Install Firesteel with its dependencies on every worker machine")
    theirs = explain_failure(text.replace("firesteel.spark", "shop"))
    assert theirs.hint == "Put 'shop' where the Python of every worker machine finds it."


def test_workers_whose_daemon_does_not_begin() -> None:
    text = "EOFException occurred while reading the port number from firesteel.spark.start.worker_daemon's stdout and terminated with code: 1."
    assert explain_failure(text).message == "Spark's workers cannot import 'firesteel'."


def test_workers_without_the_python() -> None:
    error = explain_failure('java.io.IOException: Cannot run program "/opt/x/python": error=2, No such file')
    assert isinstance(error, OutsideError) and "have no Python at" in error.message


@pytest.mark.parametrize(
    ("master", "loopback"),
    [(None, True), ("local[2]", True), ("spark://127.0.0.1:7077", True), ("spark://a:7077", False), ("yarn", False)],
)
def test_where_a_driver_listens(master: str | None, loopback: bool) -> None:
    assert is_loopback(master) is loopback
