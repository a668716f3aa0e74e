"""Makes and finds an archive of Spark's classes in the form they have in the JVM's memory: half of a start is spent on
loading them.

`firesteel warm` makes it once with a small streaming job in a process of its own, and every later start uses it. A JVM
ignores an archive that does not match its jars.
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

#: The program that makes the archive. It runs a job, so nothing here may import it.
_LOADER = "firesteel.spark.job.class_loader"


def archive_options() -> str:
    """Returns the JVM options for the archive, if there is one. Without an archive a start is only slower; one that
    does not match is ignored without a message.
    """
    path = archive_path()
    return f"-XX:SharedArchiveFile={path} -Xshare:auto" if path.is_file() else ""


def archive_path() -> Path:
    """Returns the path of the archive for this Java and this PySpark. It changes when either is installed again, since
    the JVM compares the times of jars.
    """
    place = digest(str(package()), str(find_java()), find_home() or "")
    return cache_folder() / f"classes-{place}-{digest(installed())}.jsa"


@dataclass(frozen=True)
class Command:
    """The command with which Spark's own script starts its JVM: the program, the class path, and the options that Spark
    needs.
    """

    java: str
    classes: str
    options: tuple[str, ...]


def find_command() -> Command | None:
    """Returns the command that the archive was made with; None if there is none."""
    try:
        kept = json.loads(command_path(archive_path()).read_text())
        return Command(kept["java"], kept["classes"], tuple(kept["options"]))
    except (OSError, OutsideError, ValueError, KeyError):
        return None


def command_path(archive: Path) -> Path:
    """Returns the path of the file with the command that an archive was made with."""
    return archive.with_suffix(".json")


def make_archive() -> Path:
    """Makes the archive in a process of its own, which takes about half a minute."""
    check_pyspark()
    path = archive_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="firesteel-warm-", dir=path.parent) as folder:
        made = Path(folder) / "classes.jsa"
        command = [sys.executable, "-P", "-m", _LOADER, str(made)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
        if ended.returncode != 0 or not made.is_file():
            reason = ended.stderr.strip().splitlines()[-1:] or ["it printed nothing"]
            raise OutsideError(f"The archive of Spark's classes was not made: {reason[0]}")
        for older in path.parent.glob(f"{path.stem.rpartition('-')[0]}-*"):
            older.unlink(missing_ok=True)
        command_path(made).replace(command_path(path))
        made.replace(path)
    return path
