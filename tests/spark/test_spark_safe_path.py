"""A file in the current folder that has the name of one of Python's own modules is not run by Spark's processes (finding a13)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.spark.start.class_archive import find_command

#: Modules that PySpark, Arrow or pandas load, and one of the folder's own.
NAMES = ("grp", "token", "select", "types", "random", "numbers")

JOB = """
import sys
from pathlib import Path
from firesteel.plan.expression import Literal
from firesteel.plan.node.relation import Values
from firesteel.spark.start.early_jvm import launch
from firesteel.spark.start.session import open_session
from firesteel.spark.source.values import read_values
from firesteel.types import BigInt, Field

def tell(batches):
    import grp, token, select, beside
    import pyarrow as pa
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"place": [grp.__file__ or "", token.__file__, beside.__file__, *sys.path]})

log, way = Path(sys.argv[1]), sys.argv[2]
launched = launch(None, {}, log) if way == "launch" else None
assert (launched is not None) == (way == "launch")
session = open_session(None, {}, log, launched=launched)
if way == "plain":
    # What a cluster's workers do, and where nothing can be forked.
    session.sparkContext.pythonExec = sys.executable
field = Field("number", BigInt())
rows = read_values(session, "numbers", 0, Values((field,), ((Literal(1, BigInt()),),)))
query = rows.writeStream.foreachBatch(lambda rows, number: print(rows.count(), "row"))
query = query.option("checkpointLocation", sys.argv[3]).start()
query.processAllAvailable()
query.stop()
for row in session.range(1, numPartitions=1).mapInArrow(tell, "place string").collect():
    print(row.place)
"""


@pytest.mark.parametrize("way", ["launch", "pyspark", "plain"])
def test_findings_a13_a_module_in_the_current_folder(way: str, tmp_path: Path) -> None:
    if way == "launch" and find_command() is None:
        pytest.skip("firesteel warm has not been run")
    here = tmp_path / "here"
    here.mkdir()
    marker = tmp_path / "marker"
    for name in NAMES:
        (here / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write({name!r})\n")
    (here / "beside.py").write_text("")
    job = tmp_path / "job.py"
    job.write_text(JOB)
    # Spark has left its variables in this process.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    ended = subprocess.run(
        [sys.executable, str(job), str(tmp_path / "spark.log"), way, str(tmp_path / "checkpoint")],
        cwd=here,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not marker.exists(), f"{marker.read_text()} of the current folder was run"
    assert ended.returncode == 0, ended.stderr + (tmp_path / "spark.log").read_text()[-3000:]
    first, _, token, beside, *path = ended.stdout.splitlines()
    assert first == "1 row"
    # What lies there can be imported, behind everything else.
    assert Path(beside).parent == here and Path(token).parent != here
    assert path[-1] == str(here) and path.count(str(here)) == 1
