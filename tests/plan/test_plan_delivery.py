"""What `check` and `explain` say about delivery."""

from __future__ import annotations

import dataclasses

import pytest

from firesteel.errors import Source
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.expression import Call
from firesteel.plan.fact.delivery import advise_delivery, render_delivery
from firesteel.plan.node.relation import Aggregate, Node, Project, Sink
from firesteel.types import STRING

SCRIPT = """
CREATE TABLE src (id INT, name STRING) WITH ('connector' = 'kafka', 'topic' = 'in', 'format' = 'json',
  'properties.bootstrap.servers' = '{brokers}', 'scan.startup.mode' = 'earliest-offset'{source});
CREATE TABLE snk (name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = 'out', 'key.format' = 'json', 'value.format' = 'json', 'properties.bootstrap.servers' = 'b:9092'{sink});
INSERT INTO snk SELECT UPPER(name), COUNT(*) FROM src GROUP BY UPPER(name);
"""

EXACTLY_ONCE = ", 'sink.delivery-guarantee' = 'exactly-once'"


def analysed(sink: str = "", source: str = "", brokers: str = "b:9092") -> Analysis:
    analysis = analyze(Source("job.sql", SCRIPT.format(sink=sink, source=source, brokers=brokers)))
    assert not analysis.errors, analysis.errors
    return analysis


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("", "at-least-once: all tasks write"),
        (EXACTLY_ONCE, "exactly-once: one task writes each batch, in one transaction"),
        (", 'sink.delivery-guarantee' = 'none'", "none: what the broker refuses is lost"),
    ],
)
def test_explain_says_who_writes(option: str, told: str) -> None:
    [sink] = analysed(option).sinks
    assert render_delivery(sink).startswith(told)


def test_dead_letters_on_another_cluster_are_outside() -> None:
    log = ", 'error-handling.mode' = 'log', 'error-handling.log.target' = 'dead'"
    same = [problem.message for problem in analysed(EXACTLY_ONCE, log).warnings]
    other = [problem.message for problem in analysed(EXACTLY_ONCE, log, "c:9092").warnings]
    [said] = [message for message in other if message not in same]
    assert said.startswith("'dead' is reached by other brokers than 'snk'")


def with_function(node: Node, name: str) -> Node:
    """The plan with another function in the projection below its aggregate."""
    match node:
        case Project(input=Aggregate()) | Aggregate() | Sink():
            return dataclasses.replace(node, input=with_function(node.input, name))
        case Project():
            return dataclasses.replace(node, expressions=(Call(name, (), STRING), *node.expressions[1:]))
        case _:
            return node


@pytest.mark.parametrize(("name", "warned"), [("UUID", True), ("UPPER", False)])
def test_what_is_random_below_state_is_warned_of(name: str, warned: bool) -> None:
    [sink] = analysed(EXACTLY_ONCE).sinks
    changed = with_function(sink, name)
    assert isinstance(changed, Sink)
    said = [problem.message for problem in advise_delivery(changed)]
    assert bool(said) is warned
    if warned:
        assert said[0].startswith("'UUID' gives another value when a batch runs again")
    # Only where a row is promised to be there once.
    [plain] = analysed().sinks
    assert not list(advise_delivery(plain))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.name, COUNT(*) FROM ev a JOIN ev b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '5' SECOND"
        " AND RAND() > 0.5 GROUP BY a.name",
        "SELECT x, COUNT(*) FROM ev CROSS JOIN UNNEST(ARRAY[UUID()]) AS t (x) GROUP BY x",
        "SELECT name, COUNT(*) FROM ev WHERE RAND() > 0.5 GROUP BY name",
    ],
)
def test_a_random_value_is_seen_wherever_it_stands(query: str) -> None:
    script, _, _ = SCRIPT.partition("INSERT")
    events = (
        "CREATE TABLE ev (id INT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka',"
        " 'topic' = 'ev', 'format' = 'json', 'properties.bootstrap.servers' = 'b:9092');\n"
    )
    text = script.format(sink=EXACTLY_ONCE, source="", brokers="b:9092") + events + f"INSERT INTO snk {query};"
    warnings = [problem.message for problem in analyze(Source("job.sql", text)).warnings]
    assert sum("gives another value when a batch runs again" in warning for warning in warnings) == 1, warnings


def test_parallelism_of_an_exactly_once_sink_is_told_once() -> None:
    warnings = [problem.message for problem in analysed(EXACTLY_ONCE + ", 'sink.parallelism' = '3'").warnings]
    assert len([warning for warning in warnings if "'sink.parallelism'" in warning]) == 1
