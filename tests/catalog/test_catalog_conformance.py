"""What Flink refused about a table, the catalog refuses; what Flink ran, it takes."""

from __future__ import annotations

import re

import pytest
from sqlglot import exp
from tests.conformance.recorded import EARLIER, load_cases
from tests.jobs.case import Case

from firesteel.catalog.catalog import Catalog, declare
from firesteel.errors import Problem, Source
from firesteel.sql.script import parse_script
from firesteel.sql.statement import Insert, StatementSet

#: Refused by the plan, not by the tables.
PLANNED = {
    "debezium-12-to-insert-only-json-error",
    "errors-29-updating-query-append-sink",
    "errors-54-sink-column-count",
    "errors-56-sink-string-to-char",
    "grouping-08-grouping-not-key-error",
    "io-13-insert-overwrite-error",
    "query-21-distinct-append",
    "rank-06-dense-rank-error",
}


def problems_of(sql: str) -> list[Problem]:
    script, found = parse_script(Source("job.sql", sql))
    problems, catalog = list(found), Catalog()
    for statement in script.statements:
        catalog, more = declare(statement, catalog, environment={})
        problems += more
        inserts = statement.inserts if isinstance(statement, StatementSet) else (statement,)
        for insert in inserts:
            if not isinstance(insert, Insert):
                continue
            sink = catalog.table(insert.target)
            problems += sink.problems_as_sink if sink else ()
            for name in {table.name for table in insert.query.find_all(exp.Table)}:
                if name in catalog.tables:
                    problems += catalog.tables[name].problems_as_source
    return problems


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_a_table_is_refused_where_flink_refuses_it(case: Case) -> None:
    if case.differs or case.name in PLANNED:
        pytest.skip(case.differs or "the plan refuses it")
    sql = re.sub(r"\$\{(\w+)(?::(\w+))?\}", lambda name: name[2] or f"{name[1]}:9092", case.sql)
    mistakes = [problem for problem in problems_of(sql) if problem.is_error]
    refused = case.error_phase in ("ddl", "plan") or case.name in EARLIER
    assert bool(mistakes) is refused, mistakes
    assert all(problem.span is not None for problem in mistakes)
