"""One bad record among a million good ones: what it costs, and what becomes of it.

    python -m bench.bad_record [--rows 1000000] [--runs 2]

A clean topic and one that has a bad record in its middle are copied in turn, with each error-handling mode; each run says
its rows per second and its CPU, and the last line the worst ratios to the clean topic. On a machine that does other things
too, CPU is the figure to go by. Every result is checked on the way.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition

import firesteel
from bench.reference import cpu_seconds
from firesteel.connectors.kafka.admin import create_topic, describe_topics
from firesteel.dev.broker.broker import Broker, start_broker
from firesteel.dev.record import read_records
from firesteel.observe.snapshot import JobSnapshot

PARTITIONS = 4

SCRIPT = """
CREATE TABLE events (id BIGINT, name STRING, amount DOUBLE) WITH (
  'connector' = 'kafka', 'topic' = '{source}', 'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json',
  'properties.group.id' = 'g-{sink}', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'scan.max-rows-per-batch' = '250000'{mode}
);
CREATE TABLE copies (id BIGINT, name STRING, amount DOUBLE) WITH (
  'connector' = 'kafka', 'topic' = '{sink}', 'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json'
);
INSERT INTO copies SELECT id, name, amount FROM events;
"""

MODES = {
    "fail": "",
    "ignore": ", 'error-handling.mode' = 'ignore'",
    "log": ", 'error-handling.mode' = 'log', 'error-handling.log.target' = 'dead-{sink}'",
}


def fill(cluster: Mapping[str, str], topic: str, rows: int, bad: int | None) -> None:
    producer = Producer({**cluster, "linger.ms": 50, "queue.buffering.max.messages": 500_000})
    for number in range(rows):
        value = "{oops" if number == bad else f'{{"id":{number},"name":"event {number % 97}","amount":{number / 8}}}'
        while True:
            try:
                producer.produce(topic, value, partition=number % PARTITIONS)
                break
            except BufferError:
                producer.poll(0.1)
    assert producer.flush(120) == 0


class Bench:
    def __init__(self, broker: Broker, folder: Path, rows: int) -> None:
        self.cluster = {"bootstrap.servers": broker.bootstrap}
        self.outside = frozenset({broker.keeper_pid})
        self.folder = folder
        self.rows = rows
        self.bad = rows // 2 + 1
        self._number = 0
        for topic, bad in (("clean", None), ("one-bad", self.bad)):
            create_topic(self.cluster, topic, partitions=PARTITIONS)
            fill(self.cluster, topic, rows, bad)

    def script(self, source: str, mode: str) -> tuple[Path, str]:
        self._number += 1
        sink = f"copies-{self._number}"
        create_topic(self.cluster, sink, partitions=PARTITIONS)
        path = self.folder / f"run{self._number}.sql"
        chosen = MODES[mode].format(sink=sink)
        path.write_text(
            SCRIPT.format(source=source, sink=sink, mode=chosen, bootstrap=self.cluster["bootstrap.servers"])
        )
        return path, sink

    def measure(self, source: str, mode: str) -> tuple[float, float, JobSnapshot, str]:
        path, sink = self.script(source, mode)
        cpu, began = sum(cpu_seconds(os.getpid(), self.outside).values()), time.monotonic()
        job = firesteel.run(path)
        rate = self.rows / (time.monotonic() - began)
        cpu = sum(cpu_seconds(os.getpid(), self.outside).values()) - cpu
        [described] = describe_topics(self.cluster, [sink])
        snapshot = job.snapshot()
        assert described.records == snapshot.rows_written == self.rows - (source == "one-bad")
        return rate, cpu, snapshot, sink

    def place(self) -> tuple[int, int]:
        return self.bad % PARTITIONS, self.bad // PARTITIONS

    def check_refused(self, mode: str, snapshot: JobSnapshot, sink: str) -> None:
        [source] = snapshot.sources
        partition, offset = self.place()
        assert dict(source.rejects) == {"malformed": 1}, source
        assert source.first_reject == f"topic 'one-bad', partition {partition}, offset {offset}", source
        if mode == "log":
            [letter] = read_records(self.cluster, f"dead-{sink}")
            assert dict(letter.headers)["__error.offset"] == str(offset).encode()

    def check_fail(self) -> None:
        """The job stops at the record, its group stays before it, and with 'ignore' it goes on to the end."""
        path, sink = self.script("one-bad", "fail")
        partition, offset = self.place()
        try:
            firesteel.run(path)
        except firesteel.JobError as error:
            assert f"topic 'one-bad', partition {partition}, offset {offset}" in error.message, error
        else:
            raise AssertionError("it did not stop")
        consumer = Consumer({**self.cluster, "group.id": f"g-{sink}"})
        [committed] = consumer.committed([TopicPartition("one-bad", partition)], timeout=30)
        consumer.close()
        assert committed.offset <= offset, committed
        path.write_text(path.read_text().replace("'scan.max-rows", f"{MODES['ignore'][2:]}, 'scan.max-rows"))
        job = firesteel.run(path)
        assert job.resumed and job.snapshot().rejects == 1
        ids = {json.loads(record.value or b"")["id"] for record in read_records(self.cluster, sink)}
        assert len(ids) == self.rows - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=2, help="measured rounds, after one that is not")
    args = parser.parse_args()
    with start_broker(heap="1g") as broker, tempfile.TemporaryDirectory() as folder:
        bench = Bench(broker, Path(folder), args.rows)
        bench.measure("clean", "fail")
        rates: dict[str, float] = {}
        costs: dict[str, float] = {}
        for _ in range(args.runs):
            for source, mode in (("clean", "fail"), ("one-bad", "ignore"), ("one-bad", "log")):
                rate, cpu, snapshot, sink = bench.measure(source, mode)
                if source == "one-bad":
                    bench.check_refused(mode, snapshot, sink)
                name = "clean" if source == "clean" else mode
                rates[name], costs[name] = max(rates.get(name, 0.0), rate), min(costs.get(name, cpu), cpu)
                figures = {"rows_per_second": round(rate), "cpu_seconds": round(cpu, 1)}
                print(json.dumps({"topic": source, "mode": mode, **figures}), flush=True)
        bench.check_fail()
        speed = min(rates["ignore"], rates["log"]) / rates["clean"]
        cost = costs["clean"] / max(costs["ignore"], costs["log"])
        print(
            json.dumps({"rows": args.rows, "throughput_ratio": round(speed, 2), "cpu_ratio": round(cost, 2)}),
            flush=True,
        )


if __name__ == "__main__":
    main()
