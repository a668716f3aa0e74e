"""An archive of Spark's classes, as the JVM has them in memory once they are loaded: half of a start goes into loading them.

It is made once, by a small streaming job in a process of its own (`firesteel warm`), and used by every start after that. A
JVM that finds that an archive is not for its jars leaves it alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import OutsideError
from firesteel.folder import cache_folder
from firesteel.java import find_java
from firesteel.spark.start.spark_home import digest, find_home, installed, package
from firesteel.spark.start.version import check_pyspark

_PATIENCE = 180.0

#: The program that makes it: it runs a job, which nothing here may import.
_LOADER = "firesteel.spark.job.class_loader"


def archive_options() -> str:
    """What a JVM is told so that it uses the archive, if there is one. Without it a start is slower, and that is all: nothing is
    said of one that does not fit.
    """
    path = archive_path()
    return f"-XX:SharedArchiveFile={path} -Xshare:auto" if path.is_file() else ""


def archive_path() -> Path:
    """One for each Java and each PySpark, and another one when that is installed again: the JVM compares the times of jars."""
    place = digest(str(package()), str(find_java()), find_home() or "")
    return cache_folder() / f"classes-{place}-{digest(installed())}.jsa"


@dataclass(frozen=True)
class Command:
    """How Spark's own script starts its JVM: the program, where its classes are, and the options that Spark needs."""

    java: str
    classes: str
    options: tuple[str, ...]


def find_command() -> Command | None:
    """The command that the archive was made with; None when there is none."""
    try:
        kept = json.loads(command_path(archive_path()).read_text())
        return Command(kept["java"], kept["classes"], tuple(kept["options"]))
    except (OSError, OutsideError, ValueError, KeyError):
        return None


def command_path(archive: Path) -> Path:
    """Where the command lies that an archive was made with."""
    return archive.with_suffix(".json")


def make_archive() -> Path:
    """Makes it in a process of its own; takes about half a minute."""
    check_pyspark()
    path = archive_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="firesteel-warm-", dir=path.parent) as folder:
        made = Path(folder) / "classes.jsa"
        command = [sys.executable, "-P", "-m", _LOADER, str(made)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
        if ended.returncode != 0 or not made.is_file():
            told = ended.stderr.strip().splitlines()[-1:] or ["it said nothing"]
            raise OutsideError(f"The archive of Spark's classes was not made: {told[0]}")
        for older in path.parent.glob(f"{path.stem.rpartition('-')[0]}-*"):
            older.unlink(missing_ok=True)
        command_path(made).replace(command_path(path))
        made.replace(path)
    return path
