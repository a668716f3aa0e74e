"""What is said of a JVM that ended by itself, and that one without memory does end (findings d1, d6)."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from firesteel.java import find_java
from firesteel.spark.place import open_log
from firesteel.spark.start.configuration import JVM_OPTIONS, MEMORY, configuration, jvm_options
from firesteel.spark.start.death import explain_end
from firesteel.spark.start.scratch import Folders


def _log(folder: Path, text: str) -> Path:
    path = folder / "job.log"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (None, "Spark's JVM has ended."),
        (0, "Spark's JVM ended by itself, with exit status 0."),
        (1, "Spark's JVM ended by itself, with exit status 1."),
        (-9, "Spark's JVM was killed (signal 9), perhaps by the kernel for want of memory."),
        (137, "Spark's JVM was killed (signal 9), perhaps by the kernel for want of memory."),
        (-15, "Spark's JVM was ended by signal 15 (SIGTERM)."),
        (143, "Spark's JVM was ended by signal 15 (SIGTERM)."),
        (129, "Spark's JVM was ended by signal 1 (SIGHUP)."),
        (-11, "Spark's JVM crashed (signal 11, SIGSEGV)."),
        (134, "Spark's JVM crashed (signal 6, SIGABRT)."),
        (255, "Spark's JVM ended by itself, with exit status 255."),
    ],
)
def test_d1_the_status_tells_what_ended_it(status: int | None, said: str, tmp_path: Path) -> None:
    # An older death in the log is no reason for this one.
    log = _log(tmp_path, "Terminating due to java.lang.OutOfMemoryError: Java heap space\n")
    assert explain_end(log, status).startswith(said)
    assert explain_end(None, status).startswith(said)


@pytest.mark.parametrize("status", [3, 52])
@pytest.mark.parametrize("reason", ["Java heap space", "GC overhead limit exceeded", ""])
def test_d6_out_of_memory_names_what_to_set(status: int, reason: str, tmp_path: Path) -> None:
    said = explain_end(_log(tmp_path, f"x\nTerminating due to java.lang.OutOfMemoryError: {reason}\n"), status)
    assert said.startswith("Spark's JVM ran out of memory: the job's state needs more than it may take.")
    assert "'spark.driver.memory'" in said and "'state.backend.type' = 'rocksdb'" in said
    assert explain_end(tmp_path / "missing", status) == said


def test_d6_memory_that_is_no_state(tmp_path: Path) -> None:
    line = "Terminating due to java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory\n"
    assert "ulimit -u" in explain_end(_log(tmp_path, line), 3)


def test_d6_only_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    line = "Terminating due to java.lang.OutOfMemoryError: Metaspace\n"
    assert "MaxMetaspaceSize" in explain_end(_log(tmp_path, "x" * 1_000_000 + "\n" + line), 3)
    assert "MaxMetaspaceSize" not in explain_end(_log(tmp_path, line + "x" * 1_000_000), 3)


_GREEDY = """
import java.util.*;
class Greedy {
    public static void main(String[] words) {
        Map<Integer, byte[]> kept = new HashMap<>();
        for (int n = 0; ; n++) {
            try { kept.put(n, new byte[40]); } catch (OutOfMemoryError caught) { }
        }
    }
}
"""


def test_d6_a_jvm_without_memory_ends_and_says_so(tmp_path: Path) -> None:
    """Even where somebody catches the error. With Java's own limits it may go on with nothing but garbage collections."""
    source, log = tmp_path / "Greedy.java", tmp_path / "job.log"
    source.write_text(_GREEDY)
    options = [word for word in shlex.split(jvm_options("")) if not word.startswith("-D")]
    errors = open_log(log)
    command = [str(find_java()), "-Xmx64m", *options, str(source)]
    try:
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, timeout=60, check=False)
    finally:
        os.close(errors)
    assert ended.stdout == b"", "standard output is the caller's"
    assert explain_end(log, ended.returncode).startswith("Spark's JVM ran out of memory")
    assert "Terminating due to java.lang.OutOfMemoryError" in log.read_text()


def test_options_of_the_operator_stand_behind_ours(tmp_path: Path) -> None:
    folders = Folders(tmp_path, (tmp_path,))
    conf = configuration(None, {JVM_OPTIONS: "-Dmine=1", MEMORY: "2g"}, folders)
    assert conf[JVM_OPTIONS].endswith(" -Dmine=1") and "-XX:+ExitOnOutOfMemoryError" in conf[JVM_OPTIONS]
    # A JVM takes one kind of garbage collection.
    chosen = configuration(None, {JVM_OPTIONS: "-XX:+UseG1GC"}, folders)[JVM_OPTIONS]
    assert "-XX:+UseParallelGC" not in chosen and "-XX:+UseG1GC" in chosen
