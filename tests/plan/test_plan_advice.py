from __future__ import annotations

import pytest

from firesteel.errors import Problem, Source
from firesteel.plan.analyze import analyze
from firesteel.plan.fact.lineage import column_lineage


def table(name: str, options: str = "", topic: str | None = None, key: str = "") -> str:
    formats = "'connector' = 'kafka', 'format' = 'json'"
    if key:
        formats = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'"
    where = options if "topic" in options else f"'topic' = '{topic or name}'{options}"
    return (
        f"CREATE TABLE {name} (k STRING, n BIGINT{key}) WITH ({formats}, 'properties.bootstrap.servers' = 'b:9092',"
        f" {where});\n"
    )


GROUP = ", 'properties.group.id' = 'g'"
KEY = ", PRIMARY KEY (k) NOT ENFORCED"
TABLES = (
    table("a", GROUP) + table("b", GROUP) + table("c", GROUP) + table("u", key=KEY) + table("w", topic="u", key=KEY)
)


def warnings(sql: str) -> list[str]:
    analysis = analyze(Source("job.sql", TABLES + sql))
    assert not analysis.errors, analysis.errors
    return [problem.message for problem in analysis.warnings]


AGGREGATE = "INSERT INTO u SELECT k, COUNT(DISTINCT n) FROM a GROUP BY k;"


def test_state_that_grows_for_ever_gets_a_warning() -> None:
    told = "State grows with each new k and each distinct n and is kept for ever"
    assert [message.rstrip(".").partition(":")[0] for message in warnings(AGGREGATE)] == [told]
    for ttl in ("1 h", "0"):
        assert not any(
            "State grows" in message for message in warnings(f"SET 'table.exec.state.ttl' = '{ttl}'; {AGGREGATE}")
        )
    bounded = AGGREGATE.replace("FROM a", "FROM a /*+ OPTIONS('scan.bounded.mode' = 'latest-offset') */")
    assert warnings(bounded) == []
    assert warnings("INSERT INTO u SELECT 'all', COUNT(*) FROM a;") == []
    (distinct,) = warnings("INSERT INTO u SELECT 'all', COUNT(DISTINCT n) FROM a;")
    assert distinct.startswith("State grows with each distinct n and is kept for ever")


def test_a_job_that_reads_what_it_writes() -> None:
    direct = "'a' is written here and read again by the same job: what it writes comes back for ever."
    assert warnings("INSERT INTO a SELECT k, n + 1 FROM a;") == [direct]
    assert warnings("INSERT INTO b SELECT k, n FROM a; INSERT INTO c SELECT k, n FROM b;") == []
    assert warnings("INSERT INTO b SELECT k, n FROM a; INSERT INTO a SELECT k, n FROM b;") == [
        "'b' is written here and read again by the same job, through the other INSERTs: what it writes comes back for ever.",
        "'a' is written here and read again by the same job, through the other INSERTs: what it writes comes back for ever.",
    ]
    pattern = table("p", f"'topic-pattern' = 'a|x.*'{GROUP}")
    assert warnings(f"{pattern} INSERT INTO a SELECT k, n FROM p;") == [direct]
    elsewhere = table("a2", GROUP, topic="a").replace("b:9092", "other:9092")
    assert warnings(f"{elsewhere} INSERT INTO a SELECT k, n FROM a2;") == []


def test_a_pattern_that_never_ends_is_not_tried() -> None:
    slow = table("p", f"'topic-pattern' = '(x+)+y'{GROUP}") + table("q", topic="x" * 60)
    assert warnings(f"{slow} INSERT INTO q SELECT k, n FROM p;") == []


def test_two_inserts_into_one_upsert_topic() -> None:
    (told,) = warnings("INSERT INTO u SELECT k, n FROM a; INSERT INTO w SELECT k, n FROM b;")
    assert told.startswith("'u' is written by an INSERT before this one too:")
    assert warnings("INSERT INTO c SELECT k, n FROM a; INSERT INTO c SELECT k, n FROM b;") == []


def lineage(sql: str) -> list[str]:
    analysis = analyze(Source("job.sql", TABLES + sql))
    assert not analysis.errors, analysis.errors
    return [
        f"{column.column} {column.derivation.value} {column.text} <- {', '.join(map(str, column.origins))}"
        for column in column_lineage(analysis.sinks[0])
    ]


