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


def test_one_task_writes() -> None:
    said = [problem.message for problem in analysed(f"{EXACTLY_ONCE}, 'sink.parallelism' = '4'").warnings]
    assert "'sink.parallelism' is '4', and with 'exactly-once' one task writes." in said
