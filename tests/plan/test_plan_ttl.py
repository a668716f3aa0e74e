"""How long state is kept: by the setting, by hints, and that without either the text of a job's state stays as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firesteel.errors import Source
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.fact.state import plan_state
from firesteel.plan.fact.time_to_live import times_to_live
from firesteel.plan.node.relation import Aggregate, Join, Materialize, Node, Normalize, Rank
from firesteel.plan.show.explain import explanation_document
from firesteel.plan.show.fingerprint import render_state

KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'topic' ="
UPSERT = (
    "'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = 'b:9092', 'key.format' = 'json',"
    " 'value.format' = 'json', 'topic' ="
)
TABLES = f"""
CREATE TABLE a (id BIGINT, k STRING, p AS PROCTIME()) WITH ({KAFKA} 'a', 'format' = 'json', 'properties.group.id' = 'g');
CREATE TABLE b (id BIGINT, k STRING) WITH ({KAFKA} 'b', 'format' = 'json', 'properties.group.id' = 'g');
CREATE TABLE c (id BIGINT, k STRING) WITH ({KAFKA} 'c', 'format' = 'json', 'properties.group.id' = 'g');
CREATE TABLE u (id BIGINT, k STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ({UPSERT} 'u', 'properties.group.id' = 'g');
CREATE TABLE d (id BIGINT, k STRING) WITH ({KAFKA} 'd', 'format' = 'debezium-json');
CREATE TABLE o (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ({UPSERT} 'o');
"""
HOUR, DAY = 3_600_000, 86_400_000
GROUPED = "INSERT INTO o SELECT k, COUNT(*) FROM a GROUP BY k"


def look(sql: str, ttl: str | None = None) -> Analysis:
    analysis = analyze(Source("job.sql", f"{TABLES}{sql};"), {"table.exec.state.ttl": ttl} if ttl else None)
    assert not analysis.errors, analysis.errors
    return analysis


def found(node: Node) -> Iterator[tuple[type[Node], tuple[int, ...]]]:
    for child in node.inputs:
        yield from found(child)
    if isinstance(node, Aggregate | Join | Materialize | Normalize | Rank):
        yield type(node), times_to_live(node)


def ttls(sql: str, ttl: str | None = None) -> list[tuple[type[Node], tuple[int, ...]]]:
    return list(found(look(sql, ttl).sinks[0]))


@pytest.mark.parametrize(
    ("sql", "node"),
    [
        (GROUPED, Aggregate),
        ("INSERT INTO d SELECT DISTINCT id, k FROM a", Aggregate),
        ("INSERT INTO d SELECT id, k FROM a UNION SELECT id, k FROM b", Aggregate),
        ("INSERT INTO d SELECT id, k FROM u", Normalize),
        (
            "INSERT INTO d SELECT id, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p) n FROM a)"
            " WHERE n = 1",
            Rank,
        ),
        ("INSERT INTO d SELECT id, k FROM a ORDER BY id LIMIT 3", Rank),
    ],
)
def test_the_setting_moves_state_to_the_engine(sql: str, node: type[Node]) -> None:
    plan = look(sql, "1 h")
    assert list(found(plan.sinks[0])) == [(node, (HOUR,))]
    assert [state.on_engine for state in plan_state(plan.sinks[0])] == [True]
    assert " on the state engine" in render_state(plan.sinks[0])
    assert not any("kept for ever" in problem.message for problem in plan.warnings)


@pytest.mark.parametrize("ttl", [None, "0"])
def test_without_a_time_to_live_nothing_changes(ttl: str | None) -> None:
    plan = look(GROUPED, ttl)
    assert "engine" not in render_state(plan.sinks[0])
    (state,) = explanation_document(plan.sinks[0])["state"]
    assert state["ttl_seconds"] is None and state["engine"] == "spark"


def test_the_length_of_the_time_to_live_is_no_part_of_the_state() -> None:
    assert render_state(look(GROUPED, "1 h").sinks[0]) == render_state(look(GROUPED, "2 h").sinks[0])


def test_equal_rows_are_not_combined_for_the_engine() -> None:
    assert ", weighed" in render_state(look(GROUPED).sinks[0])
    assert ", weighed" not in render_state(look(GROUPED, "1 h").sinks[0])


def test_a_hint_is_for_one_aggregate_and_goes_before_the_setting() -> None:
    hinted = "INSERT INTO o SELECT /*+ STATE_TTL('x' = '1 d') */ k, COUNT(*) FROM a AS x GROUP BY k"
    assert ttls(hinted) == ttls(hinted, "1 h") == [(Aggregate, (DAY,))]
    for_ever = "INSERT INTO o SELECT /*+ STATE_TTL('a' = '0') */ k, COUNT(*) FROM a GROUP BY k"
    assert ttls(for_ever, "1 h") == [(Aggregate, (0,))]
    outside = (
        "INSERT INTO o SELECT /*+ STATE_TTL('t' = '1 d') */ k, MAX(n) FROM"
        " (SELECT k, id, COUNT(*) AS n FROM a GROUP BY k, id) AS t GROUP BY k"
    )
    assert ttls(outside, "1 h") == [(Aggregate, (HOUR,)), (Aggregate, (DAY,))]


def test_a_hint_is_for_the_sides_of_joins() -> None:
    joined = "a JOIN b ON a.id = b.id JOIN c ON b.id = c.id"
    three = f"INSERT INTO d SELECT /*+ STATE_TTL('a' = '1 d', 'b' = '2 d', 'c' = '3 d') */ a.id, c.k FROM {joined}"
    # The left side of the second join is no table: the setting is for it.
    assert ttls(three, "1 h") == [(Join, (DAY, 2 * DAY)), (Join, (HOUR, 3 * DAY))]
    conditions = "INSERT INTO d SELECT /*+ JOIN_STATE_TTL('b' = '2 d') */ a.id, b.k FROM a, b WHERE a.id = b.id"
    assert ttls(conditions, "1 h") == [(Join, (HOUR, 2 * DAY))]
    grouped = (
        "INSERT INTO o SELECT /*+ STATE_TTL('a' = '1 d', 'b' = '2 d') */ a.k, COUNT(*) FROM a JOIN b ON a.id = b.id"
        " GROUP BY a.k"
    )
    assert ttls(grouped, "1 h") == [(Join, (DAY, 2 * DAY)), (Aggregate, (HOUR,))]


def test_rows_of_a_sink_key_end_too() -> None:
    assert ttls("INSERT INTO o SELECT k, id FROM u", "1 h") == [(Normalize, (HOUR,)), (Materialize, (HOUR,))]


def test_windows_and_interval_joins_end_their_state_themselves() -> None:
    table = f"CREATE TABLE t (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ({KAFKA} 't', 'format' = 'json');"
    sql = (
        f"{table} CREATE TABLE w (k STRING, n BIGINT) WITH ({KAFKA} 'w', 'format' = 'json');"
        " INSERT INTO w SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
        " GROUP BY k, window_start, window_end"
    )
    plan = look(sql, "1 h")
    assert "engine" not in render_state(plan.sinks[0])
    assert not any("kept for ever" in problem.message for problem in plan.warnings)


def test_a_backend_in_memory_is_warned_of_where_the_engine_keeps_state() -> None:
    told = "'state.backend.type' is 'hashmap', and the state of this job is kept in RocksDB."
    for ttl, expected in (("1 h", 1), ("0", 0)):
        sql = f"SET 'state.backend.type' = 'hashmap'; SET 'table.exec.state.ttl' = '{ttl}'; {GROUPED}"
        assert [problem.message for problem in look(sql).warnings].count(told) == expected