def test_lineage_says_where_each_column_comes_from() -> None:
    assert lineage("INSERT INTO b SELECT UPPER(k), n FROM a;") == [
        "k expression UPPER(k) <- a.k",
        "n copy n <- a.n",
    ]
    assert lineage("INSERT INTO u SELECT k, SUM(n * 2) + COUNT(*) FROM a GROUP BY k;") == [
        "k copy k <- a.k",
        "n aggregate SUM(n * 2) + COUNT(*) <- a.n",
    ]
    assert lineage("INSERT INTO c SELECT k, n FROM a UNION ALL SELECT 'x', n FROM b;")[1] == "n copy n <- a.n, b.n"
    assert lineage("INSERT INTO c (n) SELECT n FROM a;")[0] == "k constant NULL <- "


def test_lineage_of_columns_that_double() -> None:
    """The plan keeps them apart, and the expression is cut."""
    query = "a"
    for _ in range(40):
        query = f"(SELECT k, n + n AS n FROM {query})"
    column = lineage(f"INSERT INTO c SELECT k, n FROM {query};")[1]
    assert column.endswith("<- a.n") and len(column) < 300


CDC = """\
CREATE TABLE cdc (id BIGINT, g STRING) WITH ('connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'topic' = 'cdc',
  'format' = 'debezium-json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE cdc_keyed (id BIGINT, g STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka',
  'properties.bootstrap.servers' = 'b:9092', 'topic' = 'cdc2', 'format' = 'debezium-json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE sink (id BIGINT, g STRING, PRIMARY KEY (g) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'properties.bootstrap.servers' = 'b:9092', 'topic' = 'sink', 'key.format' = 'json', 'value.format' = 'json');
"""
NONE = "SET 'table.exec.sink.upsert-materialize' = 'NONE';"


@pytest.mark.parametrize(
    ("script", "severity", "beginning"),
    [
        (
            "INSERT INTO sink SELECT * FROM cdc_keyed;",
            "warning",
            "Several rows of this query can share the PRIMARY KEY (g) of 'sink', since they are told apart by (id): the last one",
        ),
        ("INSERT INTO sink SELECT * FROM cdc_keyed ON CONFLICT DO DEDUPLICATE;", None, ""),
        ("INSERT INTO sink SELECT * FROM cdc_keyed ON CONFLICT DO NOTHING;", None, ""),
        (
            "SET 'table.exec.sink.upsert-materialize' = 'FORCE'; INSERT INTO sink SELECT * FROM cdc_keyed;",
            None,
            "",
        ),
        (f"{NONE} INSERT INTO sink SELECT * FROM cdc_keyed;", "warning", "Several rows of this query can share"),
        ("INSERT INTO sink SELECT * FROM cdc;", "warning", "Two rows of this query might share"),
        (f"{NONE} INSERT INTO sink SELECT * FROM cdc;", None, ""),
        (
            "INSERT INTO sink SELECT id, g FROM cdc_keyed GROUP BY id, g;",
            "warning",
            "Several rows of this query can share the PRIMARY KEY (g)",
        ),
        (
            f"{NONE} INSERT INTO sink SELECT id, g FROM cdc_keyed GROUP BY id, g;",
            "warning",
            "Several rows of this query can share",
        ),
        ("INSERT INTO sink VALUES (1, 'a'), (2, 'a');", None, ""),
    ],
)
def test_findings_a3_rows_that_share_a_key(script: str, severity: str | None, beginning: str) -> None:
    problems = analyze(Source("job.sql", CDC + script)).problems
    found = [problem for problem in problems if not problem.message.startswith("State grows")]
    assert [(problem.severity.value, problem.message.startswith(beginning)) for problem in found] == (
        [(severity, True)] if severity else []
    )


def test_findings_b6_a_name_of_select_in_group_by() -> None:
    query = "INSERT INTO u SELECT UPPER(k) AS big, SUM(n) FROM a GROUP BY"
    (warning,) = [problem for problem in problems_of(f"{query} big;") if "GROUP BY" in problem.message]
    assert warning.message == "'big' in GROUP BY is a name that SELECT gives, which Flink refuses."
    assert not warning.is_error
    assert not [problem for problem in problems_of(f"{query} UPPER(k);") if "GROUP BY" in problem.message]


def problems_of(script: str) -> tuple[Problem, ...]:
    return analyze(Source("job.sql", TABLES + script)).problems
