"""How much memory a first start on a long backlog takes: peak of the job's process tree, and progress batch by batch.

    python -m bench.memory [--rows 10000000] [--seconds 120] [--partitions 4] [--max-rows 1000000]

Starts a broker of its own, fills one topic with all rows, then starts two jobs on it, one after the other, from the
earliest offset: one that copies every row, and the reference job. Each runs to the end of the topic, or for `--seconds`.
Once a second the memory of `firesteel run`, its JVM and its Python workers is added up: what is resident, where pages that
several of them share count once.
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


@dataclass(frozen=True)
class Sample:
    """Megabytes, by kind of process."""

    jvm: float
    python: float

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
    jvm = python = 0.0
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        waiting += children.get(pid, [])
        try:
            told = (Path("/proc") / str(pid) / "smaps_rollup").read_text()
        except OSError:
            continue
        shares = [line.split()[1] for line in told.splitlines() if line.startswith("Pss:")]
        megabytes = int(shares[0]) * 1024 / 1e6 if shares else 0.0
        if names.get(pid) == "java":
            jvm += megabytes
        else:
            python += megabytes
    return Sample(jvm, python)


def follow(lines: IO[str], found: list[tuple[float, int, int]], started: float) -> None:
    """Notes (seconds, batches, rows) whenever a batch has ended."""
    for line in lines:
        report = json.loads(line)
        if not found or report["batches"] > found[-1][1]:
            found.append((time.monotonic() - started, report["batches"], report["rows_read"]))


def measure(script: Path, rows: int, seconds: float) -> dict[str, object]:
    started = time.monotonic()
    command = [sys.executable, "-m", "firesteel.cli.main", "run", str(script), "--json"]
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
    args = parser.parse_args()
    views = PageViews(args.rows, users=args.users)
    with start_broker(heap="1g") as broker, tempfile.TemporaryDirectory() as folder:
        cluster = {"bootstrap.servers": broker.bootstrap}
        create_topic(cluster, "pageviews", partitions=args.partitions)
        started = time.monotonic()
        fill_topic(cluster, "pageviews", views, args.partitions)
        print(f"{args.rows:,} rows filled in {time.monotonic() - started:.0f} s", flush=True)
        for name, text in (("copy", COPY), ("reference", SCRIPT)):
            create_topic(cluster, name, partitions=args.partitions)
            if args.max_rows:
                limit = f"'scan.max-rows-per-batch' = '{args.max_rows}'"
                text = text.replace("'scan.startup.mode'", f"{limit}, 'scan.startup.mode'")
            script = Path(folder) / f"{name}.sql"
            script.write_text(text.format(views="pageviews", counts=name, bootstrap=broker.bootstrap))
            print(json.dumps(measure(script, args.rows, args.seconds)), flush=True)


if __name__ == "__main__":
    main()
