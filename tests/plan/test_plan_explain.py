"""The sections below a plan: what a join remembers and by what it chooses, in the words of the query."""

from __future__ import annotations

from firesteel.errors import Source
from firesteel.plan.analyze import analyze
from firesteel.plan.show.explain import render_explanation


def table(name: str, connector: str = "kafka") -> str:
    return (
        f"CREATE TABLE {name} (id BIGINT, v INT, k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH"
        f" ('connector' = '{connector}', 'topic' = '{name}', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json',"
        " 'properties.group.id' = 'g');\n"
    )


TABLES = (
    table("a")
    + table("c")
    + "CREATE TABLE out1 (id BIGINT, k STRING) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json',"
    " 'properties.bootstrap.servers' = 'b:9092');\n"
    "CREATE TABLE out2 (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'u',"
    " 'key.format' = 'json', 'value.format' = 'json', 'properties.bootstrap.servers' = 'b:9092');\n"
)


def explained(query: str) -> tuple[str, list[str]]:
    analysis = analyze(Source("job.sql", TABLES + query))
    assert not analysis.errors, analysis.errors
    (sink,) = analysis.sinks
    return render_explanation(sink), [problem.message for problem in analysis.warnings]


def test_an_interval_join_names_its_times_its_condition_and_the_tables_of_its_keys() -> None:
    shown, _ = explained(
        "INSERT INTO out1 SELECT a.id, c.k FROM a JOIN c ON a.id = c.id AND c.ts BETWEEN a.ts AND a.ts + INTERVAL '1' HOUR"
        " AND c.v > 3"
    )
    assert "TimeJoin keeps, for each a.id = c.id:\n" in shown
    assert "kept until no partner can come, by Spark's own operators\n" in shown
    chosen = shown.partition("rows chosen and grouped by ")[2].strip().split(", ")
    assert set(chosen) == {"a.id", "c.id", "a.ts", "c.ts", "c.v"}


def test_a_join_names_the_tables_of_what_it_compares() -> None:
    shown, warnings = explained("INSERT INTO out1 SELECT a.id, c.k FROM a JOIN c ON a.id = ABS(c.id)")
    assert "Join keeps, for each a.id = ABS(c.id):\n" in shown
    assert warnings == ["State grows with each new a.id = ABS(c.id) and is kept for ever."]


def test_clauses_of_a_function_are_no_arguments_in_texts() -> None:
    shown, warnings = explained(
        "INSERT INTO out2 SELECT JSON_VALUE(k, '$.a' NULL ON EMPTY), COUNT(*) FROM a GROUP BY"
        " JSON_VALUE(k, '$.a' NULL ON EMPTY)"
    )
    sections = shown.partition("Unique key")[2]
    assert "keeps, for each JSON_VALUE(k, '$.a'):" in sections and "'NULL'" not in sections
    assert warnings == ["State grows with each new JSON_VALUE(k, '$.a') and is kept for ever."]
