"""Windows: every kind against a model of it, the watermark over partitions, late rows, the end, and going on."""

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

import firesteel
from firesteel.dev.record import read_records
from firesteel.spark.job.job import Job

pytestmark = pytest.mark.spark

DAY = datetime(2020, 1, 1)
BOUNDED = "'scan.bounded.mode' = 'latest-offset'"

Event = tuple[str, int, float]


class Stream:
    """A topic of events, any number of topics for results, and scripts over them."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster, self._make_topic, self.folder = cluster, make_topic, folder
        self._producer = Producer({**cluster, "linger.ms": 0, "log_level": 0})
        self.source = ""

    def script(self, *queries: str, source: str = "", before: str = "", partitions: int = 1) -> tuple[Path, list[str]]:
        bootstrap = f"'properties.bootstrap.servers' = '{self.cluster['bootstrap.servers']}'"
        self.source = self.source or self._make_topic(partitions=partitions, retention_ms="-1")
        text = (
            f"{before}CREATE TABLE src (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)"
            f" WITH ('connector' = 'kafka', 'topic' = '{self.source}', {bootstrap}, 'format' = 'json',"
            f" 'properties.group.id' = 'g-{self.source}', 'scan.startup.mode' = 'earliest-offset'"
            f"{', ' if source else ''}{source});\n"
        )
        sinks = []
        for number, query in enumerate(queries):
            sinks.append(self._make_topic())
            text += (
                f"CREATE TABLE snk{number} (s TIMESTAMP(3), e TIMESTAMP(3), k STRING, n BIGINT) WITH"
                f" ('connector' = 'kafka', 'topic' = '{sinks[-1]}', {bootstrap}, 'format' = 'json');\n"
                f"INSERT INTO snk{number} {query};\n"
            )
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


# 12.5 s come after 27 s, and 21 s is exactly the gap of a session of six seconds after 15 s.
EVENTS: tuple[Event, ...] = (
    ("a", 1, 1),
    ("a", 2, 4.999),
    ("b", 2, 5),
    ("a", 1, 12),
    ("b", 3, 15),
    ("b", 3, 21),
    ("b", 7, 27.001),
    ("a", 9, 12.5),
    ("b", 3, -4),
)


def _hops(time: float, slide: int, size: int) -> Iterator[tuple[float, float]]:
    start = time // slide * slide
    while start + size > time:
        yield start, start + size
        start -= slide


def _sessions(events: Iterable[Event], gap: float) -> Counter[tuple[str, str, str, int]]:
    found: Counter[tuple[str, str, str, int]] = Counter()
    for key in sorted({key for key, _, _ in events}):
        times = sorted(time for one, _, time in events if one == key)
        group = [times[0]]
        for moment in [*times[1:], float("inf")]:
            if moment - group[-1] <= gap:
                group.append(moment)
                continue
            found[*_bounds(group[0], group[-1] + gap), key, len(group)] += 1
            group = [moment]
    return found


def _tumbling() -> Counter[tuple[str, str, str, int]]:
    windows = Counter(((time - 3) // 10 * 10 + 3, key) for key, _, time in EVENTS)
    return Counter((*_bounds(start, start + 10), key, n) for (start, key), n in windows.items())


def _hopping() -> Counter[tuple[str, str, str, int]]:
    windows: Counter[tuple[float, float, str]] = Counter()
    for key, value, moment in EVENTS:
        for start, end in _hops(moment, 4, 10):
            windows[start, end, key] += value
    return Counter((*_bounds(start, end), key, total) for (start, end, key), total in windows.items())


BY_WINDOW = "window_start, window_end"
MODELS = {
    "tumble-offset": (
        f"SELECT {BY_WINDOW}, k, COUNT(*) FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND,"
        f" INTERVAL '3' SECOND)) GROUP BY {BY_WINDOW}, k",
        _tumbling(),
    ),
    "group-hop": (
        "SELECT HOP_START(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND), HOP_END(ts, INTERVAL '4' SECOND, INTERVAL '10'"
        " SECOND), k, SUM(v) FROM src GROUP BY k, HOP(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND)",
        _hopping(),
    ),
    "session": (
        f"SELECT {BY_WINDOW}, k, COUNT(*) FROM TABLE(SESSION(TABLE src PARTITION BY k, DESCRIPTOR(ts),"
        f" INTERVAL '6' SECOND)) GROUP BY {BY_WINDOW}, k",
        _sessions(EVENTS, 6),
    ),
    "group-session-distinct": (
        "SELECT SESSION_START(ts, INTERVAL '6' SECOND), SESSION_END(ts, INTERVAL '6' SECOND), 'x', COUNT(DISTINCT v)"
        " FROM src GROUP BY SESSION(ts, INTERVAL '6' SECOND)",
        Counter([(*_bounds(-4, 11), "x", 3), (*_bounds(12, 27), "x", 3), (*_bounds(27.001, 33.001), "x", 1)]),
    ),
    "chained-distinct": (
        f"SELECT {BY_WINDOW}, MIN(k), SUM(n) FROM (SELECT {BY_WINDOW}, k, COUNT(DISTINCT v) AS n FROM"
        f" TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY {BY_WINDOW}, k) GROUP BY {BY_WINDOW}",
        Counter(
            [
                (*_bounds(-10, 0), "b", 1),
                (*_bounds(0, 10), "a", 3),
                (*_bounds(10, 20), "a", 3),
                (*_bounds(20, 30), "b", 2),
            ]
        ),
    ),
}


TUMBLE = "TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
MODELS["top-n-of-aggregate"] = (
    f"SELECT {BY_WINDOW}, k, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {BY_WINDOW} ORDER BY n DESC) AS place FROM"
    f" (SELECT {BY_WINDOW}, k, COUNT(*) AS n FROM {TUMBLE} GROUP BY {BY_WINDOW}, k)) WHERE place = 1",
    Counter(
        [
            (*_bounds(-10, 0), "b", 1),
            (*_bounds(0, 10), "a", 2),
            (*_bounds(10, 20), "a", 2),
            (*_bounds(20, 30), "b", 2),
        ]
    ),
)
MODELS["last-of-window"] = (
    f"SELECT {BY_WINDOW}, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {BY_WINDOW}, k ORDER BY ts DESC) AS place"
    f" FROM {TUMBLE}) WHERE place = 1",
    Counter(
        [
            (*_bounds(-10, 0), "b", 3),
            (*_bounds(0, 10), "a", 2),
            (*_bounds(0, 10), "b", 2),
            (*_bounds(10, 20), "a", 9),
            (*_bounds(10, 20), "b", 3),
            (*_bounds(20, 30), "b", 7),
        ]
    ),
)
MODELS["window-join"] = (
    f"SELECT COALESCE(l.window_start, r.window_start), COALESCE(l.window_end, r.window_end), COALESCE(l.k, '-'),"
    f" COALESCE(r.v, 0) FROM (SELECT * FROM {TUMBLE} WHERE k = 'a') l FULL JOIN (SELECT * FROM {TUMBLE} WHERE k = 'b') r"
    " ON l.window_start = r.window_start AND l.window_end = r.window_end AND r.v < 7",
    Counter(
        [
            (*_bounds(-10, 0), "-", 3),
            (*_bounds(0, 10), "a", 2),
            (*_bounds(0, 10), "a", 2),
            (*_bounds(10, 20), "a", 3),
            (*_bounds(10, 20), "a", 3),
            (*_bounds(20, 30), "-", 3),
            (*_bounds(20, 30), "-", 7),
        ]
    ),
)


def _of(rows: Iterable[tuple[str, float]]) -> Counter[tuple[str, str, str, int]]:
    """Rows counted by the ten seconds of their time."""
    counted = Counter((key, moment // 10 * 10) for key, moment in rows)
    return Counter({(*_bounds(start, start + 10), key, n): 1 for (key, start), n in counted.items()})


MODELS["window-over-unnest"] = (
    f"SELECT {BY_WINDOW}, k, COUNT(*) FROM TABLE(TUMBLE(TABLE (SELECT k, x, ts FROM src CROSS JOIN"
    f" UNNEST(ARRAY[v, v + 1]) AS t (x)), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY {BY_WINDOW}, k",
    _of((key, moment) for key, _, moment in EVENTS for _ in range(2)),
)
MODELS["unnest-over-window"] = (
    f"SELECT {BY_WINDOW}, k, COUNT(*) FROM (SELECT * FROM {TUMBLE}) CROSS JOIN UNNEST(ARRAY[v, v, v]) AS t (x)"
    f" GROUP BY {BY_WINDOW}, k",
    _of((key, moment) for key, _, moment in EVENTS for _ in range(3)),
)


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


MODELS["window-over-interval-join"] = (_joined("INNER", "r"), _of(_pairs(EVENTS, 1)))
MODELS["window-over-outer-interval-join"] = (_joined("LEFT", "l"), _of(_pairs(EVENTS, 0, padded=True)))


@pytest.mark.parametrize("name", MODELS)
def test_a_window_is_what_its_model_says(name: str, stream: Stream, spark: SparkSession) -> None:
    query, expected = MODELS[name]
    script, (sink,) = stream.script(query, source=BOUNDED)
    stream.write(EVENTS)
    job = firesteel.run(script, spark=spark)
    assert stream.read(sink) == expected
    times_read = 2 if "join" in name else 1
    assert (job.snapshot().rows_read, job.snapshot().late) == (times_read * len(EVENTS), 0)


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


@pytest.mark.parametrize(
    ("kind", "time", "expected"),
    [
        ("INNER", "l", _of(_pairs([event for batch in ON_TIME for event in batch], 0))),
        ("LEFT", "l", _of(_pairs([event for batch in ON_TIME for event in batch], 0, padded=True))),
    ],
)
def test_findings_b7_a_window_waits_for_every_row_of_the_interval_join_below(
    kind: str, time: str, expected: Counter[tuple[str, str, str, int]], stream: Stream, spark: SparkSession
) -> None:
    script, (sink,) = stream.script(_joined(kind, time))
    read = 0
    job = firesteel.start(script, spark=spark)
    for batch in ON_TIME:
        stream.write(batch)
        read += 2 * len(batch)
        wait_for(partial(_has_read, job, read), 90)
    stream.write([("end", 1, 1000)])
    wait_for(lambda: stream.read(sink) == expected, 90)
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


def test_in_a_backlog_time_is_no_further_behind(stream: Stream, spark: SparkSession) -> None:
    script, (sink,) = stream.script(COUNT, source=f"{BOUNDED}, 'scan.max-rows-per-batch' = '1'")
    # What the first row shows is told with the second, closes windows with the third, and later rows are late.
    stream.write([("a", 1, 100), ("a", 1, 1), ("a", 1, 2), ("a", 1, 3), ("a", 1, 4), ("a", 1, 101)])
    job = firesteel.run(script, spark=spark)
    assert stream.read(sink) == Counter([(*_bounds(0, 10), "a", 2), (*_bounds(100, 110), "a", 2)])
    assert job.snapshot().late == 2
