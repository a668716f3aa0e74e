"""The short form of `python -m tests.fuzz.records`."""

from __future__ import annotations

import pytest
from tests.fuzz.records import run


@pytest.mark.parametrize(
    "name", ["json", "debezium-json", "canal-json", "maxwell-json", "ogg-json", "csv", "avro", "avro-confluent", "raw"]
)
def test_damaged_records_become_rows_rejects_or_nothing(name: str) -> None:
    [(found, counts)] = run([name], 300, seed=20).items()
    assert found == name
    assert counts["records"] == 300
    assert counts["rows"] and (counts["rejects"] or name == "raw")
