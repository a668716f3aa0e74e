"""What a real Debezium sent for a real PostgreSQL, decoded. `recording/README.md` says how it was made."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.formats.formats_strategies import assert_same
from tests.formats.formats_tables import bind, parse_columns

from firesteel.changelog.kind import RowKind
from firesteel.formats.builtin import make_decoder
from firesteel.formats.cdc.decoder import ChangelogDecoder
from firesteel.formats.codec import Decoded, Reason

RECORDING = Path(__file__).parent / "recording"
ITEM = (
    "id BIGINT, name STRING, price DECIMAL(10, 2), any_number DECIMAL(20, 3), weight FLOAT, ratio DOUBLE, active BOOLEAN, "
    "made DATE, at TIME(3), seen TIMESTAMP(3), seen_micros TIMESTAMP(6), zoned TIMESTAMP_LTZ(3), bytes BYTES, "
    "tags ARRAY<STRING>"
)
ISO = {"timestamp-format.standard": "ISO-8601"}
ADAPTIVE = ISO | {"decode.time-precision-mode": "adaptive", "decode.decimal-handling-mode": "precise"}
#: Connect's numbers are milliseconds, also for a column of microseconds.
CONNECT = ISO | {"decode.time-precision-mode": "connect"}

_UTC = datetime.UTC
SCOOTER = {
    "id": 1,
    "name": "scooter",
    "price": Decimal("3.14"),
    "any_number": Decimal("12.345"),
    "weight": 1.5,
    "ratio": 0.1,
    "active": True,
    "made": datetime.date(2020, 2, 29),
    "at": datetime.time(12, 34, 56, 789_000),
    "seen": datetime.datetime(2020, 11, 11, 18, 8, 1, 123_000),
    "seen_micros": datetime.datetime(2020, 11, 11, 18, 8, 1, 123_456),
    "zoned": datetime.datetime(2020, 11, 11, 16, 8, 1, 123_000, _UTC),
    "bytes": b"\x00\xff\x10",
    "tags": ["a", "b"],
}
SIZE = {
    "id": 2,
    "name": 'größe "x"',
    "price": Decimal("-0.01"),
    "any_number": None,
    "weight": None,
    "ratio": "NaN",
    "active": False,
    "made": datetime.date(1969, 12, 31),
    "at": datetime.time(0),
    "seen": datetime.datetime(1969, 12, 31, 23, 59, 59, 999_000),
    "seen_micros": datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999),
    "zoned": datetime.datetime(1999, 12, 31, 23, 59, 59, 0, _UTC),
    "bytes": b"",
    "tags": None,
}
CHEAP = SCOOTER | {"price": Decimal("99999999.99"), "name": None}


def messages(mode: str, table: str) -> list[bytes | None]:
    lines = (RECORDING / f"debezium-postgres-{mode}.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [m["value"] and m["value"].encode() for m in found if m["topic"] == f"shop.public.{table}"]


def decode(columns: str, values: list[bytes | None], options: dict[str, str]) -> Decoded:
    bound = bind(parse_columns(columns), "debezium-json", options)
    decoder = make_decoder(bound, bound.columns)
    assert isinstance(decoder, ChangelogDecoder)
    decoded = decoder.decode(values)
    assert_same(decoded, decoder.decode_exactly(values))
    return decoded


def changes(decoded: Decoded) -> list[tuple[str, dict[str, Any]]]:
    assert decoded.kinds is not None
    kinds = [list(RowKind)[kind].name for kind in decoded.kinds.to_pylist()]
    rows = [
        {name: "NaN" if value != value else value for name, value in row.items()} for row in decoded.batch.to_pylist()
    ]
    return list(zip(kinds, rows, strict=True))


@pytest.mark.parametrize(("mode", "options"), [("adaptive", ADAPTIVE), ("connect", CONNECT)])
def test_a_table_with_full_identity(mode: str, options: dict[str, str]) -> None:
    decoded = decode(ITEM, messages(mode, "item"), options)
    assert decoded.rejects == ()
    scooter, cheap, size = SCOOTER, CHEAP, SIZE
    if mode == "connect":
        cut = {"seen_micros": SCOOTER["seen"]}
        scooter, cheap, size = scooter | cut, cheap | cut, size | {"seen_micros": SIZE["seen"]}
    assert changes(decoded) == [
        ("INSERT", scooter),
        ("INSERT", size),
        ("UPDATE_BEFORE", scooter),
        ("UPDATE_AFTER", cheap),
        # A new key is a delete, a tombstone and an insert.
        ("DELETE", size),
        ("INSERT", size | {"id": 3}),
        ("DELETE", cheap),
    ]


def test_without_the_options_numbers_are_no_times() -> None:
    values = messages("adaptive", "item")
    assert len(decode("made DATE", values, ISO).rejects) == 6
    assert decode("id BIGINT, zoned TIMESTAMP_LTZ(3), ratio DOUBLE", values, ISO).rejects == ()


@pytest.mark.parametrize(("mode", "options"), [("adaptive", {}), ("schema", {"schema-include": "true"})])
def test_a_table_with_the_default_identity(mode: str, options: dict[str, str]) -> None:
    decoded = decode("id INT, name STRING", messages(mode, "plain"), options)
    assert changes(decoded) == [("INSERT", {"id": 1, "name": "one"}), ("DELETE", {"id": 1, "name": None})]
    (reject,) = decoded.rejects
    assert (reject.index, reject.reason) == (1, Reason.MISSING_FIELD)
    assert "REPLICA IDENTITY" in reject.detail
