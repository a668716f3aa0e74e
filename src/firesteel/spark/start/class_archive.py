"""An archive of Spark's classes, as the JVM has them in memory once they are loaded: half of a start goes into loading them.

It is made once, by a small streaming job in a process of its own (`firesteel warm`), and used by every start after that. A
JVM that finds that an archive is not for its jars leaves it alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel.errors import OutsideError
from firesteel.folder import cache_folder
from firesteel.java import find_java
from firesteel.plan.expression import Literal
from firesteel.plan.node.relation import Values
from firesteel.spark.start.spark_home import digest, find_home, installed, package
from firesteel.spark.start.version import check_pyspark
from firesteel.types import BigInt, Field

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PATIENCE = 180.0


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
        kept = json.loads(_command_path(archive_path()).read_text())
        return Command(kept["java"], kept["classes"], tuple(kept["options"]))
    except (OSError, OutsideError, ValueError, KeyError):
        return None


def _command_path(archive: Path) -> Path:
    return archive.with_suffix(".json")


def make_archive() -> Path:
    """Makes it in a process of its own; takes about half a minute."""
    check_pyspark()
    path = archive_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="firesteel-warm-", dir=path.parent) as folder:
        made = Path(folder) / "classes.jsa"
        command = [sys.executable, "-P", "-m", "firesteel.spark.start.class_archive", str(made)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
        if ended.returncode != 0 or not made.is_file():
            told = ended.stderr.strip().splitlines()[-1:] or ["it said nothing"]
            raise OutsideError(f"The archive of Spark's classes was not made: {told[0]}")
        for older in path.parent.glob(f"{path.stem.rpartition('-')[0]}-*"):
            older.unlink(missing_ok=True)
        _command_path(made).replace(_command_path(path))
        made.replace(path)
    return path


def _load_classes(made: Path) -> None:
    """Runs what every job runs: a source in Python, state, rows to Python and back, a checkpoint."""
    from firesteel.spark.start.configuration import JVM_OPTIONS
    from firesteel.spark.start.master import local_master
    from firesteel.spark.start.session import open_session

    folder = made.parent
    option = f"-XX:ArchiveClassesAtExit={made}"
    session = open_session(local_master(2), {"spark.sql.shuffle.partitions": "2"}, folder / "spark.log", option)
    _command_path(made).write_text(
        json.dumps(asdict(_read_command(session, (session.conf.get(JVM_OPTIONS) or "").split())))
    )
    _run(session, folder)
    gateway: Any = session.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    # The JVM ends when nobody can write to it any more, and writes the archive then.
    gateway.proc.stdin.close()
    gateway.proc.wait(_PATIENCE)


def _read_command(session: SparkSession, ours: list[str]) -> Command:
    """What the JVM was started with, without the options that are ours: Spark's script asks a JVM of its own for that."""
    jvm: Any = session.sparkContext._jvm
    system = jvm.java.lang.System
    told = jvm.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()
    options = [one for one in told if one not in ours and not one.startswith("-Xmx")]
    program = Path(system.getProperty("java.home")) / "bin" / "java"
    return Command(str(program), system.getProperty("java.class.path"), tuple(options))


def _run(session: SparkSession, folder: Path) -> None:
    from pyspark.sql import functions as F

    from firesteel.spark.source.values import read_values

    field = Field("number", BigInt())
    numbers = Values((field,), tuple((Literal(value, field.type),) for value in range(10)))
    rows = read_values(session, "firesteel-numbers", 0, numbers)
    counted = rows.where("number >= 0").groupBy(F.col("number") % 3).agg(F.count("*").alias("n"), F.sum("number"))
    for number, stream in enumerate((rows, counted)):
        query = (
            stream.writeStream.outputMode("update")
            .foreachBatch(_batch)
            .option("checkpointLocation", str(folder / f"checkpoint-{number}"))
            .start()
        )
        query.processAllAvailable()
        query.stop()


def _batch(rows: DataFrame, number: int) -> None:
    rows.mapInArrow(_pass, rows.schema).collect()


def _pass(batches: Iterable[Any]) -> Iterator[Any]:
    yield from batches


if __name__ == "__main__":
    _load_classes(Path(sys.argv[1]))
