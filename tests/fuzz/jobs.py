"""Damaged records through real jobs: each format in each mode, over a real broker and Spark.

`python -m tests.fuzz.jobs [--rounds 200] [--format json] [--seed 20]`

No job may crash or show a traceback. In `fail` it stops at a bad record and says where it is; in `ignore` and `log` it ends, and its
counts are those that the records have when they are decoded here: rows, rejects and empties, and a letter for each reject.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path

from pyspark.sql import SparkSession
from tests.formats.formats_registry import Registry
from tests.fuzz.mutation import Table, mutate, tables
from tests.script import BOUNDED, EARLIEST, create_table

import firesteel
from firesteel.connectors.kafka.admin import close_clients, create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.record import read_records, write_records
from firesteel.formats.builtin import make_decoder
from firesteel.formats.codec import Decoded
from firesteel.spark.source.reject import refused
from firesteel.spark.start.master import local_master
from firesteel.spark.start.session import open_session
from firesteel.ui.text import render_json, render_summary

MODES = ("fail", "ignore", "log")
_PLACE = re.compile(r"topic '[^']+', partition \d+, offset \d+")


class Broken(AssertionError):
    pass


def run_job(table: Table, mode: str, values: list[bytes | None], cluster: dict[str, str], spark: SparkSession) -> str:
    """How the job ended, in words. Raises Broken."""
    expected = _expected(table, values)
    name = f"{table.name}-{mode}-{uuid.uuid4().hex[:6]}"
    source, sink, dead = f"{name}-in", f"{name}-out", f"{name}-dead"
    for topic in (source, sink, dead):
        create_topic(cluster, topic, partitions=1)
    write_records(cluster, source, [(b"k", value) for value in values])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.sql"
        path.write_text(_script(table, mode, cluster, source, sink, dead), encoding="utf-8")
        started = time.monotonic()
        try:
            job = firesteel.run(path, spark=spark)
        except firesteel.JobError as error:
            said = str(error)
            said.encode()
            if mode != "fail" or not expected["rejects"] or not _PLACE.search(said) or "Traceback" in said:
                raise Broken(f"{name}: {said}") from error
            return f"stopped: {said[:90]!r}"
        snapshot = job.snapshot()
        seconds = time.monotonic() - started
    render_summary(snapshot).encode()
    render_json(snapshot).encode()
    read = snapshot.sources
    found = Counter(rows=sum(one.rows for one in read), rejects=snapshot.rejects, empty=sum(one.empty for one in read))
    if mode == "fail" and expected["rejects"]:
        raise Broken(f"{name}: it did not fail")
    if found != expected:
        raise Broken(f"{name}: {dict(found)} and not {dict(expected)}")
    letters = list(read_records(cluster, dead))
    if len(letters) != (expected["rejects"] if mode == "log" else 0):
        raise Broken(f"{name}: {len(letters)} letters of {expected['rejects']} rejects")
    for letter in letters:
        for header, text in letter.headers:
            if header.startswith("__error."):
                (text or b"").decode()
    return f"ended after {seconds:.1f} s: " + ", ".join(f"{count} {what}" for what, count in found.items())


def _expected(table: Table, values: list[bytes | None]) -> Counter[str]:
    bound = table.bind()
    decoded: Decoded = make_decoder(bound, bound.columns).decode(values)
    rejects = refused(decoded.rejects)
    given = range(len(values)) if decoded.origin is None else decoded.origin.to_pylist()
    empty = set(range(len(values))) - set(given) - {reject.index for reject in rejects}
    return Counter(rows=decoded.batch.num_rows, rejects=len(rejects), empty=len(empty))


def _script(table: Table, mode: str, cluster: dict[str, str], source: str, sink: str, dead: str) -> str:
    options = {f"{table.name}.{key}": text for key, text in table.options.items()}
    options |= {"error-handling.mode": mode, "format": table.name}
    if mode == "log":
        options["error-handling.log.target"] = dead
    said = [f"'{key}' = '{text}'" for key, text in options.items()]
    changes = "'format' = 'debezium-json'" if table.name.endswith("-json") else ""
    return (
        create_table(cluster, "src", table.columns, source, EARLIEST, BOUNDED, *said)
        + create_table(cluster, "snk", table.columns, sink, changes)
        + "INSERT INTO snk SELECT * FROM src;\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="records of each job")
    parser.add_argument("--format", action="append", help="a format's name; all of them unless given")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    print(f"seed {given.seed}, {given.rounds} records of each format in each mode", flush=True)
    status = 0
    with Registry() as registry, start_broker() as broker, tempfile.TemporaryDirectory() as folder:
        cluster = {"bootstrap.servers": broker.bootstrap}
        spark = open_session(local_master(2), {}, Path(folder) / "spark.log")
        for name, (table, *_) in tables(registry).items():
            if given.format and name not in given.format:
                continue
            values = [
                mutate(chance, table.records()) for chance in [random.Random(f"{given.seed}-{name}")] * given.rounds
            ]
            for mode in MODES:
                try:
                    print(f"{name:<16} {mode:<7} {run_job(table, mode, values, cluster, spark)}", flush=True)
                except Exception as error:
                    print(f"{name:<16} {mode:<7} BROKEN {error!r}", flush=True)
                    status = 1
        spark.stop()
        close_clients()
    return status


if __name__ == "__main__":
    sys.exit(main())
