"""Makes the archive of Spark's classes (`start/class_archive.py`): the program runs what every job runs.

python -m firesteel.spark.job.class_loader ARCHIVE
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from firesteel.plan.expression import Literal
from firesteel.plan.node.relation import Values
from firesteel.spark.internals import find_gateway, jvm_of
from firesteel.spark.source.values import read_values
from firesteel.spark.start.class_archive import Command, command_path
from firesteel.spark.start.configuration import JVM_OPTIONS
from firesteel.spark.start.master import local_master
from firesteel.spark.start.session import open_session
from firesteel.types import BigInt, Field

#: How long the JVM may take to write the archive.
_PATIENCE = 180.0


def _load_classes(made: Path) -> None:
    """Runs what every job runs: a source in Python, state, rows to Python and back, a checkpoint."""
    folder = made.parent
    option = f"-XX:ArchiveClassesAtExit={made}"
    session = open_session(local_master(2), {"spark.sql.shuffle.partitions": "2"}, folder / "spark.log", option)
    command_path(made).write_text(
        json.dumps(asdict(_read_command(session, (session.conf.get(JVM_OPTIONS) or "").split())))
    )
    _run(session, folder)
    gateway = find_gateway()
    session.stop()
    gateway.shutdown()
    # The JVM ends when nobody can write to it any more, and writes the archive then.
    gateway.proc.stdin.close()
    gateway.proc.wait(_PATIENCE)


def _read_command(session: SparkSession, ours: list[str]) -> Command:
    """Reads what the JVM was started with, without our own options: Spark's script asks a JVM of its own for that."""
    jvm = jvm_of(session)
    system = jvm.java.lang.System
    given = jvm.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()
    options = [one for one in given if one not in ours and not one.startswith("-Xmx")]
    program = Path(system.getProperty("java.home")) / "bin" / "java"
    return Command(str(program), system.getProperty("java.class.path"), tuple(options))


def _run(session: SparkSession, folder: Path) -> None:
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
