"""Whatever the script, it is analyzed or refused: no exception, no long wait, and no silence about what does not parse."""

from __future__ import annotations

import json
import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import Source, render_problem
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.show.explain import explanation_document, render_explanation
from firesteel.sql.script import parse_script
from firesteel.sql.token import Kind, tokenize

TABLES = """\
CREATE TABLE views (user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP(3), region STRING, price DECIMAL(10, 2), n INT,
  total AS price * n, part INT METADATA FROM 'partition' VIRTUAL, WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND)
  WITH ('connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json', 'topic' = 'views',
        'properties.group.id' = 'g', 'json.ignore-parse-errors' = 'true');
CREATE TABLE dest (a BIGINT, b STRING) WITH ('connector.type' = 'kafka', 'connector.topic' = 'out', 'format.type' = 'csv',
  'connector.properties.bootstrap.servers' = 'b:9092');
CREATE TABLE per_region (region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (region) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'properties.bootstrap.servers' = 'b:9092', 'key.format' = 'json',
        'value.format' = 'json', 'topic' = 'regions');
"""
SCRIPTS = [
    TABLES
    + """\
SET 'table.exec.state.ttl' = '1 h';
CREATE VIEW recent AS SELECT user_id, UPPER(region) AS region, n FROM views WHERE n > 3 AND region IS NOT NULL;
INSERT INTO per_region SELECT region, COUNT(*), COUNT(DISTINCT user_id) FROM recent GROUP BY region HAVING COUNT(*) > 1;
INSERT INTO dest SELECT user_id, CASE WHEN n > 1 THEN region ELSE 'x' END FROM views
  UNION ALL SELECT CAST(n AS BIGINT), SUBSTRING(region, 1, 2) FROM (SELECT n, region FROM views WHERE n IN (1, 2)) AS t;
""",
    TABLES
    + """\
EXECUTE STATEMENT SET BEGIN
INSERT INTO dest (b, a) SELECT region, page_id FROM views /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */;
INSERT INTO per_region SELECT 'all', SUM(page_id), MAX(user_id) FILTER (WHERE n = 1) FROM views;
END;
EXPLAIN INSERT INTO dest SELECT part, CAST(total AS STRING) FROM views;
SELECT * FROM views;
""",
]


def pieces(sql: str) -> list[str]:
    tokens, _ = tokenize(sql)
    starts = [token.start for token in tokens if token.kind is not Kind.END]
    return [sql[start:end] for start, end in zip([0, *starts], [*starts, len(sql)], strict=True)]


PIECES = [pieces(sql) for sql in SCRIPTS]
ALL_PIECES = sorted({piece for found in PIECES for piece in found})
SIGNS = ["'", '"', "`", "(", ")", "/*", "*/", "/*+", "\u2028", "\x00", "é", "😀", "--", "[", "''", "\\"]


def assert_analyzed_or_refused(sql: str) -> Analysis:
    started = time.process_time()
    source = Source("job.sql", sql)
    analysis = analyze(source)
    _, problems = parse_script(source)
    assert analysis.errors or not problems
    assert len(analysis.source.text) == len(sql)
    for problem in analysis.problems:
        assert problem.message.endswith("."), problem
        assert len(problem.message) < 1000
        if problem.span is not None:
            assert 0 <= problem.span.start <= problem.span.end <= len(sql)
        render_problem(problem, analysis.source)
    if not analysis.errors:
        for sink in analysis.sinks[:3]:
            render_explanation(sink)
            json.dumps(explanation_document(sink))
    assert time.process_time() - started < 5
    return analysis


@pytest.mark.parametrize("sql", SCRIPTS)
def test_the_scripts_are_right(sql: str) -> None:
    analysis = assert_analyzed_or_refused(sql)
    assert not analysis.errors


def mutated(found: list[str], chance: random.Random) -> str:
    found = list(found)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(found))
        match chance.randrange(6):
            case 0:
                del found[at]
            case 1:
                found.insert(at, found[at])
            case 2:
                other = chance.randrange(len(found))
                found[at], found[other] = found[other], found[at]
            case 3:
                found[at] = found[at][: chance.randint(0, len(found[at]))]
            case 4:
                found[at] = chance.choice(ALL_PIECES)
            case _:
                found[at] += chance.choice(SIGNS)
    return "".join(found)


def test_thousands_of_mutated_scripts() -> None:
    chance = random.Random(4)
    for _ in range(2000):
        assert_analyzed_or_refused(mutated(chance.choice(PIECES), chance))


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(PIECES), st.text(max_size=20))
def test_mutated_scripts_with_any_text(chance: random.Random, found: list[str], text: str) -> None:
    at = chance.randrange(len(found))
    assert_analyzed_or_refused(mutated([*found[:at], text, *found[at:]], chance))


DEEP = 10_000
BIG = 1_000_000
LARGE = {
    "many conditions": f"INSERT INTO dest SELECT user_id, region FROM views WHERE {' AND '.join(['n = 1'] * DEEP)}",
    "many branches": "INSERT INTO dest SELECT CASE "
    + " ".join(f"WHEN n = {number} THEN {number}" for number in range(2000))
    + " END, region FROM views",
    "parentheses": f"INSERT INTO dest SELECT {'(' * DEEP}user_id{')' * DEEP}, region FROM views",
    "subqueries": "INSERT INTO dest SELECT user_id, region FROM "
    + "(SELECT user_id + user_id AS user_id, region FROM " * 60
    + "views"
    + ")" * 60,
    "many columns": f"INSERT INTO dest SELECT {','.join(['user_id'] * DEEP)} FROM views",
    "many unknown columns": f"INSERT INTO dest SELECT {','.join(f'no{number}' for number in range(1000))} FROM views",
    "a big text": f"INSERT INTO dest SELECT user_id, '{'x' * BIG}' FROM views",
    "a big text of quotes": f"INSERT INTO dest SELECT user_id, '{chr(39) * BIG}' FROM views",
    "a big name": f"INSERT INTO dest SELECT {'x' * BIG}, region FROM views",
    "a big table": f"INSERT INTO {'x' * BIG} SELECT user_id, region FROM views",
    "a big option": f"INSERT INTO dest SELECT user_id, region FROM views /*+ OPTIONS('topic' = '{'x' * BIG}') */",
    "a big login": f"INSERT INTO dest SELECT user_id, region FROM views"
    f" /*+ OPTIONS('properties.sasl.jaas.config' = '{'a b=' * (BIG // 4)}') */",
    "nothing but secrets": "password=" * (BIG // 10),
    "nothing but secret keys": "'a.password' " * (BIG // 20),
    "nothing but addresses": ":/@" * (BIG // 30),
    "many settings": "SET 'a' = 'b';\n" * 3000,
    "many inserts": "INSERT INTO dest SELECT user_id, region FROM views;\n" * 500,
}


@pytest.mark.parametrize("name", LARGE)
def test_large_scripts_are_read_or_refused(name: str) -> None:
    assert_analyzed_or_refused(TABLES + LARGE[name])


def test_positions_survive_line_ends() -> None:
    sql = re.sub("\n", "\r\n", SCRIPTS[0].replace("UPPER", "UPER"))
    (problem,) = assert_analyzed_or_refused(sql).errors[:1]
    assert problem.span is not None and sql[problem.span.start : problem.span.end].startswith("UPER")
