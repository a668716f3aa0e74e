"""Times as Flink 1.9 and 1.10 wrote them, for tables that only those can have had."""

from __future__ import annotations

import pyarrow as pa
import pytest

from firesteel.catalog.catalog import Catalog, declare
from firesteel.catalog.table import Table
from firesteel.errors import Problem, Source
from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.sql.script import parse_script

COLUMNS = "id INT, ts TIMESTAMP(3), at_ TIME(3), l ARRAY<TIMESTAMP(3)>"
TABLE = "'connector.type' = 'kafka', 'connector.topic' = 't', 'connector.properties.bootstrap.servers' = 'b:9092'"


def declared(options: str, columns: str = COLUMNS) -> tuple[Table, tuple[Problem, ...]]:
    script, problems = parse_script(
        Source("job.sql", f"CREATE TABLE t ({columns}) WITH ({TABLE}, 'format.type' = 'json'{options})")
    )
    catalog, more = declare(script.statements[0], Catalog(), {})
    return catalog.tables["t"], (*problems, *more)


UNIVERSAL = ", 'connector.version' = 'universal'"
RECORD = b'{"id":1,"ts":"2026-01-01T10:00:00Z","at_":"10:00:00.5Z","l":["2026-01-01T10:00:00.123Z"]}'


def test_findings_a11_rfc_3339_in_and_out() -> None:
    table, problems = declared(UNIVERSAL)
    assert not problems
    decoded = make_decoder(table.value_format, ["id", "ts", "at_", "l"]).decode([RECORD] * 3)
    assert not decoded.rejects
    assert make_encoder(table.value_format).encode(decoded.batch, None) == [RECORD] * 3


@pytest.mark.parametrize("text", [b"2026-01-01T10:00:00Z", b"2026-01-01 10:00:00", b"2026-01-01T10:00:00"])
def test_findings_a11_fast_and_exact_agree(text: bytes) -> None:
    table, _ = declared(UNIVERSAL, "ts TIMESTAMP(3), l TIMESTAMP_LTZ(3)")
    decoder = make_decoder(table.value_format, ["ts", "l"])
    record = b'{"ts":"%s","l":"%s"}' % (text, text)
    together, alone = decoder.decode([record] * 50), decoder.decode([record])
    assert not together.rejects and not alone.rejects
    assert together.batch.slice(0, 1).to_pylist() == alone.batch.to_pylist()
    assert alone.batch.column("ts").cast(pa.int64())[0].as_py() == 1_767_261_600_000_000


def test_findings_a11_dli_keeps_its_own_and_who_cannot_be_told_is_warned() -> None:
    dli, problems = declared(", 'connector.topic-pattern' = 't'".replace("topic-pattern", "startup-timestamp-millis"))
    assert not [problem for problem in problems if "Timestamps" in problem.message]
    either, (problem,) = declared("")
    assert problem.message == (
        "Timestamps are read and written as '2026-01-01 10:00:00', as for Huawei DLI. Flink 1.10 has '2026-01-01T10:00:00Z'."
    )
    for table in (dli, either):
        record = b'{"id":1,"ts":"2026-01-01 10:00:00","at_":"10:00:00","l":null}'
        decoded = make_decoder(table.value_format, ["id", "ts", "at_", "l"]).decode([record])
        assert make_encoder(table.value_format).encode(decoded.batch, None) == [record]
    assert declared("", "id INT")[1] == ()


def test_findings_b1_the_avro_schema_says_what_can_be_null() -> None:
    schema = (
        '{"type": "record", "name": "r", "fields": [{"name": "x", "type": "long"},'
        ' {"name": "y", "type": ["null", "string"]}]}'
    )
    columns = "id BIGINT, name STRING"
    script, _ = parse_script(
        Source(
            "job.sql",
            f"CREATE TABLE t ({columns}) WITH ({TABLE}, 'format.type' = 'avro', 'format.avro-schema' = '{schema}')",
        )
    )
    catalog, problems = declare(script.statements[0], Catalog(), {})
    assert not problems
    table = catalog.tables["t"]
    # 1 in zigzag, without a branch of a union before it; then the second branch, and a text of one byte.
    message = b"\x02\x02\x02a"
    decoded = make_decoder(table.value_format, ["id", "name"]).decode([message])
    assert decoded.batch.to_pylist() == [{"id": 1, "name": "a"}]
    assert make_encoder(table.value_format).encode(decoded.batch, None) == [message]
