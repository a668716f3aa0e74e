"""What Spark is told when it starts."""

from __future__ import annotations

import os
import re
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path

from firesteel.spark.archive import archive_options
from firesteel.spark.master import is_local, is_loopback, local_master

JVM_OPTIONS = "spark.driver.extraJavaOptions"
MEMORY = "spark.driver.memory"
SOCKET_FOLDER = "spark.python.unix.domain.socket.dir"

_FILE_MANAGER = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"

#: The JVM's best compiler is for what is hot: with its own limits it spends half of a start's time on Spark's planner, and a
#: third of a short run's. Later still, the planner would be slow for minutes, and each batch with it.
_LATE = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 -XX:Tier4CompileThreshold=150000"
    " -XX:Tier4BackEdgeThreshold=400000"
)

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


def configuration(master: str | None, settings: Mapping[str, str], jvm_option: str | None = None) -> dict[str, str]:
    """`settings` are the user's, and count more than ours. `jvm_option` stands in the place of those that use the archive of
    classes.
    """
    conf = {
        "spark.app.name": "firesteel",
        "spark.master": master or local_master(os.cpu_count() or 2),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        JVM_OPTIONS: jvm_options(archive_options() if jvm_option is None else jvm_option),
        # No table is ever stored; Spark would name a folder here in the current one.
        "spark.sql.warehouse.dir": str(Path(tempfile.gettempdir()) / "firesteel-warehouse"),
        "spark.sql.streaming.stopTimeout": "30s",
        # Nobody sees the Python line that made a column, and finding it costs time for each.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.python.daemon.module": "firesteel.spark.daemon",
    }
    if is_local(master):
        # Spark's own choice starts three processes for each file of a checkpoint, to find out about symbolic links.
        conf |= {"spark.sql.streaming.checkpointFileManagerClass": _FILE_MANAGER, MEMORY: _heap(), **_sockets(settings)}
    if is_loopback(master):
        # On one machine nothing listens but on loopback.
        conf |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    own = {**settings}
    if JVM_OPTIONS in own:
        own[JVM_OPTIONS] = _join_options(conf[JVM_OPTIONS], own[JVM_OPTIONS])
    return conf | own


def jvm_options(archive: str) -> str:
    log4j = Path(__file__).with_name("log4j2.properties")
    ours = f"{_COLLECTOR} {_YOUNG} {_LATE} {_END_WITHOUT_MEMORY} {_QUIET}"
    return f"-Dlog4j2.configurationFile={log4j} {ours} {archive}".strip()


def _join_options(ours: str, theirs: str) -> str:
    """Theirs stand behind ours, and so count more. A JVM takes the name of one garbage collector only."""
    if re.search(r"-XX:\+Use\w+GC\b", theirs):
        ours = ours.replace(f"{_COLLECTOR} ", "")
    return f"{ours} {theirs}"


def own_folder(conf: Mapping[str, str], settings: Mapping[str, str]) -> str | None:
    """The folder of sockets that was made for this Spark, and is to go with it. One that the user has named is not ours."""
    return None if SOCKET_FOLDER in settings else conf.get(SOCKET_FOLDER)


def _sockets(settings: Mapping[str, str]) -> dict[str, str]:
    """Sockets between the JVM and its Python workers that are files. Over TCP each task waits twice for 40 ms: one side does
    not send before it has an answer, the other waits with the answer for more to come.
    """
    if not can_have_sockets():
        return {}
    enabled = {"spark.python.unix.domain.socket.enabled": "true"}
    return enabled if SOCKET_FOLDER in settings else {**enabled, SOCKET_FOLDER: tempfile.mkdtemp(prefix="fs-")}


def can_have_sockets() -> bool:
    """Whether a socket can be a file in a temporary folder."""
    return hasattr(socket, "AF_UNIX") and len(tempfile.gettempdir()) <= _LONGEST_FOLDER


def _heap() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{max(_LEAST_HEAP, memory // _HEAP_PART) >> 20}m"
