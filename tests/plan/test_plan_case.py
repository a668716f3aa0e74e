"""Each file of `case/` and its folders is a script, a line of dashes, and its plans, or what is wrong with it, to the letter.

What is refused stands in `case/mistake`. `PRELUDE` stands before each script, so that a case shows only what it is about.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import Source, Span, render_problem
from firesteel.plan.analyze import analyze
from firesteel.plan.show.explain import render_plan

FOLDER = Path(__file__).parent / "case"
CASES = sorted(FOLDER.rglob("*.case"))

_KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json', 'topic' ="
_UPSERT = (
    "'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = 'b:9092', 'key.format' = 'json',"
    " 'value.format' = 'json', 'topic' ="
)
_SOURCE = "'properties.group.id' = 'g'"
PRELUDE = f"""\
CREATE TABLE views (user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP(3), region STRING, price DECIMAL(10, 2), n INT)
  WITH ({_KAFKA} 'views', {_SOURCE});
CREATE TABLE more (user_id BIGINT, region VARCHAR(20), ok BOOLEAN, r ROW<a INT, b ROW<c STRING>>, l ARRAY<INT>)
  WITH ({_KAFKA} 'more', {_SOURCE});
CREATE TABLE per_region (region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (region) NOT ENFORCED) WITH ({_UPSERT} 'out');
CREATE TABLE dest (a BIGINT, b STRING) WITH ({_KAFKA} 'out2');
CREATE TABLE orders (id BIGINT, region STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ({_KAFKA.replace("json", "debezium-json")} 'orders', {_SOURCE});
CREATE TABLE users (id BIGINT, region STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ({_UPSERT} 'users', {_SOURCE});
CREATE TABLE changes (a BIGINT, b STRING) WITH ({_KAFKA.replace("json", "canal-json")} 'changes');
CREATE TABLE keyed (a BIGINT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ({_UPSERT} 'keyed');
CREATE TABLE events (id BIGINT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
  WITH ({_KAFKA} 'events', {_SOURCE});
CREATE TABLE per_window (ws TIMESTAMP(3), we TIMESTAMP(3), k STRING, c BIGINT) WITH ({_KAFKA} 'out3');
"""


def explain(sql: str) -> str:
    """The plans, or the problems with their positions within the case itself."""
    analysis = analyze(Source("job.sql", PRELUDE + sql))
    if not analysis.errors:
        return "\n".join(render_plan(sink) for sink in analysis.sinks) + "\n"
    shown = []
    for problem in analysis.errors:
        assert problem.span is not None, problem
        span = Span(problem.span.start - len(PRELUDE), problem.span.end - len(PRELUDE))
        shown.append(render_problem(type(problem)(problem.message, span, problem.hint), Source("job.sql", sql)))
    return "\n".join(shown) + "\n"


@pytest.mark.parametrize("path", CASES, ids=lambda path: str(path.relative_to(FOLDER).with_suffix("")))
def test_a_script_has_its_plan_or_its_mistakes(path: Path) -> None:
    sql, _, expected = path.read_text(encoding="utf-8").partition("\n-----\n")
    assert explain(sql) == expected


def test_the_prelude_is_right() -> None:
    assert analyze(Source("job.sql", PRELUDE)).problems == ()
