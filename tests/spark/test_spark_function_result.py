"""Each line of `function/*.txt` is an expression and the text Flink makes of its value. A file is one query."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from sqlglot import exp

from firesteel.errors import Source
from firesteel.plan.expression import Cast, Expression
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.scope import Scope
from firesteel.spark.lower.expression import lower_expression
from firesteel.spark.start.session import job_session
from firesteel.sql.script import parse_script
from firesteel.sql.statement import Query
from firesteel.types import STRING

FOLDER = Path(__file__).parent / "function"
ZONES = {"time-in-shanghai": "Asia/Shanghai"}


def cases(name: str) -> list[tuple[str, str]]:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split(" ;; ", 1) for line in lines if line and not line.startswith("#")]
    return [(expression, expected) for expression, expected in pairs]


def resolve(expression: str) -> Expression:
    script, problems = parse_script(Source("job.sql", f"SELECT {expression} FROM t"))
    assert not problems, (expression, problems)
    statement = script.statements[0]
    assert isinstance(statement, Query) and isinstance(statement.query, exp.Select)
    node = statement.query.expressions[0]
    assert isinstance(node, exp.Expression)
    return ExpressionResolver(Scope(()), "SELECT").resolve(node)


@pytest.mark.spark
@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_each_expression_gives_the_value_of_flink(name: str, spark: SparkSession) -> None:
    session = job_session(spark, {"spark.sql.session.timeZone": ZONES.get(name, "UTC")})
    table = cases(name)
    columns = [
        lower_expression(Cast(resolve(expression), STRING)).alias(str(number))
        for number, (expression, _) in enumerate(table)
    ]
    row = session.range(1).select(*columns).collect()[0]
    found = [
        (expression, "NULL" if value is None else value) for (expression, _), value in zip(table, row, strict=True)
    ]
    assert found == table


@pytest.mark.spark
@pytest.mark.parametrize(
    "chain",
    [
        lambda size: "1E0" + " / 2E0" * size,
        lambda size: "2E0" + " % 3E0" * size,
        lambda size: "CAST(CAST(" * size + "1E0" + " AS BIGINT) AS DOUBLE)" * size,
        lambda size: "CAST(CAST(" * size + "1E0" + " AS DECIMAL(9, 2)) AS DOUBLE)" * size,
    ],
    ids=["divide", "remainder", "cast-to-integer", "cast-to-decimal"],
)
def test_a_nested_double_does_not_repeat_its_operands(chain: Callable[[int], str], spark: SparkSession) -> None:
    short, long = (len(str(lower_expression(resolve(chain(size))))) for size in (4, 8))
    assert long < 3 * short
