"""How much memory a first start on a long backlog takes: peak of the job's process tree, and progress batch by batch.

    python -m bench.memory [--jobs copy,reference,keyed] [--rows 10000000] [--seconds 120] [--partitions 4] [--max-rows 1000000]
                           [--set KEY=VALUE]

Starts a broker of its own, fills a topic with all rows, then starts jobs on it, one after the other, from the earliest offset: one that
copies every row, the reference job, and `keyed`, an aggregate with MAX on the state engine over a changelog in which each row has a key of
its own. Each runs to the end of the topic, or for `--seconds`. Once a second the memory of `firesteel run`, its JVM and its Python workers
is added up: what is resident, where pages that several of them share count once, and how much of it cannot be dropped: all but clean pages
of files.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.state import Changes
from firesteel.cli.demo import SCRIPT
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.pageviews import PageViews, fill_topic

COPY = """\
CREATE TABLE pageviews (user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP, user_region STRING)
WITH ('connector' = 'kafka', 'topic' = '{views}', 'properties.bootstrap.servers' = '{bootstrap}',
      'format' = 'json', 'properties.group.id' = 'copy', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE copies (user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP, user_region STRING)
WITH ('connector' = 'kafka', 'topic' = '{counts}', 'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json');
INSERT INTO copies SELECT user_id, page_id, viewtime, user_region FROM pageviews;
"""
KEYED = """\
CREATE TABLE changes (k BIGINT, v BIGINT) WITH ('connector' = 'kafka', 'topic' = 'changes', 'format' = 'debezium-json',
  'properties.bootstrap.servers' = '{bootstrap}', 'properties.group.id' = 'keyed', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE totals (k BIGINT, n BIGINT, total BIGINT, most BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT k, COUNT(*), SUM(v), MAX(v) FROM changes GROUP BY k;
"""
_JOBS = {"copy": COPY, "reference": SCRIPT, "keyed": KEYED}


@dataclass(frozen=True)
class Sample:
    """Megabytes, by kind of process, and how many of them all are no clean pages of files."""

    jvm: float
    python: float
    held: float

    @property
    def total(self) -> float:
        return self.jvm + self.python


def resident(root: int) -> Sample:
    """The memory of a process and everything below it."""
    children: dict[int, list[int]] = {}
    names: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        pid = int(entry.name)
        names[pid] = name
        children.setdefault(int(rest.split()[1]), []).append(pid)
    jvm = python = held = 0.0
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        waiting += children.get(pid, [])
        try:
            told = (Path("/proc") / str(pid) / "smaps_rollup").read_text()
        except OSError:
            continue
        shares = {
            words[0]: int(words[1]) * 1024 / 1e6 for line in told.splitlines()[1:] if len(words := line.split()) > 1
        }
        megabytes = shares.get("Pss:", 0.0)
        held += max(shares.get("Pss_Anon:", 0.0) + shares.get("Pss_Shmem:", 0.0), shares.get("Pss_Dirty:", 0.0))
        if names.get(pid) == "java":
            jvm += megabytes
        else:
            python += megabytes
    return Sample(jvm, python, held)


def follow(lines: IO[str], found: list[tuple[float, int, int]], started: float) -> None:
    """Notes (seconds, batches, rows) whenever a batch has ended."""
    for line in lines:
        report = json.loads(line)
        if not found or report["batches"] > found[-1][1]:
            found.append((time.monotonic() - started, report["batches"], report["rows_read"]))


def measure(script: Path, rows: int, seconds: float, settings: list[str]) -> dict[str, object]:
    started = time.monotonic()
    chosen = [word for setting in settings for word in ("--set", setting)]
    command = [sys.executable, "-m", "firesteel.cli.main", "run", str(script), "--json", *chosen]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    batches: list[tuple[float, int, int]] = []
    samples: list[Sample] = []
    assert process.stdout is not None
    reader = threading.Thread(target=follow, args=(process.stdout, batches, started), daemon=True)
    reader.start()
    try:
        while process.poll() is None and time.monotonic() - started < seconds:
            samples.append(resident(process.pid))
            if batches and batches[-1][2] >= rows:
                break
            time.sleep(1)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    # The first report says that nothing has been read yet.
    done = [batch for batch in batches if batch[2]]
    peak = max(samples, key=lambda sample: sample.total)
    return {
        "job": script.stem,
        "rows_waiting": rows,
        "rows_read": done[-1][2] if done else 0,
        "seconds": round(done[-1][0], 1) if done else None,
        "first_batch_after_seconds": round(done[0][0], 1) if done else None,
        "rows_of_first_batch": done[0][2] if done else 0,
        "batches": done[-1][1] if done else 0,
        "peak_mb": round(peak.total),
        "peak_jvm_mb": round(peak.jvm),
        "peak_python_mb": round(peak.python),
        "peak_held_mb": round(max(sample.held for sample in samples)),
        "mb_by_tenth": [round(part) for part in tenths([sample.total for sample in samples])],
    }


def tenths(values: list[float]) -> Iterator[float]:
    """The highest value in each tenth of the run: what grows shows."""
    for part in range(10):
        chunk = values[len(values) * part // 10 : len(values) * (part + 1) // 10]
        if chunk:
            yield max(chunk)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=120.0, help="the longest each job runs")
    parser.add_argument("--max-rows", type=int, default=None, help="rows per batch; else the default of the option")
    parser.add_argument("--jobs", default=",".join(_JOBS))
    parser.add_argument("--set", action="append", default=[], help="a setting of the jobs, as KEY=VALUE")
    args = parser.parse_args()
    names = args.jobs.split(",")
    with start_broker(heap="1g") as broker, tempfile.TemporaryDirectory() as folder:
        cluster = {"bootstrap.servers": broker.bootstrap}
        started = time.monotonic()
        if {"copy", "reference"}.intersection(names):
            create_topic(cluster, "pageviews", partitions=args.partitions)
            fill_topic(cluster, "pageviews", PageViews(args.rows, users=args.users), args.partitions)
        if "keyed" in names:
            create_topic(cluster, "changes", partitions=args.partitions)
            Changes(cluster, "changes", args.rows, args.partitions).insert()
        print(f"{args.rows:,} rows filled in {time.monotonic() - started:.0f} s", flush=True)
        for name in names:
            create_topic(cluster, name, partitions=args.partitions)
            text = _JOBS[name]
            if args.max_rows:
                limit = f"'scan.max-rows-per-batch' = '{args.max_rows}'"
                text = text.replace("'scan.startup.mode'", f"{limit}, 'scan.startup.mode'")
            script = Path(folder) / f"{name}.sql"
            script.write_text(text.format(views="pageviews", counts=name, bootstrap=broker.bootstrap))
            print(json.dumps(measure(script, args.rows, args.seconds, args.set)), flush=True)


if __name__ == "__main__":
    main()
