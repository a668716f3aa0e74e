"""Kills a job with a join, an aggregate and a Top-N on the state engine, and compares what its sinks hold with DuckDB.

    python -m tests.faults.keyed [--kills 20] [--seed N]

Changes come all the time. Each round waits until the job writes, lets a moment pass, and kills all of its processes at once. In the end
the job reads what is left, and its sinks, written exactly once, must hold what DuckDB finds in the tables.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from tests.deadline import wait_for
from tests.faults.process import alive, descendants, send
from tests.oracle.topic import changes, upserted
from tests.oracle.world import World
from tests.script import EARLIEST, UPSERT, create_table

from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker

_CHANGES = "'format' = 'debezium-json'"
_SINKS = {
    "joined": (
        "id INT, g STRING, v INT",
        "",
        "SELECT o.id, p.g, o.v FROM orders AS o LEFT JOIN people AS p ON o.c = p.id",
    ),
    "extremes": (
        "k STRING, lo INT, hi INT, n BIGINT",
        "k",
        "SELECT k, MIN(v), MAX(v), COUNT(*) FROM orders WHERE k IS NOT NULL GROUP BY k",
    ),
    "best": (
        "k STRING, rn BIGINT, id INT",
        "k, rn",
        "SELECT k, rn, id FROM (SELECT k, id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC{nulls}, id) AS rn"
        " FROM orders WHERE k IS NOT NULL) WHERE rn <= 2",
    ),
}


class KilledJob:
    """The job in a process of its own, and the world whose changes it reads."""

    def __init__(self, cluster: dict[str, str], folder: Path, seed: int) -> None:
        self.cluster, self.world = cluster, World(random.Random(seed))
        self.sent = 0
        self._producer = Producer({**cluster, "linger.ms": 0})
        self._over = threading.Event()
        self._script = folder / "job.sql"
        self._script.write_text(self._sql(), encoding="utf-8")
        self._said = (folder / "said").open("ab")
        self.process = self._launch()
        self._sender = threading.Thread(target=self._send, daemon=True)
        self._sender.start()

    def _sql(self) -> str:
        once = "'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '{}'"
        few = "'scan.max-rows-per-batch' = '2000'"
        orders = "id INT, k STRING, v INT, d DECIMAL(10, 2), c INT"
        people = "id INT, g STRING, x INT, PRIMARY KEY (id) NOT ENFORCED"
        parts = [
            "SET 'parallelism.default' = '2';",
            create_table(self.cluster, "orders", orders, "orders", EARLIEST, _CHANGES, few),
            create_table(self.cluster, "people", people, "people", UPSERT, few),
        ]
        inserts = []
        for name, (columns, key, sql) in _SINKS.items():
            keyed = f"{columns}, PRIMARY KEY ({key}) NOT ENFORCED" if key else columns
            parts.append(create_table(self.cluster, name, keyed, name, UPSERT if key else _CHANGES, once.format(name)))
            inserts.append(f"INSERT INTO {name} {sql.format(nulls='')};")
        return "\n".join([*parts, "EXECUTE STATEMENT SET BEGIN", *inserts, "END;"])

    def _launch(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "firesteel.cli.main", "run", str(self._script), "--quiet"]
        return subprocess.Popen(command, stdout=self._said, stderr=self._said, start_new_session=True)

    def _send(self) -> None:
        while not self._over.wait(0.2):
            for _ in range(20):
                topic, key, value = self.world.step()
                if topic != "events":
                    self._producer.produce(topic, value, key)
                    self.sent += 1
            self._producer.poll(0)

    def written(self) -> int:
        return sum(1 for _ in changes(self.cluster, "joined"))

    def await_progress(self) -> None:
        before = self.written()
        wait_for(lambda: self.written() > before or self.process.poll() is not None, 120, "nothing was written")
        assert self.process.poll() is None, f"the job ended by itself with {self.process.returncode}"

    def kill(self) -> int:
        """Kills all processes of the job at once, and starts it again. Returns how many were killed."""
        family = {self.process.pid, *descendants(self.process.pid)}
        send(family, signal.SIGKILL)
        self.process.wait()
        wait_for(lambda: not alive(family), 30, "a process of the job still runs")
        self.process = self._launch()
        return len(family)

    def end(self) -> dict[str, Any]:
        """Lets the job read what is left, stops it, and returns what differs from DuckDB."""
        self._over.set()
        self._sender.join()
        assert self._producer.flush(30) == 0
        quiet, last = time.monotonic(), -1
        while time.monotonic() - quiet < 15:
            if (now := self.written()) != last:
                quiet, last = time.monotonic(), now
            time.sleep(1)
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0
        return {name: found for name in _SINKS if (found := self._difference(name))}

    def _difference(self, name: str) -> dict[str, Any]:
        _, key, sql = _SINKS[name]
        bag: Counter[tuple[Any, ...]] = Counter()
        if key:
            bag.update(tuple(row.values()) for row in upserted(self.cluster, name))
        else:
            for change in changes(self.cluster, name):
                for side, count in (("before", -1), ("after", 1)):
                    if change[side] is not None:
                        bag[tuple(change[side].values())] += count
        expected = Counter(self.world.answer(sql.format(nulls=" NULLS LAST")))
        missing, extra = expected - bag, {row: count - expected[row] for row, count in bag.items()}
        extra = {row: count for row, count in extra.items() if count > 0 or bag[row] < 0}
        return {"missing": dict(missing), "too much": extra} if missing or extra else {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    given = parser.parse_args()
    chance = random.Random(given.seed)
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder, start_broker() as broker:
        cluster = {"bootstrap.servers": broker.bootstrap}
        for topic in ("orders", "people", *_SINKS):
            # The changes of a row are in order: `orders` has no key in Kafka.
            create_topic(cluster, topic)
        job = KilledJob(cluster, Path(folder), given.seed)
        try:
            for number in range(1, given.kills + 1):
                job.await_progress()
                time.sleep(chance.random() * 4)
                killed = job.kill()
                print(f"{number}: {killed} processes killed after {job.sent} changes", flush=True)
            job.await_progress()
            wrong = job.end()
        finally:
            if job.process.poll() is None:
                send({job.process.pid, *descendants(job.process.pid)}, signal.SIGKILL)
        print(
            f"{job.sent} changes, {given.kills} kills, {job.written()} changes of the join written: {wrong or 'right'}"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
