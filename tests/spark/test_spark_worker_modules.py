"""What a Python worker needs is loaded in the process that workers are forked from: else each would load it for itself."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark import cloudpickle

from firesteel.errors import Source
from firesteel.observe.shown import print_rows
from firesteel.plan.analyze import analyze
from firesteel.plan.node.relation import scans
from firesteel.spark.connector.port import SinkPlace
from firesteel.spark.connector.runtimes import Runtimes
from firesteel.spark.sink.batch import BatchEnd, Gate
from firesteel.spark.source.packed_reader import PackedReader
from firesteel.spark.source.scan import SourcePlace, source_spec
from firesteel.storage.local import LocalFolder

_KAFKA = "'properties.bootstrap.servers' = 'localhost:1', 'properties.group.id' = 'g', 'format'"
_SCRIPT = f"""
CREATE TABLE src (name STRING, id INT) WITH ('connector' = 'kafka', 'topic' = 's', {_KAFKA} = '{{}}');
CREATE TABLE snk (name STRING, id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'sink.delivery-guarantee' = '{{}}', {_KAFKA} = '{{}}');
INSERT INTO snk SELECT name, id FROM src;
"""

#: Loads what the fork server loads, then what a worker is given, and prints the modules of ours that were missing.
_WORKER = """
import pickle, runpy, sys
from firesteel.spark.start import fork_server
fork_server._load()
before = set(sys.modules)
reader, task = pickle.loads(sys.stdin.buffer.read())
reader = pickle.loads(reader)._reader
task = pickle.loads(task)
from firesteel.spark.connector.kafka.record_decoder import RecordDecoder
decoder = RecordDecoder(reader.spec.decoding)
assert list(task([])) is not None
print(sorted(name for name in set(sys.modules) - before if name.startswith("firesteel")))
"""


@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once"])
@pytest.mark.parametrize(("source", "sink"), [("json", "avro"), ("debezium-json", "canal-json"), ("csv", "raw")])
def test_a_forked_worker_loads_nothing_of_ours(source: str, sink: str, guarantee: str, tmp_path: Path) -> None:
    columns = "name STRING" if sink == "raw" else "name STRING, id INT"
    script = _SCRIPT.format(source, guarantee, sink).replace("snk (name STRING, id INT)", f"snk ({columns})")
    script = script.replace("SELECT name, id", "SELECT name") if sink == "raw" else script
    [insert] = analyze(Source("job.sql", script)).sinks
    [scan] = scans(insert)
    runtimes = Runtimes("job", [("1-snk", insert)])
    folder = LocalFolder(str(tmp_path))
    place = SourcePlace("1-snk", 0, folder, 1)
    opened = runtimes.of(insert.table).open_sink(insert, SinkPlace("1-snk", 1, False, False, True, print_rows))
    reader = runtimes.of(scan.table).open_source(scan, place).make_reader(source_spec(scan, place), opened.warm_up)
    writer = opened.make_writer(BatchEnd(folder, (), lambda batch, written: None, Gate()), [])
    rows = _Rows()
    writer.place(rows)  # type: ignore[arg-type]  # all that is asked of a DataFrame
    given = pickle.dumps((pickle.dumps(PackedReader(pickle.dumps(reader))), cloudpickle.dumps(rows.task)))  # type: ignore[no-untyped-call]
    done = subprocess.run([sys.executable, "-c", _WORKER], input=given, capture_output=True, check=False, timeout=120)
    assert (done.stdout.decode().strip(), done.returncode) == ("[]", 0), done.stderr.decode()


class _Rows:
    """Takes the place of the stream's rows, and keeps the task that is to write them."""

    columns = ("name", "id")
    task: object = None

    def mapInArrow(self, task: object, row: str) -> _Rows:
        self.task = task
        return self

    def repartition(self, tasks: int) -> _Rows:
        return self
