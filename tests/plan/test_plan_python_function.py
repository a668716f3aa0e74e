"""CREATE FUNCTION … LANGUAGE PYTHON: what is allowed, what is found, and the type that comes out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plan.test_plan_case import PRELUDE

from firesteel.errors import Source
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.expression import Call, Expression, children
from firesteel.plan.function.python import PythonModules, allowed_modules
from firesteel.plan.node.relation import Project

MODULE = """
from __future__ import annotations
import datetime
from decimal import Decimal
from typing import Optional

def double(x: int) -> int: return x * 2
def name(a: str, b: str = "") -> Optional[str]: return a + b
def day(x) -> datetime.date: return x
def price(x) -> Decimal: return x
def untyped(x): return x
def declared(x): return x
declared.result_type = "ARRAY<STRING>"
def badly(x): return x
badly.result_type = "NUMBERS"
value = 5

class TimestampType:
    precision = 3
class udf:
    def __init__(self, func): self._func, self._result_type = func, TimestampType()
wrapped = udf(lambda x, y: x)
"""


@pytest.fixture
def modules(tmp_path: Path) -> Iterator[PythonModules]:
    (tmp_path / "shop_functions.py").write_text(MODULE, encoding="utf-8")
    yield PythonModules(frozenset({"shop_functions"}), tmp_path)
    sys.modules.pop("shop_functions", None)


def analyzed(sql: str, modules: PythonModules | None) -> Analysis:
    return analyze(Source("job.sql", PRELUDE + sql), None, modules)


def create(path: str, name: str = "f") -> str:
    return f"CREATE TEMPORARY FUNCTION {name} AS '{path}' LANGUAGE PYTHON;\n"


@pytest.mark.parametrize(
    ("function", "call", "expected"),
    [
        ("double", "f(user_id)", "BIGINT"),
        ("name", "F(region)", "STRING"),
        ("name", "f(region, 'x')", "STRING"),
        ("day", "f(1)", "DATE"),
        ("price", "f(1)", "DECIMAL(38, 18)"),
        ("declared", "f(1)", "ARRAY<STRING>"),
        ("wrapped", "f(1, 2)", "TIMESTAMP(3)"),
    ],
)
def test_a_call_has_the_type_of_its_function(function: str, call: str, expected: str, modules: PythonModules) -> None:
    insert = f"INSERT INTO dest SELECT 1, CAST({call} AS STRING) FROM views;"
    (sink,) = analyzed(create(f"shop_functions.{function}") + insert, modules).sinks
    assert isinstance(sink.input, Project)
    (found,) = (one for expression in sink.input.expressions for one in calls(expression))
    assert str(found.type) == expected
    assert str(found).startswith(f"PYTHON('shop_functions.{function}', ")


def calls(expression: Expression) -> Iterator[Call]:
    if isinstance(expression, Call) and expression.function == "PYTHON":
        yield expression
    for child in children(expression):
        yield from calls(child)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("other.f", "which is not allowed to run here"),
        ("shop_functions.nothing", "The module 'shop_functions' has no function 'nothing'."),
        ("shop_functions.value", "'shop_functions.value' is no function."),
        ("shop_functions.untyped", "The function 'f' does not say what type it gives."),
        ("shop_functions.badly", "The function 'f' gives 'NUMBERS', which is no type."),
        ("f", "'f' is no Python function."),
    ],
)
def test_a_function_that_cannot_be_used_is_refused(path: str, message: str, modules: PythonModules) -> None:
    sql = create(path) + "INSERT INTO dest SELECT f(user_id), region FROM views;"
    (problem,) = analyzed(sql, modules).errors
    assert message in problem.message
    assert problem.span is not None


def test_nothing_is_imported_that_is_not_allowed(modules: PythonModules) -> None:
    (problem,) = analyzed(create("shop_functions.double"), PythonModules(frozenset(), modules.folder)).errors
    assert problem.hint is not None and "--python-functions shop_functions" in problem.hint
    assert "shop_functions" not in sys.modules


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    (problem,) = analyzed(create("absent.f"), PythonModules(frozenset({"absent"}), tmp_path)).errors
    assert "The module 'absent' is not found" in problem.message


def test_a_wrong_number_of_arguments(modules: PythonModules) -> None:
    sql = create("shop_functions.double") + "INSERT INTO dest SELECT f(user_id, 1), region FROM views;"
    (problem,) = analyzed(sql, modules).errors
    assert problem.message == "'f' has 2 arguments and takes 1."


def test_a_function_of_the_system_goes_first(modules: PythonModules) -> None:
    sql = create("shop_functions.double", "upper") + "INSERT INTO dest SELECT 1, upper(region) FROM views;"
    assert "PYTHON" not in repr(analyzed(sql, modules).sinks)


def test_the_environment_allows_too() -> None:
    found = allowed_modules(["a"], None, {"FIRESTEEL_PYTHON_FUNCTIONS": "b, c.d"})
    assert [found.allow(name) for name in ("a", "b.x", "c", "c.d")] == [True, True, False, True]


KINDS = """
import asyncio
import pandas as pd
from pyspark.sql.functions import pandas_udf, udf
from pyspark.sql.types import LongType

