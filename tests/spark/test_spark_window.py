"""Windows in a job that goes on: the watermark over partitions and batches, late rows, the end. Answers stand in tests/jobs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.deadline import wait_for
from tests.script import BOUNDED, EARLIEST, create_table

import firesteel
from firesteel.dev.record import read_records
from firesteel.spark.job.job import Job

pytestmark = pytest.mark.spark

DAY = datetime(2020, 1, 1)

Event = tuple[str, int, float]


class Stream:
    """A topic of events, any number of topics for results, and scripts over them."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster, self._make_topic, self.folder = cluster, make_topic, folder
        self._producer = Producer({**cluster, "linger.ms": 0, "log_level": 0})
        self.source = ""

    def script(self, *queries: str, source: str = "", before: str = "", partitions: int = 1) -> tuple[Path, list[str]]:
        self.source = self.source or self._make_topic(partitions=partitions, retention_ms="-1")
        columns = "k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND"
        group = f"'properties.group.id' = 'g-{self.source}'"
        text = before + create_table(self.cluster, "src", columns, self.source, group, EARLIEST, source)
        sinks = []
        for number, query in enumerate(queries):
            sinks.append(self._make_topic())
            columns = "s TIMESTAMP(3), e TIMESTAMP(3), k STRING, n BIGINT"
            text += create_table(self.cluster, f"snk{number}", columns, sinks[-1])
            text += f"INSERT INTO snk{number} {query};\n"
        path = self.folder / "job.sql"
        path.write_text(text)
        return path, sinks

    def write(self, events: Iterable[Event], partition: int = 0) -> None:
        for key, value, second in events:
            row = {"k": key, "v": value, "ts": _text(DAY + timedelta(seconds=second))}
            self._producer.produce(self.source, json.dumps(row), partition=partition)
        assert self._producer.flush(30) == 0

    def read(self, topic: str) -> Counter[tuple[str, str, str, int]]:
        found: Counter[tuple[str, str, str, int]] = Counter()
        for record in read_records(self.cluster, topic):
            row = json.loads(record.value or b"{}")
            found[row["s"], row["e"], row["k"], row["n"]] += 1
        return found


