"""Starts Spark's JVM while Python loads its modules: each takes a second, on a core of its own.

PySpark would start it later, through a script that starts another JVM only to compute the command. `firesteel warm` has
stored that command with the archive of classes. The script is used if there is no stored command, or if the user's
settings would change it.
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

#: The environment variables that the script reads.
_VARIABLES = ("SPARK_", "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY", "HADOOP_CONF_DIR", "YARN_CONF_DIR")
_SETTINGS = ("spark.driver.extraClassPath", "spark.driver.extraLibraryPath", "spark.driver.defaultJavaOptions")

_PROGRAM = "org.apache.spark.deploy.SparkSubmit"
_PATIENCE = 60.0


def launch(master: str | None, settings: Mapping[str, str], log: Path) -> Launched | None:
    """Starts the JVM. Returns None if there is one already, or if PySpark has to start it."""
    command = find_command() if is_local(master) and not _has_gateway() and not _is_special(settings) else None
    home = find_home()
    if command is None or home is None:
        return None
    folders = make_folders(named_folders(settings))
    conf = configuration(master, settings, folders)
    words = [command.java, "-cp", command.classes, f"-Xmx{conf[MEMORY]}", *shlex.split(conf[JVM_OPTIONS])]
    words += [*command.options, _PROGRAM, "--properties-file", str(write_properties(conf, folders)), "pyspark-shell"]
    environment = {
        # Its Python processes do not need numpy's threads, which take long to start.
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
            # The JVM ends when the last writer has closed its standard input.
            stdin=subprocess.PIPE,
            stderr=errors,
            env=environment,
            # Its files contain data of the topics.
            umask=PRIVATE,
            # The JVM must not receive our signals.
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
    """Returns the file and the folders above it that do not exist, innermost first."""
    return [one for one in (path, *path.parents) if not one.exists()]


class Launched:
    """A JVM that is starting. `conf` is its configuration. `folders` are its own; one has the file that tells how to
    reach it. `new` are other files and folders that were made for it.
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
        """Waits for the JVM and gives it to PySpark. If it has ended, PySpark will start another."""
        from pyspark import java_gateway

        from firesteel.spark.internals import use_gateway

        # From now on Spark's JVM owns the folders, even if it is another JVM.
        self._taken = True
        # PySpark imports this at its first call to the JVM. Import it while the JVM is not ready yet.
        import_module("pyspark.testing.utils")
        answer = self._await_answer()
        if answer is None:
            self._process.kill()
            return
        port, secret = int.from_bytes(answer[:4], "big"), answer[8:].decode()
        variables = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
        os.environ.update(variables)
        try:
            gateway: Any = java_gateway.launch_gateway()  # type: ignore[no-untyped-call]
        finally:
            for name in variables:
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
