"""`avro-confluent` in a job: the workers ask the registry, which is the stand-in of `tests/formats`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.formats.formats_registry import Registry

import firesteel
from firesteel.dev.record import read_records, write_records

pytestmark = pytest.mark.spark


def test_rows_there_and_back(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, spark: SparkSession
) -> None:
    first, second, third = make_topic(), make_topic(), make_topic()
    write_records(cluster, first, [(None, b'{"id":%d,"name":"n%d"}' % (number, number)) for number in range(5)])
    script = tmp_path / "job.sql"
    with Registry() as registry:
        tables = (
            ("a", first, "id INT, name STRING", "'format' = 'json'"),
            (
                "b",
                second,
                "id INT, name STRING",
                f"'format' = 'avro-confluent', 'avro-confluent.url' = '{registry.url}'",
            ),
            (
                "c",
                second,
                "name STRING, extra INT",
                f"'format' = 'avro-confluent', 'avro-confluent.url' = '{registry.url}'",
            ),
            ("d", third, "name STRING, extra INT", "'format' = 'json'"),
        )
        declared = "".join(
            f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}',"
            f" 'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}', 'scan.startup.mode' = 'earliest-offset',"
            f" 'scan.bounded.mode' = 'latest-offset', {options});\n"
            for name, topic, columns, options in tables
        )
        for insert in ("INSERT INTO b SELECT * FROM a;", "INSERT INTO d SELECT * FROM c;"):
            script.write_text(declared + insert)
            firesteel.run(script, spark=spark, fresh=True)
        assert list(registry.subjects) == [f"{second}-value"]
    rows = [json.loads(record.value or b"") for record in read_records(cluster, third)]
    assert sorted(row["name"] for row in rows) == [f"n{number}" for number in range(5)]
    assert {row["extra"] for row in rows} == {None}
