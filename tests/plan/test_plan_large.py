"""Very large scripts: the time grows with them, not with their square."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

import pytest

from firesteel.errors import Source
from firesteel.plan.analyze import analyze

OPTIONS = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset'"


def table(name: str, columns: str = "a BIGINT, b STRING", more: str = "") -> str:
    return f"CREATE TABLE {name} ({columns}) WITH ({OPTIONS}, 'topic' = '{name}'{more});\n"


TWO = table("s") + table("d")
COLUMNS = ", ".join(f"c{number} BIGINT" for number in range(5000))
LARGE = {
    "statements": "".join(table(f"t{number}") for number in range(2500)),
    "inserts": TWO + "INSERT INTO d SELECT a, b FROM s WHERE a > 1;" * 4000,
    "inserts one behind the other": "".join(table(f"t{number}") for number in range(2001))
    + "".join(f"INSERT INTO t{number + 1} SELECT a, b FROM t{number};" for number in range(2000)),
    "upserts into one topic": table("s")
    + "CREATE TABLE u (a BIGINT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'u',"
    " 'properties.bootstrap.servers' = 'b:9092', 'key.format' = 'json', 'value.format' = 'json');"
    + "INSERT INTO u SELECT a, b FROM s;"
    * 3000,
    "columns": table("s", COLUMNS) + table("d", COLUMNS) + "INSERT INTO d SELECT * FROM s;",
    "expressions": table("s", COLUMNS)
    + table("d", COLUMNS)
    + f"INSERT INTO d SELECT {', '.join(f'c{number} + 1' for number in range(5000))} FROM s;",
    "options": table("s", more="".join(f", 'properties.x{number}' = 'y'" for number in range(5000))),
    "values of IN": TWO + f"INSERT INTO d SELECT a, b FROM s WHERE a IN ({', '.join(map(str, range(50_000)))});",
    "conditions": TWO + f"INSERT INTO d SELECT a, b FROM s WHERE {' AND '.join(f'a <> {n}' for n in range(10_000))};",
}


@pytest.fixture
def few_objects() -> Iterator[None]:
    """Keeps the objects of thousands of earlier tests out of the garbage collector's way: it is not them that is measured."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("few_objects")
@pytest.mark.parametrize("name", LARGE)
def test_findings_d15_large_scripts_are_analyzed_in_seconds(name: str) -> None:
    started = time.process_time()
    analyze(Source("job.sql", LARGE[name]))
    # One to two seconds each, more beside other work; with their square it was four to twelve.
    assert time.process_time() - started < 5
