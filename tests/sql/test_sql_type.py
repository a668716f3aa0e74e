from __future__ import annotations

import pytest

from firesteel.errors import Source
from firesteel.sql.script import parse_script
from firesteel.sql.statement import CreateTable, PhysicalColumn


def written(type_: str) -> str:
    script, problems = parse_script(Source("job.sql", f"CREATE TABLE t (a {type_})"))
    assert not problems, problems
    statement = script.statements[0]
    assert isinstance(statement, CreateTable)
    column = statement.columns[0]
    assert isinstance(column, PhysicalColumn)
    return str(column.type)


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("CHAR", "CHAR(1)"),
        ("CHARACTER(3)", "CHAR(3)"),
        # Flink's documentation says length 1, its SQL parser takes the greatest.
        ("VARCHAR", "STRING"),
        ("VARCHAR(5)", "VARCHAR(5)"),
        ("VARCHAR(2147483647)", "STRING"),
        ("CHAR VARYING(4)", "VARCHAR(4)"),
        ("VARBINARY", "BYTES"),
        ("BINARY", "BINARY(1)"),
        ("BINARY VARYING(4)", "VARBINARY(4)"),
        ("string", "STRING"),
        ("DECIMAL", "DECIMAL(10, 0)"),
        ("DEC(38)", "DECIMAL(38, 0)"),
        ("NUMERIC(5,5)", "DECIMAL(5, 5)"),
        ("INTEGER", "INT"),
        ("DOUBLE PRECISION", "DOUBLE"),
        ("TIME", "TIME(0)"),
        ("TIME(3) WITHOUT TIME ZONE", "TIME(3)"),
        ("TIMESTAMP", "TIMESTAMP(6)"),
        ("TIMESTAMP(0)", "TIMESTAMP(0)"),
        ("TIMESTAMP(3) WITHOUT TIME ZONE", "TIMESTAMP(3)"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"),
        ("TIMESTAMP_LTZ", "TIMESTAMP_LTZ(6)"),
        ("INT NOT NULL", "INT NOT NULL"),
        ("INT NULL", "INT"),
        ("INT ARRAY", "ARRAY<INT>"),
        ("INT NOT NULL ARRAY NOT NULL", "ARRAY<INT NOT NULL> NOT NULL"),
        ("STRING ARRAY MULTISET", "MULTISET<ARRAY<STRING>>"),
        ("MAP<STRING NOT NULL, ARRAY<ROW<a INT>>>", "MAP<STRING NOT NULL, ARRAY<ROW<`a` INT>>>"),
        ("ROW(a INT 'a comment', `b c` ROW<d DATE NOT NULL>)", "ROW<`a` INT, `b c` ROW<`d` DATE NOT NULL>>"),
        ("INTERVAL DAY TO SECOND(3)", "INTERVAL DAY TO SECOND"),
        ("INTERVAL YEAR", "INTERVAL YEAR TO MONTH"),
    ],
)
def test_a_type_is_read_and_printed_as_it_is_written(type_: str, expected: str) -> None:
    assert written(type_) == expected
    # What a type prints is a way to write it.
    assert written(expected) == expected
