"""Finding E7: every difference from Flink that `docs/differences.md` lists is proved, and every one that is recorded is listed.

A comment behind an entry says what proves it: `expression: … ;; value`, `fails: expression`, `case: a recorded case`,
`job: a case of tests/jobs`, `test: a test`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from tests.conformance.recorded import EARLIER, load_cases
from tests.formats.formats_tables import bind, parse_columns
from tests.spark.test_spark_function_result import resolve

import firesteel
from firesteel.formats.builtin import make_decoder
from firesteel.plan.expression import Cast
from firesteel.types import STRING

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^- (.+?)(?=^- |^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
PROOFS = [(kind, text.strip()) for kind, text in re.findall(r"<!-- (\w+): (.*?) -->", PAGE, re.DOTALL)]


def _proofs(kind: str) -> list[str]:
    return [text for found, text in PROOFS if found == kind]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry[:40])
def test_findings_e7_every_entry_is_proved(entry: str) -> None:
    kinds = re.findall(r"<!-- (\w+): ", entry)
    assert kinds
    assert set(kinds) <= {"expression", "fails", "case", "job", "test"}


def test_findings_e7_every_recorded_difference_is_listed() -> None:
    differing = {case.name for case in load_cases() if case.differs} | EARLIER
    assert set(_proofs("case")) == differing


@pytest.mark.parametrize("named", _proofs("job"))
def test_findings_e7_the_jobs_are_there(named: str) -> None:
    assert (ROOT / "tests" / "jobs" / "cases" / named / "job.sql").exists()


@pytest.mark.parametrize("named", _proofs("test"))
def test_findings_e7_the_tests_are_there(named: str) -> None:
    file, _, name = named.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.spark
def test_findings_e7_the_expressions_give_what_the_page_says(spark: SparkSession) -> None:
    from firesteel.spark.lower.expression import lower_expression

    for proof in _proofs("expression"):
        expression, _, expected = proof.partition(" ;; ")
        [row] = spark.range(1).select(lower_expression(Cast(resolve(expression), STRING))).collect()
        assert ("NULL" if row[0] is None else row[0]) == expected, expression


@pytest.mark.spark
def test_findings_e7_the_expressions_fail_that_the_page_says(spark: SparkSession) -> None:
    from firesteel.spark.lower.expression import lower_expression

    for expression in _proofs("fails"):
        rows = spark.range(1).select(lower_expression(resolve(expression)))
        with pytest.raises(PySparkException):
            rows.collect()


def test_an_empty_csv_record_is_no_row() -> None:
    for options, message in (({}, b""), ({"allow-comments": "true"}, b"# nothing"), ({"allow-comments": "true"}, b"")):
        bound = bind(parse_columns("a INT, b STRING"), "csv", options)
        decoded = make_decoder(bound, bound.columns).decode([message, b"1,x"])
        assert decoded.batch.to_pylist() == [{"a": 1, "b": "x"}]
        assert not decoded.rejects


def test_a_column_that_nobody_reads() -> None:
    for name, message in (("json", b'{"a":1,"b":"x"}'), ("csv", b"1,x")):
        bound = bind(parse_columns("a INT, b INT"), name)
        assert make_decoder(bound, ["a"]).decode([message]).batch.to_pylist() == [{"a": 1}]
        assert make_decoder(bound, ["a", "b"]).decode([message]).rejects


def test_bytes_behind_an_avro_record() -> None:
    bound = bind(parse_columns("a INT NOT NULL"), "avro")
    decoded = make_decoder(bound, ["a"]).decode([b"\2", b"\2\2"])
    assert decoded.batch.to_pylist() == [{"a": 1}]
    [reject] = decoded.rejects
    assert "left behind the record" in reject.detail


_TABLES = """
CREATE TABLE src (a INT) WITH ('connector' = 'kafka', 'topic' = 's', 'properties.bootstrap.servers' = 'b:1', 'format' = 'json');
CREATE TABLE snk (a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:1', 'format' = 'json');
INSERT INTO snk SELECT a FROM src;
"""


def test_group_offsets_without_a_group() -> None:
    [problem] = firesteel.check(_TABLES)
    assert not problem.is_error
    assert "earliest" in problem.message
