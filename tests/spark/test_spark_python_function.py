"""The script's own Python functions, on Spark's workers, which do not have their module."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from firesteel.plan.expression import Call, ColumnRef, Expression, Literal
from firesteel.spark.failure import find_failure
from firesteel.spark.lower.expression import lower_expression
from firesteel.spark.start.session import job_session
from firesteel.types import STRING, BigInt, Char, DataType

MODULE = """
from travelling_names import NAMES
def named(x): return None if x is None else NAMES[x]
def wrong(x): return "text"
"""


@pytest.fixture
def travelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "travelling.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "travelling_names.py").write_text("NAMES = ['zero', 'one', 'two']\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in ("travelling", "travelling_names"):
        sys.modules.pop(name, None)


def call(path: str, result: DataType, argument: Expression) -> Call:
    return Call("PYTHON", (Literal(path, Char(len(path), nullable=False)), argument), result)


@pytest.mark.spark
def test_a_python_function_runs_on_workers_and_its_failure_is_told(travelling: None, spark: SparkSession) -> None:
    session = job_session(spark, {})
    # What could be imported here must not help: the workers have their own path.
    named = lower_expression(call("travelling.named", STRING, ColumnRef("id", BigInt())))
    rows = session.range(3).select(named.alias("n")).collect()
    assert sorted(row.n for row in rows) == ["one", "two", "zero"]

    with pytest.raises(PySparkException) as failed:
        session.range(4).select(named.alias("n")).collect()
    error = find_failure(str(failed.value))
    assert error is not None and error.message.startswith("The function 'travelling.named' failed: IndexError")

    wrong = lower_expression(call("travelling.wrong", BigInt(), ColumnRef("id", BigInt())))
    with pytest.raises(PySparkException) as failed:
        session.range(1).select(wrong).collect()
    error = find_failure(str(failed.value))
    assert error is not None and "gives a value that is no BIGINT" in error.message
