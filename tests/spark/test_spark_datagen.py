"""Made-up rows in, shown rows out: `datagen`, `print` and `blackhole`, beside Kafka tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.deadline import wait_for

from firesteel.api import analyze_script, prepare_job
from firesteel.dev.record import read_records
from firesteel.observe.shown import ShownRows
from firesteel.plan.node.relation import scans
from firesteel.spark.connector.datagen.runtime import DatagenSource
from firesteel.spark.connector.datagen.stream_reader import GeneratedReader
from firesteel.spark.job.job import Job
from firesteel.spark.source.scan import SourcePlace, source_spec
from firesteel.storage.local import LocalFolder

_EVERY_TYPE = """
CREATE TABLE made (
  id BIGINT, n INT, tiny TINYINT, small SMALLINT, big BIGINT, price DECIMAL(30, 2), share FLOAT, ratio DOUBLE, yes BOOLEAN,
  c CHAR(5), v VARCHAR(7), s STRING, b BINARY(4), vb VARBINARY(9), d DATE, t TIME, ts TIMESTAMP(3), tl TIMESTAMP_LTZ(3),
  r ROW<a INT, b STRING>, l ARRAY<INT>, m MAP<STRING, INT>, ms MULTISET<STRING>, word STRING, code VARBINARY(8), amount DECIMAL(5, 1)
) WITH (
  'connector' = 'datagen', 'number-of-rows' = '500',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '-3', 'fields.id.end' = '100000',
  'fields.n.min' = '1', 'fields.n.max' = '6', 'fields.price.max' = '9.5', 'fields.ratio.min' = '-1', 'fields.ratio.max' = '1',
  'fields.v.var-len' = 'true', 'fields.s.null-rate' = '0.5', 'fields.ts.max-past' = '1 h', 'fields.r.b.length' = '3',
  'fields.l.length' = '4', 'fields.l.element.min' = '0', 'fields.m.key.length' = '2', 'fields.l.null-rate' = '0.2',
  'fields.word.kind' = 'sequence', 'fields.word.start' = '10', 'fields.word.end' = '9000',
  'fields.code.kind' = 'sequence', 'fields.code.start' = '1', 'fields.code.end' = '9000',
  'fields.amount.kind' = 'sequence', 'fields.amount.start' = '0', 'fields.amount.end' = '9000'
);
CREATE TABLE nothing WITH ('connector' = 'blackhole') LIKE made (EXCLUDING ALL);
INSERT INTO nothing SELECT * FROM made;
"""


def _reader(text: str) -> GeneratedReader:
    analysis = analyze_script(text)
    analysis.raise_errors()
    [scan] = scans(analysis.sinks[0])
    place = SourcePlace("1-query", 0, LocalFolder("/nowhere"), 4)
    return DatagenSource(scan).make_reader(source_spec(scan, place), None)


def _offset(reader: GeneratedReader, rows: int, start: dict[str, Any]) -> dict[str, Any]:
    return {**start, "sequence": start["sequence"] + 1, "positions": {"": {"0": rows}}, "clock": start["clock"] + 1000}


def _rows(reader: GeneratedReader, start: dict[str, Any], end: dict[str, Any]) -> list[dict[str, Any]]:
    batches = [batch for part in reader.partitions(start, end) for batch in reader.read(part)]
    rows: list[dict[str, Any]] = pa.Table.from_batches(batches).to_pylist()
    return rows


def test_every_type_is_made_within_its_bounds() -> None:
    reader = _reader(_EVERY_TYPE)
    start = reader.initialOffset()
    rows = _rows(reader, start, _offset(reader, 500, start))
    assert [row["id"] for row in rows] == list(range(-3, 497))
    assert {row["n"] for row in rows} == {1, 2, 3, 4, 5, 6}
    assert all(0 <= row["price"] <= 10 and -1 <= row["ratio"] <= 1 and row["share"] > 0 for row in rows)
    assert {len(row["c"]) for row in rows} == {5} and {len(row["v"]) for row in rows} == set(range(1, 7))
    assert 150 < sum(row["s"] is None for row in rows) < 350
    assert {len(row["s"]) for row in rows if row["s"] is not None} == {100}
    assert {len(row["b"]) for row in rows} == {4} and {len(row["vb"]) for row in rows} == {9}
    assert {len(row["l"]) for row in rows if row["l"] is not None} == {4} and any(row["l"] is None for row in rows)
    assert all(len(row["r"]["b"]) == 3 and len(row["ms"]) == 3 and 1 <= len(row["m"]) <= 3 for row in rows)
    ages = [(row["tl"].timestamp() - row["ts"].timestamp()) for row in rows]
    assert min(ages) >= 0 and 1800 < max(ages) < 3601
    assert (rows[0]["word"], rows[0]["code"], str(rows[7]["amount"])) == ("10", bytes(7) + b"\x01", "7.0")
    assert len({row["big"] for row in rows}) == 500 and len({row["d"] for row in rows}) <= 2


def test_a_batch_that_runs_again_has_the_same_rows_in_however_many_tasks() -> None:
    reader = _reader(_EVERY_TYPE)
    start = reader.initialOffset()
    first, last = _offset(reader, 100, start), _offset(reader, 45_000, start)
    several, one = reader, GeneratedReader(replace(reader.spec, rows=replace(reader.rows, tasks=1)))
    assert len(several.partitions(first, last)) == 4 and len(one.partitions(first, last)) == 1
    made = _rows(several, first, last)
    assert made == _rows(one, first, last) and made[0]["id"] == 97 and len(made) == 44_900
    other = {**last, "seed": last["seed"] + 1}
    assert _rows(one, first, other)[0]["big"] != made[0]["big"]


def test_rows_come_at_their_rate_and_end_with_the_first_sequence() -> None:
    options = (
        "'connector' = 'datagen', 'rows-per-second' = '20', 'fields.id.kind' = 'sequence', 'fields.id.start' = '5',"
    )
    reader = _reader(
        f"CREATE TABLE g (id INT) WITH ({options} 'fields.id.end' = '9', 'number-of-rows' = '70');"
        "CREATE TABLE p (id INT) WITH ('connector' = 'print'); INSERT INTO p SELECT id FROM g;"
    )
    offset, found = reader.initialOffset(), []
    while offset["positions"] != offset["ends"]:
        # To a bounded query, nothing new would be the end.
        moved = reader.latestOffset(offset, reader.getDefaultReadLimit())
        assert moved["sequence"] == offset["sequence"] + 1
        found += _rows(reader, offset, moved)
        offset = moved
    assert [row["id"] for row in found] == [5, 6, 7, 8, 9]
    assert reader.latestOffset(offset, reader.getDefaultReadLimit()) == offset


class Shown:
    """A job and what its `print` tables show."""

    def __init__(self, path: Path, spark: SparkSession, *, fresh: bool = False) -> None:
        self.lines: dict[str, list[str]] = {}
        self.job: Job = prepare_job(analyze_script(path), spark=spark, fresh=fresh)
        self.job.on_shown = self._add

    def _add(self, shown: ShownRows) -> None:
        self.lines.setdefault(shown.table, []).extend(line.rpartition("> ")[2] for line in shown.lines)

    def run(self) -> None:
        self.job.begin()
        assert self.job.wait(120)


@pytest.mark.spark
def test_one_script_with_kafka_datagen_print_and_blackhole(
    spark: SparkSession, cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = make_topic(), make_topic()
    producer = Producer(cluster)
    for region in ("a", "b", "a"):
        producer.produce(source, json.dumps({"region": region}))
    assert producer.flush(30) == 0
    kafka = (
        f"'connector' = 'kafka', 'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}', 'format' = 'json'"
    )
    script = tmp_path / "job.sql"
    script.write_text(f"""
