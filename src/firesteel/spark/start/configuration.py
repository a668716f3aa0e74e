"""Makes the configuration that Spark starts with."""

from __future__ import annotations

import os
import re
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path

from firesteel.spark.start.class_archive import archive_options
from firesteel.spark.start.master import is_in_one_process, is_local, is_loopback, local_master
from firesteel.spark.start.scratch import Folders
from firesteel.storage.address import local_uri

JVM_OPTIONS = "spark.driver.extraJavaOptions"
MEMORY = "spark.driver.memory"
PROPERTIES = "spark.properties"
SOCKET_FOLDER = "spark.python.unix.domain.socket.dir"
LOCAL_FOLDERS = "spark.local.dir"
#: This variable overrides `spark.local.dir` in Spark.
LOCAL_FOLDERS_VARIABLE = "SPARK_LOCAL_DIRS"

_FILE_MANAGER = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"

#: Makes the JVM's optimising compiler start later. With the default limits, half of a start's time, and a third of a
#: short run's, is spent on compiling Spark's planner. With higher limits than these, the planner and every batch would
#: be slow for minutes.
_LATE = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 -XX:Tier4CompileThreshold=150000"
    " -XX:Tier4BackEdgeThreshold=400000"
)

#: With this variable Python does not look for modules in its working directory: a file there with the name of a
#: standard module would be run instead of that module.
SAFE_PATH = "PYTHONSAFEPATH"

#: The part of the machine's memory for Spark's JVM on one machine, where it keeps the state. By default Spark takes 1
#: GB, which holds a few million keys.
_HEAP_PART = 4
_LEAST_HEAP = 1 << 30
#: The size for new objects stays that of a 1 GB heap: a larger one would only fill up before it is collected.
_YOUNG = "-XX:MaxNewSize=341m"

#: End a JVM that is out of memory, even if Spark catches the error: it would go on without the part that failed. A JVM
#: that has a tenth of its memory free after garbage collection, and spends most of its time on that, counts as out of
#: memory too: Java's own limits (98 % of the time, 2 % of the memory) are hardly ever reached, and such a job makes no
#: progress.
_END_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError -XX:GCTimeLimit=70 -XX:GCHeapFreeLimit=10"
#: The caller uses standard output, for progress as JSON. By default a JVM writes warnings and fatal errors there.
_QUIET = "-XX:+DisplayVMOutputToStderr -Xlog:disable -Xlog:all=error:stderr"
_COLLECTOR = "-XX:+UseParallelGC"

#: A socket's path is limited to about a hundred bytes, and Spark's names for sockets are long.
_LONGEST_FOLDER = 48


def configuration(
    master: str | None, settings: Mapping[str, str], folders: Folders, jvm_option: str | None = None
) -> dict[str, str]:
    """Makes Spark's configuration. `settings` are the user's, and override ours. `jvm_option` replaces the options for
    the archive of classes.
    """
    options = jvm_options(archive_options() if jvm_option is None else jvm_option)
    conf = {
        "spark.app.name": "firesteel",
        "spark.master": master or local_master(os.cpu_count() or 2),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Files that the JVM unpacks are removed with its folder.
        JVM_OPTIONS: f"-Djava.io.tmpdir={folders.scratch} {options}",
        # No table is ever stored, but the default would be a folder in the working directory.
        "spark.sql.warehouse.dir": local_uri(folders.scratch / "warehouse"),
        "spark.sql.streaming.stopTimeout": "30s",
        # The Python line that made a column is never shown, and finding it takes time for each column.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.python.daemon.module": "firesteel.spark.start.worker_daemon",
        f"spark.executorEnv.{SAFE_PATH}": "1",
    }
    own = dict(settings)
    if is_local(master):
        # Spark's default starts three processes for each file of a checkpoint, to find symbolic links.
        conf |= {"spark.sql.streaming.checkpointFileManagerClass": _FILE_MANAGER, MEMORY: _heap()}
        conf |= _sockets(settings, folders)
        own[LOCAL_FOLDERS] = ",".join(map(str, folders.local))
        if is_in_one_process(master):
            # Spark makes a secret for each start, and its ports accept no connection without it.
            conf["spark.authenticate"] = "true"
    if is_loopback(master):
        # On one machine, listen on loopback only.
        conf |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if JVM_OPTIONS in own:
        own[JVM_OPTIONS] = _join_options(conf[JVM_OPTIONS], own[JVM_OPTIONS])
    return conf | own


def named_folders(settings: Mapping[str, str]) -> str | None:
    """Returns the folders that the user has chosen for Spark's blocks."""
    return os.environ.get(LOCAL_FOLDERS_VARIABLE) or settings.get(LOCAL_FOLDERS)


def start_variables(folders: Folders) -> dict[str, str]:
    """Returns the environment variables of the JVM, which its Python processes inherit."""
    variables = {SAFE_PATH: "1"}
    if os.environ.get(LOCAL_FOLDERS_VARIABLE):
        variables[LOCAL_FOLDERS_VARIABLE] = ",".join(map(str, folders.local))
    return variables


def write_properties(conf: Mapping[str, str], folders: Folders) -> Path:
    """Writes a file with the settings for Spark. A setting can be a secret, and every user can read the arguments of a
    command.
    """
    path = folders.scratch / PROPERTIES
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
        for key, value in conf.items():
            file.write(f"{_escaped(key)}={_escaped(value)}\n")
    return path


def _escaped(text: str) -> str:
    r"""Escapes a text for a Java properties file.

    >>> print(_escaped(" a=b\\c\n"))
    \ a\=b\\c\n
    """
    text = re.sub(r"([\\ =:#!])", r"\\\1", text)
    return text.replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t").replace("\f", r"\f")


def jvm_options(archive: str) -> str:
    log4j = Path(__file__).with_name("log4j2.properties")
    ours = f"{_COLLECTOR} {_YOUNG} {_LATE} {_END_WITHOUT_MEMORY} {_QUIET}"
    return f"-Dlog4j2.configurationFile={log4j} {ours} {archive}".strip()


def _join_options(ours: str, theirs: str) -> str:
    """Joins JVM options. Theirs come last and override ours. A JVM accepts only one garbage collector's name."""
    if re.search(r"-XX:\+Use\w+GC\b", theirs):
        ours = ours.replace(f"{_COLLECTOR} ", "")
    return f"{ours} {theirs}"


def _sockets(settings: Mapping[str, str], folders: Folders) -> dict[str, str]:
    """Makes the JVM and its Python workers use Unix sockets. Over TCP each task would wait 40 ms twice: one side sends
    nothing before it has an answer, and the other delays the answer until more data comes.
    """
    if not can_have_sockets():
        return {}
    enabled = {"spark.python.unix.domain.socket.enabled": "true"}
    return enabled if SOCKET_FOLDER in settings else {**enabled, SOCKET_FOLDER: str(folders.scratch)}


def can_have_sockets() -> bool:
    """Checks whether a socket can be a file in a temporary folder."""
    return hasattr(socket, "AF_UNIX") and len(tempfile.gettempdir()) <= _LONGEST_FOLDER


def _heap() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{max(_LEAST_HEAP, memory // _HEAP_PART) >> 20}m"
