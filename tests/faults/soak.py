"""The long form: a job that is killed again and again, at moments chosen by chance, and an oracle over what it wrote.

    python -m tests.faults.soak [--rounds 200] [--rows 1000000] [--seed N]

Each round adds rows and lets something die: the driver, a worker or the writer, at one of the moments of
`spark/fault.py`. Two queries run, a copy and an aggregate, both exactly-once. At the end, and while it goes on, no row may
be missing, twice, or out of its key's order. A seed repeats the same choices.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.deadline import wait_for
from tests.faults.oracle import LiveReader, all_records, copy_mistakes, count_mistakes, fill, open_ends

from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.spark.fault import VARIABLE

PARTITIONS = 2

SCRIPT = """
CREATE TABLE src (id BIGINT, k STRING, crc BIGINT) WITH ('connector' = 'kafka', 'topic' = '{source}', {common},
  'format' = 'json', 'properties.group.id' = 'g-{source}', 'scan.startup.mode' = 'earliest-offset',
  'scan.max-rows-per-batch' = '{batch}');
CREATE TABLE copies (id BIGINT, k STRING, crc BIGINT) WITH ('connector' = 'kafka', 'topic' = '{copies}', {common},
  'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'k', 'sink.delivery-guarantee' = '{guarantee}');
CREATE TABLE counts (k STRING, n BIGINT, `last` BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = '{counts}', {common}, 'key.format' = 'raw', 'value.format' = 'json',
  'sink.delivery-guarantee' = '{guarantee}');
INSERT INTO copies SELECT id, k, crc FROM src;
INSERT INTO counts SELECT k, COUNT(*), MAX(id) FROM src GROUP BY k HAVING MOD(COUNT(*), 3) <> 0;
"""


@dataclass(frozen=True)
class Blow:
    """What happens to the job, and when. `kills_driver`: the job has to be started again."""

    moment: str
    action: str

    @property
    def kills_driver(self) -> bool:
        return self.action == "kill-driver" or (self.action == "kill" and self.moment in ("m1", "m7", "m8"))


#: Every moment at which a driver can die, and those at which a writer can.
DRIVER_BLOWS = tuple(
    Blow(moment, "kill" if moment in ("m1", "m7", "m8") else "kill-driver")
    for moment in ("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8")
)
WRITER_BLOWS = tuple(Blow(moment, action) for moment in ("m2", "m3", "m4", "m5", "m6") for action in ("kill", "raise"))


class FaultyJob:
    """The job in a process of its own, its readers, and the file that says what goes wrong next."""

    def __init__(
        self,
        cluster: Mapping[str, str],
        folder: Path,
        topics: tuple[str, str, str],
        *,
        guarantee: str = "exactly-once",
        batch: int = 100_000,
        patience: float = 180.0,
    ) -> None:
        self.cluster, self.folder, self.patience = cluster, folder, patience
        self.source, self.copies, self.counts = topics
        self.exactly = guarantee == "exactly-once"
        self.rows = 0
        self.starts = 0
        self._strikes = 0
        self._fault = folder / "fault"
        self._out = folder / "faulty.out"
        self._said_before = 0
        self.process: subprocess.Popen[bytes] | None = None
        common = f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"
        self._script = folder / "faulty.sql"
        self._script.write_text(
            SCRIPT.format(
                source=self.source,
                copies=self.copies,
                counts=self.counts,
                common=common,
                guarantee=guarantee,
                batch=batch,
            )
        )
        self._command = [sys.executable, "-m", "firesteel.cli.main", "run", str(self._script), "--quiet"]
        self.readers = [LiveReader(cluster, topic, PARTITIONS) for topic in (self.copies, self.counts)]

    def start(self) -> None:
        if self.process is not None and self.process.poll() is None:
            return
        if self.process is not None and self.process.returncode != -signal.SIGKILL:
            raise AssertionError(f"the job ended by itself: {self.said()}")
        self.launch()

    def launch(self) -> None:
        """In a process of its own. What it says is kept from here on."""
        self.starts += 1
        self._said_before = self._out.stat().st_size if self._out.exists() else 0
        with self._out.open("ab") as out:
            self.process = subprocess.Popen(
                self._command,
                stdout=out,
                stderr=out,
                start_new_session=True,
                env={**os.environ, VARIABLE: str(self._fault)},
            )

    def signal(self, number: signal.Signals) -> None:
        """To the driver, its JVM and its workers."""
        assert self.process is not None
        os.killpg(self.process.pid, number)

    def run_beside(self) -> subprocess.CompletedProcess[str]:
        """The same job once more, while this one is there."""
        return subprocess.run(self._command, capture_output=True, text=True, timeout=self.patience, check=False)

    def said(self) -> str:
        """Since it was started last."""
        return self._out.read_bytes()[self._said_before :].decode(errors="replace")[-4000:]

    def add(self, rows: int) -> None:
        fill(self.cluster, self.source, self.rows, rows)
        self.rows += rows

    def strike(self, blow: Blow, batch: str = "*") -> None:
        """Waits until it has happened, and until the driver is dead where that was asked for."""
        ready = self.folder / "fault.new"
        self._strikes += 1
        ready.write_text(f"{blow.moment} {batch} {blow.action} {self._strikes}")
        ready.replace(self._fault)
        self.start()
        assert self.process is not None
        wait_for(lambda: not self._fault.exists() or self.is_dead(), self.patience, f"{blow} did not happen")
        if blow.kills_driver:
            wait_for(self.is_dead, self.patience, f"{blow}: the driver did not die")
        elif self.is_dead():
            raise AssertionError(f"{blow} ended the job: {self.said()}")

    def is_dead(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def finish(self) -> list[str]:
        """Lets the job read everything, stops it, and says what is wrong with the output."""
        # Something new, so that the job is known to run when it is stopped.
        self.add(10 * PARTITIONS)
        self.start()
        assert self.process is not None
        # What has gathered behind the failures comes first.
        wait_for(lambda: self._has_all() or self.is_dead(), 3 * self.patience, "the rows did not come out")
        assert not self.is_dead(), self.said()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(self.patience) == 0, self.said()
        mistakes = []
        for reader, check in zip(self.readers, (copy_mistakes, count_mistakes), strict=True):
            mistakes += [f"live: {text}" for text in check(reader.stop(), self.rows, exactly=self.exactly)]
        for topic, check in ((self.copies, copy_mistakes), (self.counts, count_mistakes)):
            mistakes += [
                f"{topic}: {text}" for text in check(all_records(self.cluster, topic), self.rows, exactly=self.exactly)
            ]
            mistakes += open_ends(self.cluster, topic)
        return mistakes

    def repeated(self) -> list[str]:
        """Rows of the copy that are there more than once."""
        ids = Counter(json.loads(record.value or b"{}")["id"] for record in all_records(self.cluster, self.copies))
        return [f"row {number} is there {times} times" for number, times in ids.items() if times > 1]

    def _has_all(self) -> bool:
        copies, counts = (list(reader.records) for reader in self.readers)
        return len(copies) >= self.rows and not (
            copy_mistakes(copies, self.rows, exactly=False) or count_mistakes(counts, self.rows, exactly=False)
        )

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--guarantee", default="exactly-once", choices=("exactly-once", "at-least-once"))
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    # The job is in a session of its own: who ends this has to end it too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    chance = random.Random(args.seed)
    with start_broker(heap="1g") as broker, tempfile.TemporaryDirectory() as folder:
        cluster = {"bootstrap.servers": broker.bootstrap}
        topics = ("source", "copies", "counts")
        for topic in topics:
            create_topic(cluster, topic, partitions=PARTITIONS)
        portion = args.rows // args.rounds
        job = FaultyJob(
            cluster, Path(folder), topics, guarantee=args.guarantee, batch=max(1, portion // 2), patience=300.0
        )
        # Writers of 'at-least-once' have fewer moments.
        writers = WRITER_BLOWS if job.exactly else tuple(blow for blow in WRITER_BLOWS if blow.moment == "m6")
        drivers = DRIVER_BLOWS if job.exactly else tuple(blow for blow in DRIVER_BLOWS if blow.moment in "m1 m6 m7 m8")
        try:
            for number in range(args.rounds):
                job.add(portion if number else args.rows - portion * (args.rounds - 1))
                blow = chance.choice(drivers if chance.random() < 0.5 else writers)
                began = time.monotonic()
                job.strike(blow)
                print(f"round {number + 1}: {blow.moment} {blow.action}, {time.monotonic() - began:.1f} s", flush=True)
            mistakes = job.finish()
        finally:
            job.close()
        print(f"{job.rows:,} rows, {args.rounds} rounds, {job.starts} starts, {len(mistakes)} mistakes", flush=True)
        for text in mistakes[:20]:
            print(f"  {text}", flush=True)
        sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()
