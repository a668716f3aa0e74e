"""An archive of Spark's classes, as the JVM has them in memory once they are loaded: half of a start goes into loading them.

It is made once, by a small streaming job in a process of its own (`firesteel warm`), and used by every start after that. A
JVM that finds that an archive is not for its jars leaves it alone.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark

from firesteel.errors import OutsideError
from firesteel.folder import cache_folder
from firesteel.java import find_java
from firesteel.plan.expression import Literal
from firesteel.plan.node import Values
from firesteel.spark.home import find_home
from firesteel.types import BigInt, Field

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Says nothing, whatever is wrong with an archive: without it a start is slower, and that is all.
_QUIET = "-Xlog:disable -Xlog:all=error:stderr"
_PATIENCE = 180.0


def archive_options() -> str:
    """What a JVM is told so that it uses the archive, if there is one."""
    path = archive_path()
    return f"-XX:SharedArchiveFile={path} -Xshare:auto {_QUIET}" if path.is_file() else ""


def archive_path() -> Path:
    """One for each Java and each PySpark, and another one when that is installed again: the JVM compares the times of jars."""
    package = Path(pyspark.__file__).parent
    place = _digest([str(package), str(find_java()), find_home() or ""])
    return (
        cache_folder() / f"classes-{place}-{_digest([pyspark.__version__, (package / 'jars').stat().st_mtime_ns])}.jsa"
    )


def _digest(about: list[str | int]) -> str:
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:8]


def make_archive() -> Path:
    """Makes it in a process of its own; takes about half a minute."""
    path = archive_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="firesteel-warm-", dir=path.parent) as folder:
        made = Path(folder) / "classes.jsa"
        command = [sys.executable, "-m", "firesteel.spark.archive", str(made)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
        if ended.returncode != 0 or not made.is_file():
            told = ended.stderr.strip().splitlines()[-1:] or ["it said nothing"]
            raise OutsideError(f"The archive of Spark's classes was not made: {told[0]}")
        for older in path.parent.glob(f"{path.stem.rpartition('-')[0]}-*.jsa"):
            older.unlink(missing_ok=True)
        made.replace(path)
    return path


def _load_classes(made: Path) -> None:
    """Runs what every job runs: a source in Python, state, rows to Python and back, a checkpoint."""
    from firesteel.spark.session import local_master, open_session

    folder = made.parent
    option = f"-XX:ArchiveClassesAtExit={made} {_QUIET}"
    session = open_session(local_master(2), {"spark.sql.shuffle.partitions": "2"}, folder / "spark.log", option)
    _run(session, folder)
    gateway: Any = session.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    # The JVM ends when nobody can write to it any more, and writes the archive then.
    gateway.proc.stdin.close()
    gateway.proc.wait(_PATIENCE)


def _run(session: SparkSession, folder: Path) -> None:
    from pyspark.sql import functions as F

    from firesteel.spark.values import read_values

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