@pytest.fixture
def stream(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Stream:
    return Stream(cluster, make_topic, tmp_path)


def _text(moment: datetime) -> str:
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return text + f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else text


def _bounds(start: float, end: float) -> tuple[str, str]:
    """Seconds since the day began, as the sink writes them."""
    return _text(DAY + timedelta(seconds=start)), _text(DAY + timedelta(seconds=end))


BY_WINDOW = "window_start, window_end"


def _of(rows: Iterable[tuple[str, float]]) -> Counter[tuple[str, str, str, int]]:
    """Rows counted by the ten seconds of their time."""
    counted = Counter((key, moment // 10 * 10) for key, moment in rows)
    return Counter({(*_bounds(start, start + 10), key, n): 1 for (key, start), n in counted.items()})


def _joined(kind: str, time: str) -> str:
    """The rows of an interval join, counted by windows over the time of one of its sides."""
    return (
        f"SELECT {BY_WINDOW}, k, COUNT(*) FROM TABLE(TUMBLE(TABLE (SELECT l.k, {time}.ts FROM (SELECT * FROM src WHERE"
        f" v < 5) l {kind} JOIN (SELECT * FROM src WHERE v > 1) r ON l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL '1'"
        f" SECOND AND l.ts + INTERVAL '5' SECOND), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY {BY_WINDOW}, k"
    )


def _pairs(events: Iterable[Event], time: int, padded: bool = False) -> Iterator[tuple[str, float]]:
    """The key and the time of each pair; `time` says of which side."""
    rows = list(events)
    for key, value, moment in rows:
        if value < 5:
            found = [other for one, size, other in rows if one == key and size > 1 and -1 <= other - moment <= 5]
            yield from ((key, (moment, other)[time]) for other in found)
            if padded and not found:
                yield key, moment


COUNT = (
    "SELECT window_start, window_end, k, COUNT(*) FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
    " WHERE v > 0 GROUP BY window_start, window_end, k"
)


def test_windows_wait_for_the_slowest_partition_and_go_on_after_a_stop(stream: Stream, spark: SparkSession) -> None:
    script, (sink,) = stream.script(COUNT, partitions=2)
    # One partition is an hour ahead of the other.
    stream.write([("a", 1, 1), ("a", 1, 3600)], partition=0)
    stream.write([("b", 1, 2)], partition=1)
    job = firesteel.start(script, spark=spark)
    wait_for(lambda: job.snapshot().rows_read == 3, 90)
    job.stop()
    assert not stream.read(sink)
    # A row that passes no filter moves time as well.
    stream.write([("b", 1, 3), ("b", 0, 13)], partition=1)
    job = firesteel.start(script, spark=spark)
    wait_for(lambda: job.snapshot().rows_written == 2, 90)
    assert stream.read(sink) == Counter([(*_bounds(0, 10), "a", 1), (*_bounds(0, 10), "b", 2)])
    stream.write([("b", 1, 9.999), ("b", 1, 10)], partition=1)
    wait_for(lambda: job.snapshot().late == 1, 90)
    job.stop()
    # Killed or stopped between a mark and what it closes, or not: a window comes once.
    stream.write([("b", 1, 30)], partition=1)
    job = firesteel.start(script, spark=spark)
    wait_for(lambda: job.snapshot().rows_written == 1, 90)
    job.stop()
    assert stream.read(sink) == Counter(
        [(*_bounds(0, 10), "a", 1), (*_bounds(0, 10), "b", 2), (*_bounds(10, 20), "b", 1)]
    )


def _has_read(job: Job, rows: int) -> bool:
    return job.snapshot().rows_read == rows


#: Each comes in a batch of its own. The pair of 9.5 and 14 comes when the watermark is at 12, behind the end of its window.
ON_TIME: tuple[tuple[Event, ...], ...] = (
    (("a", 2, 1), ("z", 0, 8)),
    (("a", 2, 6), ("b", 1, 9.5)),
    (("a", 2, 11), ("b", 1, 13.9)),
    (("b", 7, 14), ("z", 0, 19.9)),
    (("a", 2, 16),),
    (("z", 0, 21), ("a", 1, 22)),
    (("a", 9, 26), ("b", 3, 26)),
    (("z", 0, 29),),
    (("z", 0, 34),),
    (("b", 3, 43),),
)


def _chained(kind: str) -> str:
    """A join of such pairs with a third side, by the time of the second; the windows are those of the first."""
    return (
        f"SELECT {BY_WINDOW}, k, COUNT(*) FROM TABLE(TUMBLE(TABLE (SELECT l.k, l.ts FROM (SELECT * FROM src WHERE v < 5) l"
        " JOIN (SELECT * FROM src WHERE v > 1) r ON l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL '1' SECOND AND l.ts +"
        f" INTERVAL '5' SECOND {kind} JOIN (SELECT * FROM src WHERE v > 2) x ON r.k = x.k AND x.ts BETWEEN r.ts AND r.ts +"
        f" INTERVAL '5' SECOND), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY {BY_WINDOW}, k"
    )


def _triples(padded: bool) -> Iterator[tuple[str, float]]:
    rows = [event for batch in ON_TIME for event in batch]
    for key, value, first in rows:
        if value < 5:
            for second in (other for one, size, other in rows if one == key and size > 1 and -1 <= other - first <= 5):
                found = [1 for one, size, third in rows if one == key and size > 2 and 0 <= third - second <= 5]
                yield from ((key, first) for _ in found or [1] * padded)


JOINS = {
    "inner": (2, _joined("INNER", "l"), _of(_pairs([event for batch in ON_TIME for event in batch], 0))),
    "left": (2, _joined("LEFT", "l"), _of(_pairs([event for batch in ON_TIME for event in batch], 0, padded=True))),
    "inner-inner": (3, _chained("INNER"), _of(_triples(padded=False))),
    "inner-left": (3, _chained("LEFT"), _of(_triples(padded=True))),
}


@pytest.mark.parametrize("name", JOINS)
def test_findings_b7_a_window_waits_for_every_row_of_the_interval_join_below(
    name: str, stream: Stream, spark: SparkSession
) -> None:
    sides, query, expected = JOINS[name]
    script, (sink,) = stream.script(query)
    read = 0
    job = firesteel.start(script, spark=spark)
    for batch in ON_TIME:
        stream.write(batch)
        read += sides * len(batch)
        wait_for(partial(_has_read, job, read), 90)
    stream.write([("end", 1, 1000)])
    wait_for(lambda: sum(stream.read(sink).values()) >= len(expected), 90)
    assert stream.read(sink) == expected
    assert job.snapshot().late == 0
    job.stop()


def test_an_idle_partition_holds_nobody_back(stream: Stream, spark: SparkSession) -> None:
    script, (sink,) = stream.script(COUNT, partitions=2, before="SET 'table.exec.source.idle-timeout' = '1 s';\n")
    stream.write([("a", 1, 1), ("a", 1, 12)])
    job = firesteel.start(script, spark=spark)
    wait_for(lambda: job.snapshot().rows_written == 1, 90)
    job.stop()
    assert stream.read(sink) == Counter([(*_bounds(0, 10), "a", 1)])


def test_after_the_end_time_does_not_go_back(stream: Stream, spark: SparkSession) -> None:
    script, (sink,) = stream.script(COUNT, source=BOUNDED)
    stream.write([("a", 1, 1)])
    firesteel.run(script, spark=spark)
    expected = Counter([(*_bounds(0, 10), "a", 1)])
    assert stream.read(sink) == expected
    job = firesteel.run(script, spark=spark)
    assert job.resumed
    assert stream.read(sink) == expected
    stream.write([("a", 1, 100)])
    with pytest.raises(firesteel.JobError, match="would all be late"):
        firesteel.run(script, spark=spark)
    firesteel.run(script, spark=spark, fresh=True)
    assert stream.read(sink) == expected + expected + Counter([(*_bounds(100, 110), "a", 1)])