@pandas_udf(LongType())
def columns(x: pd.Series) -> pd.Series: return x
plain = udf(lambda x: x, LongType())
class Shout:
    def eval(self, x: str) -> str: return x.upper()
shout = Shout()
class Mean:
    def accumulate(self, state, x): ...
    def __call__(self, x) -> int: return x
mean = Mean()
async def later(x: int) -> int: return x
def rows(x: int) -> int: yield x
def typed(a: int, b: str = "", *more: float) -> int: return a
def anything(a, b: object) -> int: return 1
"""


@pytest.fixture
def kinds(tmp_path: Path) -> Iterator[PythonModules]:
    (tmp_path / "shop_kinds.py").write_text(KINDS, encoding="utf-8")
    yield PythonModules(frozenset({"shop_kinds"}), tmp_path)
    sys.modules.pop("shop_kinds", None)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("columns", "takes whole columns, as pandas functions do, which is not supported yet."),
        ("Shout", "is a class."),
        ("mean", "is an aggregate; aggregates in Python are not supported yet."),
        ("later", "is 'async', and functions are called one row after the other."),
        ("rows", "gives several rows; table functions are not supported yet."),
    ],
)
def test_findings_c11_what_cannot_run_is_refused(function: str, message: str, kinds: PythonModules) -> None:
    analysis = analyzed(
        create(f"shop_kinds.{function}") + "INSERT INTO dest SELECT f(user_id), region FROM views;", kinds
    )
    (problem,) = analysis.errors
    assert problem.message == f"The function 'f' {message}"


@pytest.mark.parametrize("call", ["plain(user_id)", "CHAR_LENGTH(shout(region))", "anything(region, user_id)"])
def test_what_can_run_is_taken(call: str, kinds: PythonModules) -> None:
    name = call.rpartition("(")[0].rpartition("(")[2] if call.startswith("CHAR") else call.partition("(")[0]
    analysis = analyzed(
        create(f"shop_kinds.{name}", name) + f"INSERT INTO dest SELECT {call}, region FROM views;", kinds
    )
    assert analysis.errors == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("user_id", None),
        ("NULL", None),
        ("n, region, 1, 2.5e0", None),
        ("region", "Argument 1 of 'f' is of type STRING, and its annotation is 'int'."),
        ("price", "Argument 1 of 'f' is of type DECIMAL(10, 2), and its annotation is 'int'."),
        ("n, n", "Argument 2 of 'f' is of type INT, and its annotation is 'str'."),
        ("n, region, 1, region", "Argument 4 of 'f' is of type STRING, and its annotation is 'float'."),
    ],
)
def test_findings_c11_arguments_fit_annotations(arguments: str, message: str | None, kinds: PythonModules) -> None:
    analysis = analyzed(
        create("shop_kinds.typed") + f"INSERT INTO dest SELECT f({arguments}), region FROM views;", kinds
    )
    assert [problem.message for problem in analysis.errors] == ([message] if message else [])
