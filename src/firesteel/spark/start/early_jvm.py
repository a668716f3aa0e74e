"""Spark's JVM, started while Python loads its modules: each takes a second, on a core of its own.

PySpark would start it later, and through a script that starts a JVM only to make up the command. `firesteel warm` has kept
that command with the archive of classes; where it has not, or where somebody's settings would change it, the script is asked.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from firesteel.spark.place import open_log
from firesteel.spark.start.class_archive import find_command
from firesteel.spark.start.configuration import (
    JVM_OPTIONS,
    MEMORY,
    configuration,
    named_folders,
    start_variables,
    write_properties,
)
from firesteel.spark.start.fork_program import start_fork_server, stop_fork_server
from firesteel.spark.start.jvm import stand_apart
from firesteel.spark.start.master import is_local
from firesteel.spark.start.scratch import PRIVATE, Folders, make_folders
from firesteel.spark.start.spark_home import VARIABLE, find_home

#: What the script looks at beside what it is told.
_VARIABLES = ("SPARK_", "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY", "HADOOP_CONF_DIR", "YARN_CONF_DIR")
_SETTINGS = ("spark.driver.extraClassPath", "spark.driver.extraLibraryPath", "spark.driver.defaultJavaOptions")

_PROGRAM = "org.apache.spark.deploy.SparkSubmit"
_PATIENCE = 60.0


def launch(master: str | None, settings: Mapping[str, str], log: Path) -> Launched | None:
    """Starts the JVM; None when there is one, or when it has to be started in PySpark's way."""
    command = find_command() if is_local(master) and not _has_gateway() and not _is_special(settings) else None
    home = find_home()
    if command is None or home is None:
        return None
    folders = make_folders(named_folders(settings))
    conf = configuration(master, settings, folders)
    words = [command.java, "-cp", command.classes, f"-Xmx{conf[MEMORY]}", *shlex.split(conf[JVM_OPTIONS])]
    words += [*command.options, _PROGRAM, "--properties-file", str(write_properties(conf, folders)), "pyspark-shell"]
    environment = {
        # Python processes below it have no work for several threads of numpy, which takes long to start them.
        "OPENBLAS_NUM_THREADS": "1",
        **os.environ,
        **start_variables(folders),
        VARIABLE: home,
        "PYTHONHASHSEED": "0",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_CONNECT_MODE": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(folders.scratch / _ANSWER),
    }
    new = _missing(log)
    try:
        process = _start(words, environment, log)
    except OSError:
        # `open_session` will report the folder error; here we only give up.
        folders.remove()
        return None
    folders.claim(process.pid)
    start_fork_server(log)
    return Launched(conf, process, folders, new)


_ANSWER = "gateway"


def _start(command: list[str], environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    errors = open_log(log)
    try:
        return subprocess.Popen(
            command,
            # It ends when nobody can write to it any more.
            stdin=subprocess.PIPE,
            stderr=errors,
            env=environment,
            # What it writes holds what the topics hold.
            umask=PRIVATE,
            # Signals are ours to handle.
            preexec_fn=stand_apart,
        )
    finally:
        os.close(errors)


def _has_gateway() -> bool:
    if "pyspark" not in sys.modules:
        return False
    from firesteel.spark.internals import has_gateway

    return has_gateway()


def _is_special(settings: Mapping[str, str]) -> bool:
    return any(name.startswith(_VARIABLES) for name in os.environ) or any(key in settings for key in _SETTINGS)


def _missing(path: Path) -> list[Path]:
    """The file and the folders above it that are not there, the innermost first."""
    return [one for one in (path, *path.parents) if not one.exists()]


class Launched:
    """A JVM on its way. `conf` is what it was told. `folders` were made for it: in one it says how it is reached. `new` are files
    and folders beside the state that are there because of it.
    """

    def __init__(
        self, conf: Mapping[str, str], process: subprocess.Popen[bytes], folders: Folders, new: list[Path]
    ) -> None:
        self.conf = conf
        self.folders = folders
        self._process = process
        self._new = new
        self._taken = False

    def connect(self) -> None:
        """Waits for the JVM and makes it PySpark's. One that has ended is left to PySpark, which starts another."""
        from pyspark import java_gateway

        from firesteel.spark.internals import use_gateway

        # From now on Spark's JVM owns the folders, even if it is another JVM.
        self._taken = True
        # PySpark loads this with its first call to the JVM, which is not ready yet.
        import_module("pyspark.testing.utils")
        answer = self._await_answer()
        if answer is None:
            self._process.kill()
            return
        port, secret = int.from_bytes(answer[:4], "big"), answer[8:].decode()
        told = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
        os.environ.update(told)
        try:
            gateway: Any = java_gateway.launch_gateway()  # type: ignore[no-untyped-call]
        finally:
            for name in told:
                del os.environ[name]
        gateway.proc = self._process
        use_gateway(gateway)

    def _await_answer(self) -> bytes | None:
        path, deadline = self.folders.scratch / _ANSWER, time.monotonic() + _PATIENCE
        try:
            while not path.is_file():
                if self._process.poll() is not None or time.monotonic() > deadline:
                    return None
                time.sleep(0.02)
            return path.read_bytes()
        finally:
            path.unlink(missing_ok=True)

    def abandon(self) -> None:
        """Kills the JVM and delete its folders, unless Spark already uses it."""
        if self._taken:
            return
        self._process.kill()
        self._process.wait()
        stop_fork_server()
        self.folders.remove()
        for path in self._new:
            if path.is_file():
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
