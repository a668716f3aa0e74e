"""Where a source may give equal rows once, with their number."""

from __future__ import annotations

import pytest

from firesteel.errors import Source
from firesteel.plan.analyze import analyze
from firesteel.plan.node.relation import scans
from firesteel.plan.show.fingerprint import render_state

SCRIPT = """
CREATE TABLE src (id INT, big BIGINT, x DOUBLE, name STRING, tags ARRAY<STRING>, t TIMESTAMP(3){watermark}) WITH (
  'connector' = 'kafka', 'topic' = 'in', 'properties.bootstrap.servers' = 'b:9092', 'format' = '{format}',
  'scan.startup.mode' = 'earliest-offset');
CREATE TABLE snk (name STRING, a BIGINT, PRIMARY KEY (name) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = 'out', 'key.format' = 'json', 'value.format' = 'json', 'properties.bootstrap.servers' = 'b:9092');
INSERT INTO snk {query};
"""


def combined(query: str, format: str = "json", watermark: str = "") -> list[bool]:
    analysis = analyze(Source("job.sql", SCRIPT.format(query=query, format=format, watermark=watermark)))
    assert not analysis.errors, analysis.errors
    [sink] = analysis.sinks
    found = [scan.combined for scan in scans(sink)]
    # State is kept in another form, so nobody may go on with the other.
    assert ("weighed" in render_state(sink)) == any(found)
    return found


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name, COUNT(*) FROM src GROUP BY name",
        "SELECT name, COUNT(DISTINCT big) FROM src WHERE id > 3 GROUP BY name",
        "SELECT UPPER(name), MAX(big) FROM src GROUP BY UPPER(name)",
        "SELECT name, SUM(id) FROM src GROUP BY name",
        "SELECT name, CAST(AVG(id) AS BIGINT) FROM src GROUP BY name",
        "SELECT name, 1 FROM (SELECT DISTINCT name FROM src)",
        "SELECT name, COUNT(*) FILTER (WHERE x > 0.5) FROM src GROUP BY name",
    ],
)
def test_only_their_number_matters(query: str) -> None:
    assert combined(query) == [True]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name, big FROM src",
        "SELECT name, SUM(big) FROM src GROUP BY name",
        "SELECT name, CAST(SUM(x) AS BIGINT) FROM src GROUP BY name",
        "SELECT name, LAST_VALUE(big) FROM src GROUP BY name",
        "SELECT name, COUNT(*) FROM src WHERE RAND() < 0.5 GROUP BY name",
        "SELECT name, COUNT(CARDINALITY(tags)) FROM src GROUP BY name",
    ],
)
def test_more_than_their_number_matters(query: str) -> None:
    assert combined(query) == [False]


def test_changes_are_not_combined() -> None:
    assert combined("SELECT name, COUNT(*) FROM src GROUP BY name", format="debezium-json") == [False]


def test_the_lower_of_two_aggregates_gives_changes() -> None:
    inner = "SELECT name, id, COUNT(*) AS n FROM src GROUP BY name, id"
    assert combined(f"SELECT name, COUNT(n) FROM ({inner}) GROUP BY name") == [False]


def test_windows_are_not_combined() -> None:
    window = "TABLE(TUMBLE(TABLE src, DESCRIPTOR(t), INTERVAL '1' MINUTE))"
    query = f"SELECT name, COUNT(*) FROM {window} GROUP BY window_start, window_end, name"
    assert combined(query, watermark=", WATERMARK FOR t AS t") == [False]