CREATE TABLE views (region STRING) WITH ({kafka}, 'topic' = '{source}', 'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset');
CREATE TABLE copied (id BIGINT) WITH ({kafka}, 'topic' = '{target}', 'sink.delivery-guarantee' = 'exactly-once',
  'sink.transactional-id-prefix' = '{target}');
CREATE TABLE made (id BIGINT, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH (
  'connector' = 'datagen', 'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '40',
  'fields.n.min' = '0', 'fields.n.max' = '2');
CREATE TABLE counts (region STRING, c BIGINT) WITH ('connector' = 'print');
CREATE TABLE greatest (n INT, m BIGINT, PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'print', 'print-identifier' = 'max');
CREATE TABLE windows (c BIGINT, s BIGINT) WITH ('connector' = 'print');
CREATE TABLE nothing (n INT, c BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE unused (n INT, c BIGINT) WITH ('connector' = 'jdbc');
INSERT INTO counts SELECT region, COUNT(*) FROM views GROUP BY region;
INSERT INTO copied SELECT id FROM made;
INSERT INTO greatest SELECT n, MAX(id) FROM made GROUP BY n;
INSERT INTO windows SELECT COUNT(*), SUM(id) FROM TABLE(TUMBLE(TABLE made, DESCRIPTOR(ts), INTERVAL '1' DAY))
  GROUP BY window_start, window_end;
INSERT INTO nothing SELECT n, COUNT(*) FROM made GROUP BY n;
""")
    shown = Shown(script, spark)
    shown.run()
    assert sorted(shown.lines["counts"]) == ["+I[a, 2]", "+I[b, 1]"]
    # The group's first row where one batch has all rows.
    assert [line[0:3] for line in shown.lines["greatest"] if line.endswith("40]")] in (["+I["], ["+U["])
    # Midnight may have passed.
    sums = [line.removeprefix("+I[").removesuffix("]").split(", ") for line in shown.lines["windows"]]
    assert (sum(int(count) for count, _ in sums), sum(int(total) for _, total in sums)) == (40, 820)
    found = sorted(json.loads(record.value or b"{}")["id"] for record in read_records(cluster, target))
    assert found == list(range(1, 41))
    last = shown.job.snapshot()
    assert {(source.query, source.table): source.rows for source in last.sources}["2-copied", "made"] == 40
    assert {sink.table: sink.rows for sink in last.sinks}["copied"] == 40


@pytest.mark.spark
def test_an_endless_job_goes_on_with_the_next_row(spark: SparkSession, tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text("""
CREATE TABLE made (id BIGINT, n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '1000000');
CREATE TABLE seen (id BIGINT) WITH ('connector' = 'print');
INSERT INTO seen SELECT id FROM made;
""")
    lines: list[str] = []
    for _ in range(2):
        before = len(lines)
        shown = Shown(script, spark)
        shown.job.begin()
        wait_for(lambda shown=shown: len(shown.lines.get("seen", ())) > 50, 60)  # type: ignore[misc]
        shown.job.stop()
        lines += shown.lines["seen"]
        assert len(lines) - before == shown.job.snapshot().rows_read == shown.job.snapshot().rows_written
    assert lines == [f"+I[{number}]" for number in range(1, len(lines) + 1)]
