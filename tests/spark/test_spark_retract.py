"""The messages that a sink makes of changes, without Kafka and without Spark: `upsert` against DLI's `retract`."""

from __future__ import annotations

import dataclasses

import pyarrow as pa
import pytest

from firesteel.changelog.hidden import CODES, KIND
from firesteel.changelog.kind import RowKind
from firesteel.errors import Source
from firesteel.observe.shown import print_rows
from firesteel.plan.analyze import analyze
from firesteel.spark.connector.kafka.row_encoder import RowEncoder
from firesteel.spark.connector.kafka.sink import bind_sink
from firesteel.spark.connector.kafka.write_spec import WriteSpec
from firesteel.spark.connector.port import SinkPlace

SCRIPT = """
CREATE TABLE src (name STRING, id INT) WITH ('connector' = 'kafka', 'topic' = 's', 'properties.bootstrap.servers' = 'b:1',
  'properties.group.id' = 'g', 'format' = 'debezium-json');
CREATE TABLE snk (name STRING, id INT, PRIMARY KEY (name) NOT ENFORCED) WITH ('connector.type' = 'kafka',
  'connector.topic' = 't', 'connector.properties.bootstrap.servers' = 'b:1', 'format.type' = 'json',
  'update-mode' = '{mode}');
INSERT INTO snk SELECT name, id FROM src;
"""


def spec_of(mode: str, *, net: bool) -> WriteSpec:
    [sink] = analyze(Source("job.sql", SCRIPT.format(mode=mode)), {}).sinks
    spec = bind_sink(sink, SinkPlace("1-snk", 1, False, False, True, print_rows))
    return dataclasses.replace(spec, changes=dataclasses.replace(spec.changes, net=net))


UPDATE = [(RowKind.UPDATE_BEFORE, "a", 1), (RowKind.UPDATE_AFTER, "a", 2)]
#: As a join gives them: the new row may come before the old one goes.
UNORDERED = [(RowKind.INSERT, "a", 2), (RowKind.INSERT, "b", 7), (RowKind.DELETE, "a", 1), (RowKind.DELETE, "b", 7)]


@pytest.mark.parametrize(
    ("mode", "net", "changes", "values"),
    [
        ("upsert", False, UPDATE, [b'{"name":"a","id":2}']),
        ("retract", False, UPDATE, [None, b'{"name":"a","id":2}']),
        ("upsert", True, UNORDERED, [b'{"name":"a","id":2}']),
        ("retract", True, UNORDERED, [None, b'{"name":"a","id":2}']),
    ],
)
def test_upsert_writes_the_new_row_and_retract_the_old_one_first(
    mode: str, net: bool, changes: list[tuple[RowKind, str, int]], values: list[bytes | None]
) -> None:
    kinds, names, numbers = zip(*changes, strict=True)
    batch = pa.RecordBatch.from_arrays(
        [pa.array(names), pa.array(numbers, pa.int32()), pa.array([CODES[kind] for kind in kinds], pa.int8())],
        names=["name", "id", KIND],
    )
    [block] = RowEncoder(spec_of(mode, net=net)).encode_all([batch])
    assert block.values == values
    assert set(block.keys or ()) == {b'{"name":"a"}'}
