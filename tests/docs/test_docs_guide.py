"""Claims of the guide that `check` can try: each stands in one of its pages, and is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import firesteel
from firesteel.errors import Problem

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
PAGE = re.sub(r"\s+", " ", "\n".join(page.read_text(encoding="utf-8") for page in sorted(GUIDE.glob("*.md"))))
KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset'"
UPSERT = "'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = 'b:9092', 'key.format' = 'json', 'value.format' = 'json'"
TABLES = f"""\
CREATE TABLE s (a BIGINT, b STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
  WITH ({KAFKA}, 'topic' = 's', 'format' = 'json');
CREATE TABLE cdc (a BIGINT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ({KAFKA}, 'topic' = 'c', 'format' = 'debezium-json');
CREATE TABLE t (a BIGINT, b STRING) WITH ({KAFKA}, 'topic' = 't', 'format' = 'json');
CREATE TABLE u (a BIGINT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ({UPSERT}, 'topic' = 'u');
CREATE TABLE g (a BIGINT, b STRING, PRIMARY KEY (b) NOT ENFORCED) WITH ({UPSERT}, 'topic' = 'g');
"""


def told(script: str) -> list[Problem]:
    return [one for one in firesteel.check(TABLES + script) if not one.message.startswith("State grows")]


#: What the page says, a script, and whether it gets an error, a warning or nothing.
CLAIMS = [
    (
        "Settings that say how to run on Flink's own machinery (`taskmanager.*`, `restart-strategy` …) are accepted",
        "SET 'taskmanager.numberOfTaskSlots' = '2';",
        None,
    ),
    ("an unknown setting is a warning", "SET 'no.such.setting' = '1';", "warning"),
    (
        "Results of non-deterministic functions, such as `UUID()`, may be written",
        "INSERT INTO t SELECT a, UUID() FROM s;",
        None,
    ),
    (
        "windows can be made of it, also above a view or a subquery that selects it unchanged",
        "CREATE VIEW v AS SELECT ts AS seen, b FROM s;"
        "INSERT INTO t SELECT COUNT(*), b FROM (SELECT * FROM v WHERE b <> 'x') GROUP BY b, TUMBLE(seen, INTERVAL '1' MINUTE);",
        None,
    ),
    (
        "`SESSION` over rows that change or on processing time (`PROCTIME()`)",
        "INSERT INTO t SELECT COUNT(*), b FROM (SELECT b, PROCTIME() AS p FROM s) GROUP BY b, SESSION(p, INTERVAL '1' MINUTE);",
        "error",
    ),
    (
        "a column that is `PROCTIME()` makes windows of the clock",
        "INSERT INTO t SELECT COUNT(*), b FROM (SELECT b, PROCTIME() AS p FROM s) GROUP BY b, TUMBLE(p, INTERVAL '1' MINUTE);",
        None,
    ),
    ("`GROUPING SETS`", "INSERT INTO u SELECT a, b FROM s GROUP BY GROUPING SETS ((a), (b));", "error"),
    (
        "Aggregates** take a value back when its row is retracted: COUNT, SUM, AVG",
        "INSERT INTO g SELECT SUM(a), b FROM cdc GROUP BY b;",
        None,
    ),
    ("MIN, MAX, FIRST_VALUE, LAST_VALUE, LISTAGG", "INSERT INTO g SELECT MAX(a), b FROM cdc GROUP BY b;", None),
    (
        "and over queries that update or delete",
        "INSERT INTO u SELECT a, b FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS row_num FROM cdc) WHERE row_num = 1;",
        None,
    ),
    (
        "`ROW_NUMBER()`** works as `WHERE row_num <= n` around it",
        "INSERT INTO t SELECT a, b FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY ts) AS row_num FROM s) WHERE row_num = 1;",
        None,
    ),
    ("`ORDER BY` without `LIMIT` is refused", "INSERT INTO t SELECT a, b FROM s ORDER BY a;", "error"),
    (
        "This costs state, so `check` warns if rows might share the key",
        "INSERT INTO g SELECT a, b FROM cdc;",
        "warning",
    ),
    (
        "`ON CONFLICT DO NOTHING` keeps the first row",
        "INSERT INTO g SELECT a, b FROM cdc ON CONFLICT DO NOTHING;",
        None,
    ),
    (
        "`SET 'table.exec.sink.upsert-materialize' = 'NONE'` asserts that no two rows share a key",
        "SET 'table.exec.sink.upsert-materialize' = 'NONE'; INSERT INTO g SELECT a, b FROM cdc;",
        "warning",
    ),
    (
        "Without that, `check` and `run` refuse the script",
        "CREATE FUNCTION net AS 'shop.net' LANGUAGE PYTHON; INSERT INTO t SELECT net(a), b FROM s;",
        "error",
    ),
]


@pytest.mark.parametrize(("claim", "script", "severity"), CLAIMS, ids=lambda value: str(value)[:40])
def test_findings_c13_a_claim_of_the_guide(claim: str, script: str, severity: str | None) -> None:
    assert claim in PAGE
    assert [problem.severity.value for problem in told(script)] == ([severity] if severity else [])


def test_the_guide_links_all_of_its_pages() -> None:
    index = (GUIDE / "README.md").read_text(encoding="utf-8")
    assert {page.name for page in GUIDE.glob("*.md")} - set(re.findall(r"\]\(([\w-]+\.md)\)", index)) == {"README.md"}
