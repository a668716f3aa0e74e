"""Sources in trouble: records that were deleted before they were read, transactions that were aborted or are still open."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession
from tests.script import BOUNDED, EARLIEST, create_table

import firesteel
from firesteel.dev.record import read_records, write_records

pytestmark = pytest.mark.spark


def script(folder: Path, cluster: dict[str, str], source: str, sink: str, more: str = "") -> Path:
    path = folder / "copy.sql"
    path.write_text(
        create_table(cluster, "src", "id INT", source, EARLIEST, BOUNDED, more)
        + create_table(cluster, "snk", "id INT", sink)
        + "INSERT INTO snk SELECT id FROM src;\n"
    )
    return path


def row(number: int) -> bytes:
    return json.dumps({"id": number}).encode()


def ids(cluster: dict[str, str], topic: str) -> list[int]:
    return [json.loads(record.value or b"")["id"] for record in read_records(cluster, topic)]


def test_records_that_were_deleted_unread(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, spark: SparkSession
) -> None:
    source, sink = make_topic(), make_topic()
    write_records(cluster, source, [(None, row(number)) for number in range(10)])
    path = script(tmp_path, cluster, source, sink)
    firesteel.run(path, spark=spark)
    write_records(cluster, source, [(None, row(number)) for number in range(10, 30)])
    admin = AdminClient(dict(cluster))
    for future in admin.delete_records([TopicPartition(source, 0, 20)]).values():
        future.result(30)
    with pytest.raises(firesteel.JobError) as error:
        firesteel.run(path, spark=spark)
    assert f"Partition 0 of '{source}' is to be read from offset 10, and it starts at 20 now" in str(error.value)
    assert ids(cluster, sink) == list(range(10))


def test_aborted_and_open_transactions(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, spark: SparkSession
) -> None:
    source, sink = make_topic(), make_topic()

    def transaction(name: str, numbers: range) -> Producer:
        producer = Producer({**cluster, "transactional.id": f"{source}-{name}", "log_level": 0})
        producer.init_transactions(30)
        producer.begin_transaction()
        for number in numbers:
            producer.produce(source, row(number))
        producer.flush(30)
        return producer

    transaction("a", range(5)).commit_transaction(30)
    transaction("b", range(5, 10)).abort_transaction(30)
    transaction("c", range(10, 15)).commit_transaction(30)
    opened = transaction("d", range(15, 20))
    path = script(tmp_path, cluster, source, sink, "'properties.isolation.level' = 'read_committed'")
    firesteel.run(path, spark=spark)
    assert ids(cluster, sink) == [*range(5), *range(10, 15)]
    opened.commit_transaction(30)
    # What was open had only to be waited for.
    firesteel.run(path, spark=spark)
    assert ids(cluster, sink) == [*range(5), *range(10, 20)]
