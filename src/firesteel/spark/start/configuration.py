"""What Spark is told when it starts."""

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
#: Counts more than that setting, for Spark.
LOCAL_FOLDERS_VARIABLE = "SPARK_LOCAL_DIRS"

_FILE_MANAGER = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"

#: The JVM's best compiler is for what is hot: with its own limits it spends half of a start's time on Spark's planner, and a
#: third of a short run's. Later still, the planner would be slow for minutes, and each batch with it.
_LATE = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 -XX:Tier4CompileThreshold=150000"
    " -XX:Tier4BackEdgeThreshold=400000"
)

#: With it Python does not look for modules in the folder it is started in: a file there that has the name of one of Python's own
#: would be run in its place.
SAFE_PATH = "PYTHONSAFEPATH"

#: Which part of the machine's memory Spark's JVM may take on one machine, where it keeps the state: the JVM's own choice.
#: Spark's is 1 GB, in which a few million keys fit.
_HEAP_PART = 4
_LEAST_HEAP = 1 << 30
#: What is for new objects stays as it is with Spark's 1 GB: a larger part would only be filled before it is cleaned.
_YOUNG = "-XX:MaxNewSize=341m"

#: A JVM without memory ends, whoever catches the error: Spark would go on without what has failed. One that has a tenth of its
#: memory free after it has collected garbage, and spends most of its time on that, is without memory too: Java's own limits (98 %
#: of the time, 2 % of the memory) are hardly ever reached, and such a job stands still for ever.
_END_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError -XX:GCTimeLimit=70 -XX:GCHeapFreeLimit=10"
#: Standard output is the caller's: a job's progress as JSON. A JVM writes its warnings and its last words there.
_QUIET = "-XX:+DisplayVMOutputToStderr -Xlog:disable -Xlog:all=error:stderr"
_COLLECTOR = "-XX:+UseParallelGC"

#: A socket's path may have some hundred bytes, and Spark's names for them are long.
_LONGEST_FOLDER = 48


def configuration(
    master: str | None, settings: Mapping[str, str], folders: Folders, jvm_option: str | None = None
) -> dict[str, str]:
    """`settings` are the user's, and count more than ours. `jvm_option` stands in the place of those that use the archive of
    classes.
    """
    options = jvm_options(archive_options() if jvm_option is None else jvm_option)
    conf = {
        "spark.app.name": "firesteel",
        "spark.master": master or local_master(os.cpu_count() or 2),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Whatever the JVM unpacks for itself goes with its folder.
        JVM_OPTIONS: f"-Djava.io.tmpdir={folders.scratch} {options}",
        # No table is ever stored; Spark would name a folder here in the current one.
        "spark.sql.warehouse.dir": local_uri(folders.scratch / "warehouse"),
        "spark.sql.streaming.stopTimeout": "30s",
        # Nobody sees the Python line that made a column, and finding it costs time for each.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.python.daemon.module": "firesteel.spark.start.worker_daemon",
        f"spark.executorEnv.{SAFE_PATH}": "1",
    }
    own = dict(settings)
    if is_local(master):
        # Spark's own choice starts three processes for each file of a checkpoint, to find out about symbolic links.
        conf |= {"spark.sql.streaming.checkpointFileManagerClass": _FILE_MANAGER, MEMORY: _heap()}
        conf |= _sockets(settings, folders)
        own[LOCAL_FOLDERS] = ",".join(map(str, folders.local))
        if is_in_one_process(master):
            # Spark makes a secret for each start, and its ports take nobody who does not know it.
            conf["spark.authenticate"] = "true"
    if is_loopback(master):
        # On one machine nothing listens but on loopback.
        conf |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if JVM_OPTIONS in own:
        own[JVM_OPTIONS] = _join_options(conf[JVM_OPTIONS], own[JVM_OPTIONS])
    return conf | own


def named_folders(settings: Mapping[str, str]) -> str | None:
    """Where the user wants Spark's blocks."""
    return os.environ.get(LOCAL_FOLDERS_VARIABLE) or settings.get(LOCAL_FOLDERS)


def start_variables(folders: Folders) -> dict[str, str]:
    """What the JVM has in its environment, and its Python processes too."""
    variables = {SAFE_PATH: "1"}
    if os.environ.get(LOCAL_FOLDERS_VARIABLE):
        variables[LOCAL_FOLDERS_VARIABLE] = ",".join(map(str, folders.local))
    return variables


def write_properties(conf: Mapping[str, str], folders: Folders) -> Path:
    """A file that Spark reads its settings from: everybody can read the words of a command, and a setting can be a secret."""
    path = folders.scratch / PROPERTIES
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
        for key, value in conf.items():
            file.write(f"{_escaped(key)}={_escaped(value)}\n")
    return path


def _escaped(text: str) -> str:
    r"""As a file of Java's properties has it.

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
    """Theirs stand behind ours, and so count more. A JVM takes the name of one garbage collector only."""
    if re.search(r"-XX:\+Use\w+GC\b", theirs):
        ours = ours.replace(f"{_COLLECTOR} ", "")
    return f"{ours} {theirs}"


def _sockets(settings: Mapping[str, str], folders: Folders) -> dict[str, str]:
    """Sockets between the JVM and its Python workers that are files. Over TCP each task waits twice for 40 ms: one side does
    not send before it has an answer, the other waits with the answer for more to come.
    """
    if not can_have_sockets():
        return {}
    enabled = {"spark.python.unix.domain.socket.enabled": "true"}
    return enabled if SOCKET_FOLDER in settings else {**enabled, SOCKET_FOLDER: str(folders.scratch)}


def can_have_sockets() -> bool:
    """Whether a socket can be a file in a temporary folder."""
    return hasattr(socket, "AF_UNIX") and len(tempfile.gettempdir()) <= _LONGEST_FOLDER


def _heap() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{max(_LEAST_HEAP, memory // _HEAP_PART) >> 20}m"
