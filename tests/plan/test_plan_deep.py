"""Long chains of names: they work, or are refused with a sentence, and never end in Python's own limit."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

import firesteel
from firesteel.errors import Source
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.show.explain import explanation_document, render_explanation

TABLES = """\
CREATE TABLE s (id BIGINT, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 's', 'properties.bootstrap.servers' = 'b:9092',
  'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE t (id BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 't',
  'properties.bootstrap.servers' = 'b:9092', 'key.format' = 'json', 'value.format' = 'json');
"""


def with_chain(length: int) -> str:
    queries = ["c0 AS (SELECT id, n FROM s)"]
    queries += [f"c{number} AS (SELECT id, n + 1 AS n FROM c{number - 1})" for number in range(1, length)]
    return f"INSERT INTO t WITH {', '.join(queries)} SELECT id, n FROM c{length - 1};"


def view_chain(length: int) -> str:
    views = ["CREATE VIEW c0 AS SELECT id, n FROM s;"]
    views += [f"CREATE VIEW c{i} AS SELECT id, n FROM c{i - 1} WHERE n > {i};" for i in range(1, length)]
    return f"{' '.join(views)} INSERT INTO t SELECT id, n FROM c{length - 1};"


def grouped_chain(length: int) -> str:
    views = ["CREATE VIEW c0 AS SELECT id, n FROM s;"]
    views += [f"CREATE VIEW c{i} AS SELECT id, COUNT(*) AS n FROM c{i - 1} GROUP BY id;" for i in range(1, length)]
    return f"{' '.join(views)} INSERT INTO t SELECT id, n FROM c{length - 1};"


def analyzed(sql: str) -> Analysis:
    started = time.process_time()
    analysis = analyze(Source("job.sql", TABLES + sql))
    if not analysis.errors:
        for sink in analysis.sinks:
            render_explanation(sink)
            explanation_document(sink)
    assert time.process_time() - started < 10
    return analysis


@pytest.mark.parametrize("chain", [with_chain, view_chain, grouped_chain])
@pytest.mark.parametrize("length", [140, 164, 300])
def test_findings_d7_long_chains_are_analyzed(chain: Callable[[int], str], length: int) -> None:
    assert analyzed(chain(length)).errors == ()


@pytest.mark.parametrize("chain", [with_chain, view_chain, grouped_chain])
def test_findings_d7_longer_chains_are_refused(chain: Callable[[int], str]) -> None:
    (problem,) = analyzed(chain(2000)).errors
    assert problem.message.endswith("reads a chain of more than 500 views and queries of WITH.")


def test_findings_d7_check_does_not_raise_below_a_deep_stack() -> None:
    def down(depth: int) -> int:
        return down(depth - 1) if depth else len(firesteel.check(TABLES + with_chain(200)))

    assert down(700) == 0


def test_what_doubles_is_bounded() -> None:
    views = "".join(
        f"CREATE VIEW v{i + 1} AS SELECT a.id, a.n FROM v{i} AS a JOIN v{i} AS b ON a.id = b.id;" for i in range(40)
    )
    sql = f"CREATE VIEW v0 AS SELECT id, n FROM s; {views} INSERT INTO t SELECT id, n FROM v40;"
    (problem,) = analyzed(sql).errors
    assert problem.message == "This query reads more than 200 tables, its views written out."


def test_joins_that_update_take_no_time() -> None:
    joins = " ".join(f"LEFT JOIN s AS a{i} ON a0.id = a{i}.id" for i in range(1, 60))
    assert analyzed(f"INSERT INTO t SELECT a0.id, a0.n FROM s AS a0 {joins};").errors == ()


def test_a_view_sees_nothing_of_the_query_that_reads_it() -> None:
    sql = "CREATE VIEW v AS SELECT id, n FROM s; INSERT INTO t WITH s AS (SELECT 'x' AS id, 'y' AS n) SELECT id, n FROM v;"
    assert analyzed(sql).errors == ()


def test_a_view_of_a_table_that_was_dropped_is_another_one() -> None:
    sql = "CREATE VIEW v AS SELECT id, n FROM s; DROP TABLE s; INSERT INTO t SELECT id, n FROM v;"
    assert [problem.message for problem in analyzed(sql).errors] == ["'s' is not a table."]
