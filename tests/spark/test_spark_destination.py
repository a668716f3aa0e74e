"""Where a row goes: number 74 of the facts taken from Flink's own tests. No session is needed."""

from __future__ import annotations

import pyarrow as pa
import pytest

from firesteel.connectors.kafka.offset import Subscription
from firesteel.errors import JobError
from firesteel.spark.connector.kafka.destination import Destinations

ROW = pa.RecordBatch.from_pydict({"t": ["other"]})


@pytest.mark.parametrize(
    "topics", [Subscription(("topic1", "topic2"), None), Subscription((), "topic.*")], ids=["list", "pattern"]
)
def test_a_row_stays_among_the_topics_of_its_table(topics: Subscription) -> None:
    with pytest.raises(JobError, match="'other'"):
        Destinations("snk", topics, {"t": "topic"}).topics(ROW)
    row = pa.RecordBatch.from_pydict({"t": ["topic2"]})
    assert Destinations("snk", topics, {"t": "topic"}).topics(row) == ["topic2"]


def test_one_topic_takes_every_row() -> None:
    assert Destinations("snk", Subscription(("only",), None), {"t": "topic"}).topics(ROW) == "only"
